"""Fills: which text goes into which field, and whether it is there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from policies.heuristic.desktop import type_blindly
from policies.heuristic.explore import explore
from policies.heuristic.goal import Fill
from policies.heuristic.lookup import value_in_notes, value_on_screen
from policies.heuristic.match import field_for
from policies.heuristic.scene import Reason, Scene, click, step
from policies.heuristic.screen import Item
from policies.heuristic.segments import SEGMENTS, is_same_text, segment_keys
from policies.keyless import Decision, finish

_MAX_TRIES = 3
_MAX_PRESSES = 20
_NUMBER = re.compile(r"-?[0-9]{1,6}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A text and the fields it belongs into; no field when none is in sight."""

    text: str
    fields: tuple[Item, ...]


def is_filled(scene: Scene, part: Fill, number: int) -> bool:
    """Return whether a fill is done, by the field's value where it shows one, else by what was typed.

    On a desktop by what was typed alone: the field in sight may be that of another window by now.
    """
    done = len(scene.done_steps(number))
    if scene.desktop is not None and done:
        return True
    if scene.tries(number) >= _MAX_TRIES * (2 if part.is_everywhere else 1):
        return True
    if part.source == "pattern":
        return _is_pattern_done(scene, part, number)
    place = _place(scene, part)
    if place is None or not place.fields:
        return done > 0
    return not _pending(place, done)


def fill(scene: Scene, part: Fill, number: int) -> Decision:
    """Return the next step of a fill; without a text or a field it looks further, then gives up."""
    if part.source == "pattern":
        return _fill_pattern(scene, part, number)
    place = _place(scene, part)
    if place is None:
        return finish(success=False, answer=f"I know no value for {part.text!r}: {_missing(part)}")
    reason = Reason(part=number, purpose="do", why=f"type into {part.field or 'the field'}")
    if not place.fields:
        return (
            type_blindly(scene, part, place.text, reason)
            or explore(scene, number)
            or finish(success=False, answer=f"I found no field {part.field!r} to type into")
        )
    pending = _pending(place, len(scene.done_steps(number)))
    return _type(scene, place.text, pending[0], reason)


def _missing(part: Fill) -> str:
    return "my notes hold none" if part.source == "note" else "the screen shows none"


def _place(scene: Scene, part: Fill) -> _Place | None:
    text = _text(scene, part)
    if text is None:
        return None
    fields = scene.screen.fields
    if part.is_everywhere:
        return _Place(text=text, fields=fields)
    found = field_for(part, scene.fills, fields)
    return _Place(text=text, fields=() if found is None else (found,))


def _text(scene: Scene, part: Fill) -> str | None:
    match part.source:
        case "note":
            return value_in_notes(part.text, scene.notes)
        case "page":
            return value_on_screen(part.text, scene.screen.lines)
        case "text" | "pattern":
            return part.text


def _pending(place: _Place, done: int) -> Sequence[Item]:
    """Return the fields that still lack the text; of fields that show no value the first `done` have it."""
    silent = [item for item in place.fields if item.mark.value is None][done:]
    return [
        item
        for item in place.fields
        if (item.mark.value is not None and not is_same_text(item.mark.value, place.text)) or item in silent
    ]


def _type(scene: Scene, text: str, item: Item, reason: Reason) -> Decision:
    """Type into a field; what stands in it is selected first, so that the text replaces it."""
    keys = segment_keys(text, item.mark.states)
    if keys is not None:
        first = Decision(tool="click", arguments={"mark": item.mark.id})
        back = Decision(tool="press_keys", arguments={"keys": "ArrowLeft"})
        return replace(step(scene, reason, "type_text", {"text": keys}, item), before=(first, *[back] * SEGMENTS))
    presses = _spin(scene, text, item)
    if presses is not None:
        first = Decision(tool="click", arguments={"mark": item.mark.id})
        *more, last = presses
        return replace(step(scene, reason, "press_keys", last.arguments, item), before=(first, *more))
    if item.mark.value:
        select = Decision(tool="click", arguments={"mark": item.mark.id, "count": 3})
        return replace(step(scene, reason, "type_text", {"text": text}, item), before=(select,))
    return step(scene, reason, "type_text", {"text": text, "mark": item.mark.id}, item)


def _spin(scene: Scene, text: str, item: Item) -> list[Decision] | None:
    """Return arrow keys that count a number field up or down; None for other fields and before typing failed."""
    was_typed = any(past.tool == "type_text" and past.mark and past.mark.role == "spinbutton" for past in scene.past)
    value = item.mark.value or ""
    if item.mark.role != "spinbutton" or not was_typed or not _NUMBER.fullmatch(text) or not _NUMBER.fullmatch(value):
        return None
    distance = int(text) - int(value)
    if distance == 0:
        return None
    key = "ArrowUp" if distance > 0 else "ArrowDown"
    return [Decision(tool="press_keys", arguments={"keys": key})] * min(abs(distance), _MAX_PRESSES)


def _fits_pattern(text: str, part: Fill) -> bool:
    folded = text.strip().casefold()
    return folded.startswith(part.text.casefold()) and folded.endswith(part.end.casefold())


def _is_pattern_done(scene: Scene, part: Fill, number: int) -> bool:
    field = field_for(part, scene.fills, scene.screen.fields)
    if field is None or field.mark.value is None:
        return len(scene.done_steps(number)) >= 2
    is_whole = bool(part.end) or len(scene.done_steps(number)) >= 2
    return _fits_pattern(field.mark.value, part) and is_whole


def _fill_pattern(scene: Scene, part: Fill, number: int) -> Decision:
    for item in scene.screen.items:
        if not item.is_field and item.is_enabled and _fits_pattern(item.label, part):
            return click(scene, Reason(part=number, purpose="do", why="take the suggestion that fits"), item)
    field = field_for(part, scene.fills, scene.screen.fields)
    if field is None:
        return explore(scene, number) or finish(success=False, answer="I found no field to type into")
    if not scene.done_steps(number):
        return _type(scene, part.text, field, Reason(part=number, purpose="do", why="ask for suggestions"))
    waits = sum(past.tool == "wait" for past in scene.past)
    if waits < 2:
        reason = Reason(part=number, purpose="explore", why="let suggestions appear")
        return step(scene, reason, "wait", {"seconds": 1})
    return finish(success=False, answer=f"no suggestion begins with {part.text!r} and ends with {part.end!r}")
