"""Where to look for something that the screen doesn't show: popups, tabs, sections, further pages, below the fold."""

from __future__ import annotations

import re
from collections.abc import Iterator

from policies.heuristic.scene import Reason, Scene, click, step
from policies.heuristic.screen import Item
from policies.heuristic.words import CHECK_ROLES, LIST_ROLES, kind_nouns, plain, words
from policies.keyless import Decision

_OPENER_ROLES = frozenset({"tab", "treeitem"})
_OPENER_NOUNS = frozenset({"tab", "section", "menu", "folder"})
_DISMISS = frozenset({"cancel", "close", "no thanks", "dismiss", "skip", "not now", "x", "×"})
_OPENER_GLYPHS = frozenset({"▾", "▼", "▸", "▶", "⌄", "☰", "⋮"})
_OPENER_WORDS = frozenset({"expand", "expandable", "unfold", "collapsed"})
_NEXT = ("next", "continue", ">", "»", "›", "next page", "go on", "more", "show more", "load more")
_SEARCHING = re.compile(r"\b(?:find|navigate|expand|look for|menu|go through)\b", re.IGNORECASE)
_MAX_SCROLLS = 8
_MAX_TURNS = 12


def explore(scene: Scene, part: int) -> Decision | None:
    """Return the next step that may bring the target of a part into view, or None when all has been tried.

    On a desktop menus are opened and views scrolled, and that is all: any other click there may do anything.
    """
    item = _next_opener(scene)
    if item is not None:
        return click(scene, Reason(part=part, purpose="explore", why=f"open {item.label}"), item)
    if scene.desktop is not None:
        return _scroll(scene, part)
    return dismiss(scene, part) or _turn_page(scene, part) or _scroll(scene, part) or _try_anything(scene, part)


def dismiss(scene: Scene, part: int) -> Decision | None:
    """Return a click that gets a popup out of the way, or None when there is none or it didn't help here.

    None on a desktop: "Close" there may be that of the application.
    """
    if scene.desktop is not None:
        return None
    named = set(words(scene.task))
    for item in scene.screen.items:
        is_free = item.is_enabled and item.mark.role in {"button", "link", "generic"}
        if is_free and plain(item.label) in _DISMISS - named and not scene.was_used(item, on_this_screen=True):
            return click(scene, Reason(part=part, purpose="dismiss", why=f"get out of the way: {item.label}"), item)
    return None


def is_blocked(scene: Scene) -> bool:
    """Return whether the field that was typed into last can't be used any more."""
    last = scene.past[-1] if scene.past else None
    if last is None or last.tool != "type_text" or last.mark is None:
        return False
    return all((item.mark.role, item.mark.name) != (last.mark.role, last.mark.name) for item in scene.screen.fields)


def openers(scene: Scene, kinds: frozenset[str]) -> Iterator[Item]:
    """Yield the marks that look as if they hid something of that kind."""
    for item in scene.screen.items:
        is_named = bool(kinds & kind_nouns(item.label))
        if item.is_enabled and (_is_opener(item) or is_named):
            yield item


def page_turns(scene: Scene, part: int) -> int:
    """Return how often a part's search has gone on to a next page."""
    return sum(
        step.part == part and step.purpose == "explore" and step.mark is not None and plain_turn(step.mark.name)
        for step in scene.past
    )


def plain_turn(name: str) -> bool:
    """Return whether a name is that of a control that leads to the next page."""
    return name.strip().casefold() in _NEXT


def _is_opener(item: Item) -> bool:
    is_closed = "collapsed" in item.mark.states or item.label.strip() in _OPENER_GLYPHS
    return (
        is_closed
        or _is_handle(item)
        or (item.mark.role in _OPENER_ROLES and not {"selected", "expanded"} & set(item.mark.states))
    )


def _is_handle(item: Item) -> bool:
    """Return whether a mark is a bare handle that opens something; many share a name, and it changes when open."""
    return bool(_OPENER_WORDS & set(words(item.label)))


def _was_tried(scene: Scene, item: Item) -> bool:
    return scene.was_used(item, on_this_screen=_is_handle(item))


def _next_opener(scene: Scene) -> Item | None:
    """Return an opener that wasn't tried, those behind the last tried one first: what was open needs no opening."""
    items = list(_openers(scene))
    used = [index for index, item in enumerate(items) if _was_tried(scene, item)]
    start = used[-1] + 1 if used else 0
    return next((item for item in (*items[start:], *items[:start]) if not _was_tried(scene, item)), None)


def _openers(scene: Scene) -> Iterator[Item]:
    for item in openers(scene, kind_nouns(scene.task) & _OPENER_NOUNS):
        if item.mark.role not in LIST_ROLES and ("selected" not in item.mark.states or scene.was_used(item)):
            yield item


def _turn_page(scene: Scene, part: int) -> Decision | None:
    for name in _NEXT:
        for item in scene.screen.items:
            if item.is_enabled and item.label.strip().casefold() == name and _may_turn(scene, part, item):
                return click(scene, Reason(part=part, purpose="explore", why=f"go on with {item.label}"), item)
    return None


def _may_turn(scene: Scene, part: int, item: Item) -> bool:
    return not scene.was_used(item, on_this_screen=True) and page_turns(scene, part) < _MAX_TURNS


def _scroll(scene: Scene, part: int) -> Decision | None:
    scrolls = [past for past in scene.past if past.tool == "scroll"]
    is_useless = any(past.screen == scene.screen.fingerprint for past in scrolls)
    if is_useless or len(scrolls) >= _MAX_SCROLLS:
        return None
    arguments = {"at": list(scene.screen.can_scroll_at), "dx": 0, "dy": 5}
    return step(scene, Reason(part=part, purpose="explore", why="look further down"), "scroll", arguments)


def _try_anything(scene: Scene, part: int) -> Decision | None:
    if not _SEARCHING.search(scene.task):
        return None
    for item in scene.screen.items:
        is_plain = not item.is_field and item.mark.role not in CHECK_ROLES | LIST_ROLES
        if item.is_enabled and is_plain and not item.is_chosen and not scene.was_used(item):
            return click(scene, Reason(part=part, purpose="explore", why=f"see what {item.label} does"), item)
    return None
