"""Which mark fits what the task asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from policies.heuristic.goal import Click, Fill
from policies.heuristic.screen import Item
from policies.heuristic.words import CHECK_ROLES, kind_roles, plain, words

EXACT = 70
WEAK = 30
_CLOSE_NAMES = frozenset({"close", "×", "✕", "✖", "x"})
_PAGE_TURN = frozenset({"<", ">", "«", "»", "next", "previous", "prev", "first", "last"})
_CONFIRM_NAMES = ("submit", "ok", "login", "log in", "sign in", "send", "save", "confirm", "done", "continue", "go")


def name_score(item: Item, name: str) -> int:
    """Return how well a mark is called `name`: 100 for the same text, 0 for no likeness."""
    label = item.label
    if label == name:
        return 100
    if label.casefold().strip() == name.casefold().strip():
        return 90
    if plain(label) == plain(name) and plain(name):
        return 80
    if name.casefold() == "x" and label.strip().casefold() in _CLOSE_NAMES:
        return 75
    if item.mark.value is not None and item.mark.role not in CHECK_ROLES and item.mark.value == name:
        return 60
    wanted, seen = set(words(name)), set(words(label))
    if not wanted:
        return 0
    if wanted == seen:
        return 50
    return WEAK if wanted <= seen else 0


def best_click(part: Click, items: Sequence[Item]) -> tuple[Item, int] | None:
    """Return the enabled mark that a click means and its score, or None."""
    usable = [item for item in items if item.is_enabled]
    if not part.names:
        found = _by_kind(part, usable)
        return None if found is None else (found, EXACT)
    scored = [(_score(item, part), _preference(item, part), item) for item in usable]
    fitting = [entry for entry in scored if entry[0] > 0]
    if not fitting:
        return None
    top = max(entry[:2] for entry in fitting)
    same = [entry[2] for entry in fitting if entry[:2] == top]
    return _nth(same, part.ordinal or 1), top[0]


def _score(item: Item, part: Click) -> int:
    return max(name_score(item, name) - 5 * place for place, name in enumerate(part.names))


def _preference(item: Item, part: Click) -> tuple[bool, bool, bool]:
    """Rank marks of the same name: the kind that the task names, buttons that send, real controls."""
    is_confirming = any(plain(name) in _CONFIRM_NAMES for name in part.names)
    role = item.mark.role
    return role in kind_roles(part.kinds), is_confirming and role == "button", role != "clickable"


def _by_kind(part: Click, items: Sequence[Item]) -> Item | None:
    roles = kind_roles(part.kinds)
    fitting = [item for item in items if item.mark.role in roles and not _is_page_turn(item)]
    if "text" in part.kinds:
        fitting = [item for item in fitting if "multiline" not in item.mark.states] or fitting
    if "textarea" in part.kinds:
        fitting = [item for item in fitting if "multiline" in item.mark.states] or fitting
    ordinal = part.ordinal or 1
    return _nth(fitting, ordinal) if len(fitting) >= abs(ordinal) else None


def _is_page_turn(item: Item) -> bool:
    label = item.label.strip().casefold()
    return label in _PAGE_TURN or label.isdigit()


def _nth(items: Sequence[Item], ordinal: int) -> Item:
    return items[-1] if ordinal < 0 else items[min(ordinal, len(items)) - 1]


def best_named(name: str, items: Iterable[Item]) -> tuple[Item, int] | None:
    """Return the enabled mark with the highest name score, or None."""
    scored = [(score, item) for item in items if item.is_enabled and (score := name_score(item, name)) > 0]
    if not scored:
        return None
    score, item = max(scored, key=lambda entry: entry[0])
    return item, score


def confirm_button(items: Sequence[Item]) -> Item | None:
    """Return the button that sends a form, or None; the only button of a screen counts as one."""
    buttons = [item for item in items if item.mark.role == "button" and item.is_enabled]
    for name in _CONFIRM_NAMES:
        for item in buttons:
            if plain(item.label) == name:
                return item
    return buttons[0] if len(buttons) == 1 else None


def field_for(part: Fill, fills: Sequence[Fill], fields: Sequence[Item]) -> Item | None:
    """Return the field that a fill means, or None.

    A quoted label must fit. Other labels are matched by their words; fills whose label fits no field take the fields
    that are left, in order.
    """
    if part.ordinal is not None:
        return _nth(fields, part.ordinal) if len(fields) >= abs(part.ordinal) else None
    labelled = _labelled(part, fields)
    if labelled is not None or part.is_field_quoted:
        return labelled
    taken = [found.mark.id for fill in fills if (found := _labelled(fill, fields)) is not None]
    free = [item for item in fields if item.mark.id not in taken]
    place = [fill for fill in fills if _labelled(fill, fields) is None].index(part)
    return free[place] if place < len(free) else None


def _labelled(part: Fill, fields: Sequence[Item]) -> Item | None:
    if not part.field:
        return None
    found = best_named(part.field, fields)
    if found is not None and (found[1] >= 50 or not part.is_field_quoted):
        return found[0]
    return None
