"""Chooses the next call: the first part of the task that isn't done yet."""

from __future__ import annotations

import re
from typing import assert_never

from policies.heuristic.desktop import open_named
from policies.heuristic.explore import dismiss, explore, is_blocked, openers, page_turns
from policies.heuristic.filling import fill, is_filled
from policies.heuristic.goal import Choose, Click, Fill, Part, Pause, Remember, Reveal
from policies.heuristic.lookup import note_line, value_in_notes, value_on_screen
from policies.heuristic.match import EXACT, best_click, best_named, confirm_button
from policies.heuristic.scene import Reason, Scene, click, read_scene, step
from policies.heuristic.screen import Item
from policies.heuristic.words import CHECK_ROLES, LIST_ROLES
from policies.keyless import Decision, finish
from policies.mark_text import list_options
from policies.view import RequestView

_MAX_TRIES = 2
_KEYS = {"enter": "Enter", "return": "Enter", "escape": "Escape", "tab": "Tab", "space": "Space"}
_CHORD = re.compile(r"(?:(?:ctrl|control|alt|shift|super|meta|cmd)\s*\+\s*)+[\w]{1,10}", re.IGNORECASE)
_CONFIRM_WORDS = frozenset({"submit", "login", "log in", "sign in", "ok", "send", "save", "search", "go"})


def decide(view: RequestView) -> Decision:
    """Return the next call; it ends the run when all parts are done or nothing is left to try."""
    scene = read_scene(view)
    if not scene.parts:
        return finish(success=False, answer="I understand no part of the task")
    for number, part in enumerate(scene.parts, start=1):
        if not is_done(scene, part, number):
            in_the_way = dismiss(scene, number) if is_blocked(scene) else None
            return in_the_way or _attempt(scene, part, number)
    return _confirm(scene) or finish(success=True, answer=f"all {len(scene.parts)} parts of the task are done")


def is_done(scene: Scene, part: Part, number: int) -> bool:
    """Return whether a part (number from 1) is done, as far as the request shows it."""
    match part:
        case Click() | Reveal() | Pause():
            return bool(scene.done_steps(number))
        case Choose():
            return _is_chosen(scene, part, number)
        case Fill():
            return is_filled(scene, part, number)
        case Remember():
            return value_in_notes(part.field, scene.notes) is not None
        case _:
            assert_never(part)


def _attempt(scene: Scene, part: Part, number: int) -> Decision:
    match part:
        case Click():
            return _click(scene, part, number)
        case Choose():
            return _choose(scene, part, number)
        case Fill():
            return fill(scene, part, number)
        case Remember():
            return _remember(scene, part, number)
        case Reveal():
            return _reveal(scene, part, number)
        case Pause():
            return step(scene, Reason(part=number, purpose="do", why="wait"), "wait", {"seconds": part.seconds})
        case _:
            assert_never(part)


def _click(scene: Scene, part: Click, number: int) -> Decision:
    found = best_click(_on_this_page(scene, part, number), scene.screen.items)
    reason = Reason(part=number, purpose="do", why=f"click {_describe(part)}")
    if found is not None and found[1] >= EXACT - 5:
        return click(scene, reason, found[0])
    key = _KEYS.get(part.names[0].casefold()) if part.names and not part.is_quoted else None
    if found is None and key is not None:
        return step(scene, reason, "press_keys", {"keys": key})
    elsewhere = _press_chord(scene, part, reason) or open_named(scene, part, reason)
    if elsewhere is not None:
        return elsewhere
    confirm = _confirm_item(scene, part) if found is None else None
    if confirm is not None:
        return click(scene, reason, confirm)
    looking = explore(scene, number)
    if looking is not None:
        return looking
    if found is not None:
        return click(scene, reason, found[0])
    return finish(success=False, answer=f"I found nothing to click for {_describe(part)}")


def _press_chord(scene: Scene, part: Click, reason: Reason) -> Decision | None:
    """Return the press of the chord that a part names, such as `Ctrl+S`, or None when it names none."""
    chord = next((name for name in part.names if _CHORD.fullmatch(name.strip())), None)
    return None if chord is None else step(scene, reason, "press_keys", {"keys": re.sub(r"\s", "", chord)})


def _on_this_page(scene: Scene, part: Click, number: int) -> Click:
    """Count an ordinal on from the pages already turned."""
    turned = page_turns(scene, number)
    if part.names or part.ordinal is None or part.ordinal < 0 or not turned:
        return part
    on_page = 0
    while best_click(Click(names=(), kinds=part.kinds, ordinal=on_page + 1), scene.screen.items) is not None:
        on_page += 1
    left = part.ordinal - turned * on_page
    return Click(names=(), kinds=part.kinds, ordinal=left if left > 0 else part.ordinal)


def _describe(part: Click) -> str:
    named = repr(part.names[0]) if part.names else " ".join(sorted(part.kinds)) or "it"
    return named if part.ordinal is None else f"{named}, number {part.ordinal}"


def _confirm_item(scene: Scene, part: Click) -> Item | None:
    """Return the confirming button of a form that is called otherwise on the page."""
    is_confirming = any(name.casefold() in _CONFIRM_WORDS for name in part.names)
    return confirm_button(scene.screen.items) if is_confirming else None


def _confirm(scene: Scene) -> Decision | None:
    """Return the click that sends a form which the task doesn't mention, once; None where there is none.

    On a desktop nothing is clicked that the task doesn't say: a button there may save or send anything.
    """
    number = len(scene.parts) + 1
    if scene.desktop is not None:
        return None
    if not isinstance(scene.parts[-1], Fill | Choose) or scene.done_steps(number):
        return None
    item = confirm_button(scene.screen.items)
    return None if item is None else click(scene, Reason(part=number, purpose="do", why="send the form"), item)


def _is_chosen(scene: Scene, part: Choose, number: int) -> bool:
    if scene.tries(number) >= _MAX_TRIES:
        return True
    checks = [item for item in scene.screen.items if item.mark.role in CHECK_ROLES]
    found = best_named(part.name, checks)
    if found is not None and found[1] >= EXACT:
        return found[0].is_chosen
    return bool(scene.done_steps(number))


def _choose(scene: Scene, part: Choose, number: int) -> Decision:
    reason = Reason(part=number, purpose="do", why=f"choose {part.name}")
    lists = [item for item in scene.screen.items if item.mark.role in LIST_ROLES and item.is_enabled]
    others = [item for item in scene.screen.items if item.mark.role not in LIST_ROLES and not item.is_field]
    found = best_named(part.name, others)
    if found is not None and found[1] >= EXACT:
        keys = {"keys": "Control"} if _adds_to_list(scene, found[0]) else {}
        return step(scene, reason, "click", {"mark": found[0].mark.id, **keys}, found[0])
    holder = next((item for item in lists if part.name in list_options(item.mark)), lists[0] if lists else None)
    if holder is not None:
        arguments = {"mark": holder.mark.id, "value": part.name}
        return step(scene, reason, "select_option", arguments, holder)
    looking = explore(scene, number)
    if looking is not None:
        return looking
    if found is not None:
        return click(scene, reason, found[0])
    return finish(success=False, answer=f"I found nothing called {part.name!r} to choose")


def _adds_to_list(scene: Scene, item: Item) -> bool:
    """Return whether a list holds another wanted option already, which a plain click would drop."""
    wanted = {part.name for part in scene.parts if isinstance(part, Choose)}
    others = (other for other in scene.screen.items if other.mark.role == "option" and other.is_chosen)
    return item.mark.role == "option" and any(other.label in wanted for other in others)


def _remember(scene: Scene, part: Remember, number: int) -> Decision:
    if scene.note_tool is None:
        return finish(success=False, answer=f"the task asks to note {part.field!r}, and I have no notes")
    if scene.tries(number) >= _MAX_TRIES:
        return finish(success=False, answer=f"I noted {part.field!r}, and my notes don't show it")
    value = value_on_screen(part.field, scene.screen.lines)
    if value is None:
        return explore(scene, number) or finish(success=False, answer=f"I found no value for {part.field!r}")
    arguments = {
        "text": note_line(part.field, value),
        "kind": "fact",
        "reason": "the task needs it on a later page",
        "key": part.field,
    }
    return step(scene, Reason(part=number, purpose="do", why=f"note {part.field}"), scene.note_tool, arguments)


def _reveal(scene: Scene, part: Reveal, number: int) -> Decision:
    for item in openers(scene, part.kinds):
        if not scene.was_used(item):
            return click(scene, Reason(part=number, purpose="do", why=f"open {item.label}"), item)
    return explore(scene, number) or finish(success=False, answer="I found nothing to open")
