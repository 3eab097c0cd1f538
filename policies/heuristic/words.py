"""Words: quotes, ordinals, nouns for kinds of marks, and comparing names."""

from __future__ import annotations

import re

_QUOTES = re.compile(r'"([^"]+)"|“([^”]+)”|(?<!\w)\'([^\']+)\'(?!\w)')
_OPEN, _CLOSE = "\ue000", "\ue001"
QUOTED = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")
_ORDINAL = re.compile(r"\b([0-9]+)(?:st|nd|rd|th)\b", re.IGNORECASE)
_ORDINAL_WORDS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
    "last": -1,
}
KIND_NOUNS: dict[str, frozenset[str]] = {
    "button": frozenset({"button"}),
    "link": frozenset({"link"}),
    "result": frozenset({"link"}),
    "tab": frozenset({"tab"}),
    "checkbox": frozenset({"checkbox", "switch"}),
    "radio": frozenset({"radio"}),
    "option": frozenset({"option", "radio", "menuitem"}),
    "menu": frozenset({"menuitem", "menu", "button"}),
    "text": frozenset({"textbox", "searchbox"}),
    "textbox": frozenset({"textbox", "searchbox"}),
    "input": frozenset({"textbox", "searchbox", "spinbutton"}),
    "field": frozenset({"textbox", "searchbox", "spinbutton"}),
    "textarea": frozenset({"textbox"}),
    "slider": frozenset({"slider"}),
    "section": frozenset({"tab", "heading", "button"}),
    "folder": frozenset({"treeitem"}),
    "file": frozenset({"treeitem"}),
}
FIELD_ROLES = frozenset({"textbox", "searchbox", "spinbutton"})
CHECK_ROLES = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
LIST_ROLES = frozenset({"combobox", "listbox"})
_FILLERS = frozenset(
    {"a", "an", "the", "as", "both", "each", "every", "all", "any", "this", "that", "it", "on", "onto", "into", "in"}
    | {
        "at",
        "to",
        "of",
        "for",
        "with",
        "from",
        "and",
        "or",
        "please",
        "then",
        "is",
        "named",
        "called",
        "below",
        "above",
    }
    | {"labeled", "labelled", "page", "item", "box", "dialog", "window", "icon", "widget", "search", "colored"}
)
_WORD = re.compile(r"\w+")


def mask_quotes(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text with each quoted string replaced by a numbered token, and those strings."""
    quotes: list[str] = []

    def hide(found: re.Match[str]) -> str:
        quotes.append(next(group for group in found.groups() if group is not None).strip())
        return f"{_OPEN}{len(quotes) - 1}{_CLOSE}"

    return _QUOTES.sub(hide, text), tuple(quotes)


def unmask(text: str, quotes: tuple[str, ...]) -> str:
    """Return the text with its quoted strings put back, without quotes."""
    return QUOTED.sub(lambda found: quotes[int(found[1])], text)


def quoted_in(text: str, quotes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the quoted strings of a masked text, in order."""
    return tuple(quotes[int(found[1])] for found in QUOTED.finditer(text))


def read_ordinal(text: str) -> int | None:
    """Return the first ordinal of a text, -1 for `last`, or None."""
    found = _ORDINAL.search(text)
    if found is not None:
        return int(found[1])
    return next((_ORDINAL_WORDS[word] for word in words(text) if word in _ORDINAL_WORDS), None)


def without_ordinals(text: str) -> str:
    """Return the text without ordinals."""
    kept = [word for word in _ORDINAL.sub(" ", text).split() if word.casefold() not in _ORDINAL_WORDS]
    return " ".join(kept)


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case."""
    return tuple(_WORD.findall(text.casefold()))


def kind_nouns(text: str) -> frozenset[str]:
    """Return the nouns in a text that say what kind of mark is meant, in the singular."""
    singular = {
        word if word in KIND_NOUNS else word.removesuffix("es" if word.endswith("xes") else "s") for word in words(text)
    }
    return frozenset(singular & KIND_NOUNS.keys())


def kind_roles(kinds: frozenset[str]) -> frozenset[str]:
    """Return the roles that the nouns stand for."""
    return frozenset().union(*(KIND_NOUNS[kind] for kind in kinds))


def content_words(text: str) -> str:
    """Return a text without articles, prepositions and nouns for kinds of marks, case kept."""
    kept = [
        word for word in text.split() if not (set(words(word)) & _FILLERS) and not (words(word) and kind_nouns(word))
    ]
    return " ".join(kept)


def plain(name: str) -> str:
    """Return a name in lower case without punctuation at its ends and with single spaces."""
    return " ".join(name.casefold().split()).strip(" .…,:;!?*()[]'\"")
