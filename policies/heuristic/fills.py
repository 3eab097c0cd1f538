"""Reads what a clause says to type and where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from policies.heuristic.goal import Fill, Source
from policies.heuristic.words import QUOTED, content_words, quoted_in, read_ordinal, unmask, without_ordinals

_TOKEN = QUOTED.pattern.replace("(", "(?:")
_PATTERN = re.compile(rf"\b(?:starts?|starting|begins?|beginning)\s+with\s+{QUOTED.pattern}", re.IGNORECASE)
_PATTERN_END = re.compile(rf"\b(?:ends?|ending)\s+with\s+{QUOTED.pattern}", re.IGNORECASE)
_PLACE = re.compile(r"\s+(?:into|in|as|for|to|inside)\s+", re.IGNORECASE)
_NEXT_VALUE = re.compile(rf"(?:\s+and\s+|,\s*)(?=[\w\s]*?{_TOKEN})")
_EVERYWHERE = re.compile(r"\b(?:both|all|each|every)\b.*\b(?:fields?|boxes|textbox(?:es)?|inputs?)\b", re.IGNORECASE)
_CASE = re.compile(r"\b(?:all\s+)?(?P<case>upper|lower)[\s-]*case(?:\s+letters)?\b", re.IGNORECASE)
_BACK_REFERENCE = re.compile(
    r"(?:it|that|this|them|(?:the|that|this)\s+(?:noted\s+|remembered\s+)?(?:value|code|number|note|text))\b.*",
    re.IGNORECASE,
)
_VALUE_OF = re.compile(r"(?:the\s+)?(?:value|text|content)\s+(?:of|for)\s+(?P<name>.+)", re.IGNORECASE)


def read_fills(rest: str, quotes: tuple[str, ...], noted: Sequence[str]) -> Iterator[Fill]:
    """Yield one fill for each value of a clause; `noted` are the names whose values the task says to note."""
    start = _PATTERN.search(rest)
    if start is not None:
        end = _PATTERN_END.search(rest)
        yield Fill(text=quotes[int(start[1])], source="pattern", end=quotes[int(end[1])] if end is not None else "")
        return
    for piece in _NEXT_VALUE.split(rest):
        yield _read_fill(piece, quotes, noted)


def _read_fill(piece: str, quotes: tuple[str, ...], noted: Sequence[str]) -> Fill:
    head, tail = _split_place(piece)
    case = _CASE.search(tail)
    tail = _CASE.sub(" ", tail)
    fields = quoted_in(tail, quotes)
    text, source = _read_value(head, quotes, noted)
    return Fill(
        text=_in_case(text, case) if source == "text" else text,
        source=source,
        field=fields[-1] if fields else _label(tail) or _label(QUOTED.split(head)[0] if QUOTED.search(head) else ""),
        is_field_quoted=bool(fields),
        ordinal=read_ordinal(tail),
        is_everywhere=_EVERYWHERE.search(tail) is not None,
    )


def _split_place(piece: str) -> tuple[str, str]:
    """Return what stands before and after the word that leads to the field, looking behind the first quoted value."""
    value = QUOTED.search(piece)
    found = _PLACE.search(piece, 0 if value is None else value.start())
    if found is None or (value is not None and _PLACE.search(piece[: value.start()]) and _BACK_REFERENCE.match(piece)):
        found = _PLACE.search(piece)
    return (piece, "") if found is None else (piece[: found.start()], piece[found.start() :])


def _read_value(head: str, quotes: tuple[str, ...], noted: Sequence[str]) -> tuple[str, Source]:
    quoted, bare = quoted_in(head, quotes), unmask(head, quotes).strip()
    named = _VALUE_OF.fullmatch(bare)
    name = quoted[0] if quoted else named["name"] if named is not None else bare
    if _is_noted(name, noted):
        return name, "note"
    if named is not None:
        return name, "page"
    if quoted:
        return quoted[0], "text"
    if _BACK_REFERENCE.fullmatch(bare):
        return (noted[-1], "note") if noted else (bare, "page")
    return bare, "text"


def _is_noted(name: str, noted: Sequence[str]) -> bool:
    return any(name.casefold().removeprefix("the ") == item.casefold() for item in noted)


def _in_case(text: str, case: re.Match[str] | None) -> str:
    if case is None:
        return text
    return text.upper() if case["case"].casefold() == "upper" else text.lower()


def _label(text: str) -> str:
    return content_words(without_ordinals(QUOTED.sub(" ", text)))
