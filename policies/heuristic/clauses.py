"""Reads a task text clause by clause."""

from __future__ import annotations

import re

from policies.heuristic.fills import read_fills
from policies.heuristic.goal import Choose, Click, Part, Pause, Remember, Reveal
from policies.heuristic.words import (
    content_words,
    kind_nouns,
    mask_quotes,
    quoted_in,
    read_ordinal,
    unmask,
    without_ordinals,
)

_CLICK = "click|press|push|hit|tap|open|focus|activate|follow|go to|switch to|close|toggle"
_CHOOSE = "select|choose|pick|check|tick|mark"
_FILL = "enter|type|write|input|fill in|fill|put"
_REMEMBER = "note down|note|remember|memorize|memorise|write down|read|keep"
_REVEAL = "expand|navigate|switch between|find|look for|unfold"
_END = "submit|log in|login|sign in"
_PAUSE = "wait"
_ALL = "|".join((_PAUSE, _REMEMBER, _CLICK, _CHOOSE, _FILL, _REVEAL, _END))
_SENTENCE = re.compile(r"[.;!?](?:\s+|$)")
_STARTS = rf"(?:{_ALL}|go on|go|use|copy|paste|drag)\b"
_JOINT = re.compile(rf",?\s+(?:and\s+then|then|and|to|finally)\s+(?={_STARTS})|,\s+(?={_STARTS})", re.IGNORECASE)
_VERB = re.compile(
    rf"^(?:(?:please|now|first|finally|next|then|and)\b,?\s*)*(?P<verb>{_ALL})\b\s*(?P<rest>.*)$", re.IGNORECASE
)
_FROM_LIST = re.compile(r"\s+(?:from|in|on|with|using)\s+(?:the|a)\s+(?P<what>[\w\s-]*)$", re.IGNORECASE)
_LIST_NOUNS = frozenset({"list", "dropdown", "menu", "select", "combobox"})
_NO_NAME = re.compile(r"(?:nothing$|it\b|them\b)", re.IGNORECASE)
_TAIL = re.compile(r"\s+(?:when|once|after|before|as soon as|to finish|to continue)\b.*$", re.IGNORECASE)
_VALUE_OF = re.compile(
    r"^(?:the\s+)?(?:(?:value|code|number|text|content|name)\s+)?(?:of|for|next to|beside|shown as|called|under)\s+",
    re.IGNORECASE,
)
_WHERE = re.compile(r"\s+(?:on|from|in|at|shown|that|which|given)\b.*$", re.IGNORECASE)


def read_goal(text: str) -> tuple[Part, ...]:
    """Return the parts of a task, in order."""
    masked, quotes = mask_quotes(" ".join(text.split()))
    parts: list[Part] = []
    for clause in _clauses(masked):
        parts.extend(_read_clause(clause, quotes, parts))
    needs_reveal = len([part for part in parts if not isinstance(part, Reveal)]) == 0 or not _is_searching(masked)
    return tuple(part for part in parts if needs_reveal or not isinstance(part, Reveal))


def _is_searching(text: str) -> bool:
    """Return whether the text says to find something: then what hides it is opened only as far as needed."""
    return re.search(r"\bfind\b|\blook for\b|\bswitch between\b", text, re.IGNORECASE) is not None


def _clauses(masked: str) -> list[str]:
    sentences = [sentence for sentence in _SENTENCE.split(masked) if sentence.strip()]
    return [clause.strip(" ,") for sentence in sentences for clause in _JOINT.split(sentence)]


def _read_clause(clause: str, quotes: tuple[str, ...], before: list[Part]) -> list[Part]:
    found = _VERB.match(clause)
    if found is None or re.search(r"\buntil\b", clause, re.IGNORECASE):
        # What is repeated until something shows is done while looking for that.
        return []
    verb, rest = found["verb"].casefold(), _TAIL.sub("", found["rest"]).strip()
    if verb == _PAUSE:
        seconds = re.match(r"(?:for\s+)?([0-9]{1,2})\s*s", rest)
        return [] if seconds is None else [Pause(seconds=int(seconds[1]))]
    if re.fullmatch(_REMEMBER, verb):
        return _read_remember(rest, quotes)
    if re.fullmatch(_FILL, verb):
        noted = [part.field for part in before if isinstance(part, Remember)]
        return list(read_fills(rest, quotes, noted))
    if re.fullmatch(_CHOOSE, verb):
        return _read_choose(rest, quotes)
    if re.fullmatch(_END, verb):
        return [Click(names=(verb,), kinds=frozenset({"button"}))]
    if re.fullmatch(_REVEAL, verb):
        kinds = kind_nouns(rest)
        return [Reveal(kinds=kinds)] if verb in {"expand", "unfold"} else []
    return [_read_click(verb, rest, quotes)]


def _read_remember(rest: str, quotes: tuple[str, ...]) -> list[Part]:
    quoted = quoted_in(rest, quotes)
    if quoted:
        return [Remember(field=quoted[0])]
    field = _WHERE.sub("", _VALUE_OF.sub("", rest)).strip()
    field = re.sub(r"^(?:the|a|an)\s+", "", field, flags=re.IGNORECASE)
    return [Remember(field=field)] if field else []


def _read_click(verb: str, rest: str, quotes: tuple[str, ...]) -> Click:
    kinds, quoted, ordinal = kind_nouns(rest), quoted_in(rest, quotes), read_ordinal(rest)
    if quoted and "widget" in rest and kind_nouns(quoted[0]):
        return Click(names=(), kinds=kind_nouns(quoted[0]))
    if quoted:
        return Click(names=quoted[-1:], kinds=kinds, ordinal=ordinal, is_quoted=True)
    bare = re.sub(r"^(?:(?:on|onto|into|at|to|the|a|an)\s+)+", "", rest, flags=re.IGNORECASE)
    inner = content_words(without_ordinals(rest))
    if verb == "close" and not inner:
        return Click(names=("close", "x"), kinds=kinds)
    names = tuple(dict.fromkeys(name for name in (bare, inner) if name)) if inner else ()
    return Click(names=names, kinds=kinds, ordinal=ordinal)


def _read_choose(rest: str, quotes: tuple[str, ...]) -> list[Part]:
    source = _FROM_LIST.search(rest)
    what = source["what"] if source is not None else ""
    listed = rest if source is None else rest[: source.start()]
    if "spinner" in what:
        return list(read_fills(f"{listed} into the field", quotes, []))
    ordinal = read_ordinal(listed)
    if ordinal is not None and kind_nouns(listed) and not quoted_in(listed, quotes):
        return [_read_click("select", listed, quotes)]
    if " > " in listed or re.fullmatch(r"[^>]+(>[^>]+)+", listed):
        return [Click(names=(unmask(name.strip(), quotes),)) for name in listed.split(">")]
    is_list = bool(_LIST_NOUNS & set(what.casefold().split()))
    between = r",\s*" if is_list else r",\s*(?:and\s+)?|\s+and\s+"  # options of lists are often names with an "and"
    names = [unmask(name, quotes).strip() for name in re.split(between, listed)]
    return [Choose(name=name, is_from_list=is_list) for name in names if name and not _NO_NAME.match(name)]
