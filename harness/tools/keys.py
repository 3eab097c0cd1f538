"""Key names: every common spelling becomes one canonical name, and every spelling of a chord one tuple.

Canonical names are those of the browser's own events, as Playwright uses them: `Control`, `Shift`, `Alt`, `Meta`,
`Enter`, `ArrowLeft`, `PageDown`, `F5`, `Space`, and single characters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Final

from harness.tools.problem import CallProblem, show

MODIFIERS: Final = ("Control", "Alt", "AltGraph", "Shift", "Meta")
MAX_KEYS: Final = 8
_SPELLINGS: Final = {
    "Control": "ctrl ctl controlleft controlright controll controlr ctrlleft ctrlright",
    "Shift": "shiftleft shiftright shiftl shiftr",
    "Alt": "altleft altright altl altr option opt optionleft optionright",
    "AltGraph": "altgr isolevel3shift",
    "Meta": "cmd command super win windows metaleft metaright metal metar superl superr winleft winright cmdleft "
    "cmdright",
    "Enter": "return ret kpenter numpadenter",
    "Escape": "esc",
    "Backspace": "bksp bkspace",
    "Delete": "del kpdelete",
    "Insert": "ins kpinsert",
    "Tab": "isolefttab kptab",
    "Space": "spacebar kpspace",
    "Home": "kphome",
    "End": "kpend",
    "PageUp": "pgup prior kpprior kppageup",
    "PageDown": "pgdn pgdown next kpnext kppagedown",
    "ArrowLeft": "left leftarrow kpleft",
    "ArrowRight": "right rightarrow kpright",
    "ArrowUp": "up uparrow kpup",
    "ArrowDown": "down downarrow kpdown",
    "CapsLock": "caps",
    "NumLock": "",
    "ScrollLock": "",
    "Pause": "break",
    "PrintScreen": "print prtsc prtscr prtscrn prntscrn sysrq",
    "ContextMenu": "menu apps",
    "+": "plus add kpadd numpadadd",
    "-": "minus hyphen dash subtract kpsubtract numpadsubtract",
    "*": "asterisk star multiply kpmultiply numpadmultiply",
    "/": "slash divide kpdivide numpaddivide",
    "\\": "backslash",
    ".": "period dot decimal kpdecimal numpaddecimal",
    ",": "comma kpseparator",
    ";": "semicolon",
    ":": "colon",
    "=": "equal equals equalsign kpequal",
    "_": "underscore",
    "'": "apostrophe quote singlequote",
    '"': "quotedbl doublequote",
    "`": "grave backquote backtick quoteleft",
    "~": "asciitilde tilde",
    "[": "bracketleft leftbracket",
    "]": "bracketright rightbracket",
    "{": "braceleft leftbrace",
    "}": "braceright rightbrace",
    "(": "parenleft leftparen",
    ")": "parenright rightparen",
    "<": "less lessthan",
    ">": "greater greaterthan",
    "!": "exclam exclamation",
    "?": "question questionmark",
    "@": "at",
    "#": "numbersign hash",
    "$": "dollar",
    "%": "percent",
    "^": "asciicircum caret",
    "&": "ampersand",
    "|": "bar pipe",
}
_CHARACTERS: Final = {"\n": "Enter", "\r": "Enter", "\t": "Tab", "\b": "Backspace", "\x1b": "Escape", " ": "Space"}


def _all_names() -> Iterator[tuple[str, str]]:
    for canonical, spellings in _SPELLINGS.items():
        if len(canonical) > 1:
            yield canonical.lower(), canonical
        for spelling in spellings.split():
            yield spelling, canonical
    for number in range(1, 13):
        yield f"f{number}", f"F{number}"
    for digit in "0123456789":
        for prefix in ("digit", "numpad", "kp", "num"):
            yield f"{prefix}{digit}", digit
    for letter in "abcdefghijklmnopqrstuvwxyz":
        yield f"key{letter}", letter


_NAMES: Final = dict(_all_names())


def read_chord(keys: str | Sequence[str]) -> tuple[str, ...]:
    """Return the canonical keys of one chord, modifiers first.

    Accepts `ctrl+a`, `Control+A`, `["CTRL", "A"]`, `ctrl++`, `ctrl-a`. In a chord with a modifier a letter means
    its key, so it becomes lower case; alone it keeps its case.

    Raises:
        CallProblem: a key is unknown or given twice, or the chord has no key or more than `MAX_KEYS`.
    """
    words = [word for item in ([keys] if isinstance(keys, str) else keys) for word in _split(item)]
    if not words:
        raise CallProblem("keys is empty; give one chord, for example 'Enter' or 'Control+a'")
    if len(words) > MAX_KEYS:
        raise CallProblem(f"keys holds {len(words)} keys, a chord has at most {MAX_KEYS}; type words with type_text")
    return _in_order([key_name(word) for word in words])


def key_name(word: str) -> str:
    """Return the canonical name of one key.

    Raises:
        CallProblem: no key has that name; the text lists close names.
    """
    single = unicodedata.normalize("NFC", word)
    if single in _CHARACTERS:
        return _CHARACTERS[single]
    if len(single) == 1 and single.isprintable():
        return single
    found = _NAMES.get(_plain(word))
    is_ambiguous = found in MODIFIERS and " " in word.strip()  # "alt left": the left Alt key, or Alt and ArrowLeft?
    if found is None or is_ambiguous:
        raise CallProblem(_unknown_text(word))
    return found


def _in_order(names: Sequence[str]) -> tuple[str, ...]:
    held = [name for name in names if name in MODIFIERS]
    others = [name for name in names if name not in MODIFIERS]
    if held:
        others = [name.lower() if len(name) == 1 and len(name.lower()) == 1 else name for name in others]
    chord = (*held, *others)
    twice = next((name for name in chord if chord.count(name) > 1), None)
    if twice is not None:
        raise CallProblem(f"key {show(twice)} is given twice; one call presses one chord, so call again to repeat it")
    return chord


def _split(item: str) -> Iterable[str]:
    """Split at `+`, where a `+` that stands alone, first or last after another `+` is the key itself."""
    text = item.strip(" ") or item[:1]
    if len(text) <= 1:
        return [text] if text else []
    if "+" not in text:
        return _split_dashes(text)
    body, plus = (text[:-2], ["+"]) if text.endswith("++") else (text, [])
    return [*(part.strip(" ") for part in body.split("+")), *plus] if body else plus


def _split_dashes(text: str) -> list[str]:
    first, dash, rest = text.partition("-")
    if not dash or not rest or _NAMES.get(_plain(first)) not in MODIFIERS:
        return [text]
    return [first, *([rest] if len(rest) == 1 else _split_dashes(rest))]


def _plain(word: str) -> str:
    return word.strip().lower().replace("_", "").replace("-", "").replace(" ", "")


def _unknown_text(word: str) -> str:
    if not word:
        return "keys has an empty key name; write a chord as 'Control+a', and the plus key as 'Control++'"
    close = get_close_matches(_plain(word)[:40], _NAMES, n=4, cutoff=0.5)
    canonical = list(dict.fromkeys(_NAMES[name] for name in close))
    hint = f"close names: {', '.join(canonical)}" if canonical else "no name is close"
    return (
        f"unknown key {show(word)}; {hint}. Valid are single characters, F1 to F12, Enter, Tab, Space, Escape, "
        "Backspace, Delete, Insert, Home, End, PageUp, PageDown, the Arrow keys, and Control, Shift, Alt, Meta"
    )
