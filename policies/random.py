"""The policy `random` is the floor of an eval: sensible actions on the marks, drawn without any understanding.

Each draw depends on the seed and the number of the call alone, so the same seed against the same screens does the same
and a resumed run goes on as an uninterrupted one would.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import partial

from harness.protocols import PolicySpec, SeenMark
from policies.keyless import Decision, KeylessPolicy, finish
from policies.mark_text import list_options
from policies.view import RequestView

_FINISH_CHANCE = 0.02
_TEXT_ROLES = frozenset({"textbox", "searchbox", "spinbutton"})
_WORD = re.compile(r"\w+")


def create(spec: PolicySpec) -> KeylessPolicy:
    """Return the policy for the spec's seed."""
    return KeylessPolicy("random", partial(decide, seed=spec.seed))


def decide(view: RequestView, *, seed: int) -> Decision:
    """Draw uniformly among the actions that make sense on this screen; end the run once in fifty draws."""
    draw = random.Random(f"{seed}:{view.next_number}")
    if draw.random() < _FINISH_CHANCE:
        return finish(success=True, answer="done")
    words = _WORD.findall(view.task) or ["a"]
    return draw.choice(list(_actions(view, words, draw)))


def _actions(view: RequestView, words: list[str], draw: random.Random) -> Iterator[Decision]:
    for mark in view.view.marks:
        if "disabled" not in mark.states:
            yield _action_on(mark, words, draw)
    for keys in ("Enter", "Tab"):
        yield Decision(tool="press_keys", arguments={"keys": keys})
    at = [view.view.width_px // 2, view.view.height_px // 2]
    for turns in (-3, 3):
        yield Decision(tool="scroll", arguments={"at": at, "dx": 0, "dy": turns})
    if view.is_desktop:
        yield from _desktop_actions(view, words, draw)


def _desktop_actions(view: RequestView, words: list[str], draw: random.Random) -> Iterator[Decision]:
    """Yield what makes sense where not everything has a mark and the keyboard goes to whoever has it."""
    if view.view.width_px and view.view.height_px:
        for count in (1, 1, 1, 2):
            at = [draw.randrange(view.view.width_px), draw.randrange(view.view.height_px)]
            yield Decision(tool="click", arguments={"at": at, "count": count})
    yield Decision(tool="type_text", arguments={"text": draw.choice(words)})
    for keys in ("Escape", "ArrowDown", "Space"):
        yield Decision(tool="press_keys", arguments={"keys": keys})
    for window in view.view.windows:
        if not window.is_active:
            yield Decision(tool="focus_window", arguments={"window": window.id})


def _action_on(mark: SeenMark, words: list[str], draw: random.Random) -> Decision:
    if mark.role in _TEXT_ROLES:
        return Decision(tool="type_text", arguments={"mark": mark.id, "text": draw.choice(words)})
    options = list_options(mark)
    if options:
        return Decision(tool="select_option", arguments={"mark": mark.id, "value": draw.choice(options)})
    return Decision(tool="click", arguments={"mark": mark.id})
