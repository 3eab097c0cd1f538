"""The policy `scripted` sends the calls of a script, one a step.

A mark is a number or `{role, name, value, nth}`, a window a number or `{title}`, found again on each current screen. A
text may hold `${task.NAME}`, a named part of the task text; the names come from a first pseudo call `captures` with
`{NAME: regular expression}`; each expression has one group. Whatever can't be resolved ends the run with
`finish(success=false)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial

from harness.protocols import PolicySpec, ScriptedCall, View
from policies.keyless import Decision, KeylessPolicy, finish
from policies.script_marks import find_mark
from policies.view import RequestView

CAPTURES = "captures"
_PLACEHOLDER = re.compile(r"\$\{task\.([A-Za-z_][A-Za-z0-9_]*)\}")
_MARK_KEYS = frozenset({"mark", "from", "to"})


class ScriptError(ValueError):
    """A line of the script can't be carried out; the text says which and why."""


def create(spec: PolicySpec) -> KeylessPolicy:
    """Return the policy for the spec's script."""
    return KeylessPolicy("scripted", partial(decide, script=spec.script))


def decide(view: RequestView, *, script: Sequence[ScriptedCall]) -> Decision:
    """Return the call that is due: the script's line with the number of the session's next call."""
    captures, calls = _split(script)
    index = view.next_number - 1
    if index >= len(calls):
        return finish(success=True, answer="the script is done")
    call = calls[index]
    try:
        named = _capture(captures, view.task)
        arguments = {key: _resolve(value, key, call, named, view.view) for key, value in call.arguments.items()}
    except ScriptError as error:
        return finish(success=False, answer=str(error))
    return Decision(tool=call.tool, arguments=arguments)


def _split(script: Sequence[ScriptedCall]) -> tuple[Mapping[str, object], Sequence[ScriptedCall]]:
    if script and script[0].tool == CAPTURES:
        return script[0].arguments, script[1:]
    return {}, script


def _capture(captures: Mapping[str, object], task: str) -> Mapping[str, str]:
    named: dict[str, str] = {}
    for name, pattern in captures.items():
        found = re.search(str(pattern), task)
        if found is None or not found.groups() or found[1] is None:
            raise ScriptError(f"capture {name!r} ({pattern}) finds nothing in the task text; change the expression")
        named[name] = found[1]
    return named


def _resolve(value: object, key: str, call: ScriptedCall, named: Mapping[str, str], view: View) -> object:
    if isinstance(value, str):
        return _fill(value, call, named)
    if isinstance(value, list | tuple):
        inner = "mark" if key == "path" else key
        return [_resolve(item, inner, call, named, view) for item in value]
    if not isinstance(value, Mapping):
        return value
    filled = {name: _resolve(item, name, call, named, view) for name, item in value.items()}
    if key == "window":
        return _window_id(filled, call, view)
    return _mark_id(filled, call, view) if key in _MARK_KEYS and not _is_place(filled) else filled


def _is_place(value: Mapping[str, object]) -> bool:
    """Return whether a mapping names a place by `mark` or `at` already."""
    return "mark" in value or "at" in value


def _fill(text: str, call: ScriptedCall, named: Mapping[str, str]) -> str:
    for name in _PLACEHOLDER.findall(text):
        if name not in named:
            known = ", ".join(sorted(named)) or "none"
            raise ScriptError(f"{_place(call)}: the task has no capture {name!r}; captures are: {known}")
    return _PLACEHOLDER.sub(lambda found: named[found[1]], text)


def _mark_id(wanted: Mapping[str, object], call: ScriptedCall, view: View) -> int:
    found = find_mark(wanted, view.marks)
    if isinstance(found, str):
        raise ScriptError(f"{_place(call)}: {found}")
    return found.id


def _window_id(wanted: Mapping[str, object], call: ScriptedCall, view: View) -> int:
    """Return the number of the first window whose title is, else holds, the one that a script names."""
    title = str(wanted.get("title", ""))
    fitting = [window for window in view.windows if title in window.title]
    best = next((window for window in fitting if window.title == title), fitting[0] if fitting else None)
    if best is None or not title:
        titles = ", ".join(repr(window.title) for window in view.windows) or "none"
        raise ScriptError(f"{_place(call)}: no window has {title!r} in its title; open windows: {titles}")
    return best.id


def _place(call: ScriptedCall) -> str:
    return f"script line {call.line} ({call.tool})" if call.line else f"script call {call.tool}"
