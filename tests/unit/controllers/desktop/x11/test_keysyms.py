from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from Xlib import XK

from harness.controllers.desktop.x11.keysyms import (
    MODIFIER_SYMBOLS,
    NAMED_SYMBOLS,
    char_names,
    char_symbol,
    key_symbols,
    known_names,
    shifted_symbol,
    untypable,
)
from harness.tools.keys import MODIFIERS, key_name

pytestmark = [pytest.mark.req("R-ACT-1")]
XK.load_keysym_group("xkb")
X11_NAMES = {
    "Control": "Control_L",
    "Alt": "Alt_L",
    "AltGraph": "ISO_Level3_Shift",
    "Shift": "Shift_L",
    "Meta": "Super_L",
    "ArrowDown": "Down",
    "ArrowLeft": "Left",
    "ArrowRight": "Right",
    "ArrowUp": "Up",
    "Backspace": "BackSpace",
    "CapsLock": "Caps_Lock",
    "ContextMenu": "Menu",
    "Enter": "Return",
    "NumLock": "Num_Lock",
    "PageDown": "Next",
    "PageUp": "Prior",
    "PrintScreen": "Print",
    "ScrollLock": "Scroll_Lock",
    "Space": "space",
}


@pytest.mark.parametrize("name", [*MODIFIER_SYMBOLS, *NAMED_SYMBOLS])
def test_each_name_is_the_key_that_x_calls_so(name: str) -> None:
    assert key_symbols(name)[0] == XK.string_to_keysym(X11_NAMES.get(name, name))


def test_every_canonical_name_of_a_tool_call_is_a_key_here() -> None:
    assert set(MODIFIER_SYMBOLS) == set(MODIFIERS)
    spellings = [
        "esc",
        "pgdn",
        "left",
        "caps",
        "menu",
        "print",
        "f1",
        "f12",
        "space",
        "break",
        "del",
        "ins",
        "KP_Enter",
    ]
    for name in map(key_name, [*NAMED_SYMBOLS, *MODIFIERS, *spellings]):
        assert name in NAMED_SYMBOLS or name in MODIFIER_SYMBOLS
    assert all(key_name(shown) == shown for shown in known_names().split(", ") if shown.isalpha())


@pytest.mark.parametrize(
    ("char", "symbol"),
    [
        ("a", 0x61),
        ("é", 0xE9),
        ("€", 0x10020AC),
        ("\n", 0xFF0D),
        ("\t", 0xFF09),
        ("я", 0x100044F),
        ("😀", 0x101F600),
        ("\u200d", 0x100200D),
        ("\u0301", 0x1000301),
        ("\x07", None),
        ("\x7f", None),
        ("\x85", None),
        ("\ud83d", None),
        ("\ufffe", None),
        ("\U0010ffff", None),
        ("\ufdd0", None),
    ],
)
def test_the_keysym_of_a_character(char: str, symbol: int | None) -> None:
    assert char_symbol(char) == symbol


@given(st.characters(), st.characters())
def test_two_characters_never_share_a_keysym(one: str, other: str) -> None:
    assert one == other or char_symbol(one) is None or char_symbol(one) != char_symbol(other)


@pytest.mark.parametrize("key", ["", "ctrl", "ab", "\n", "\x07", "F13"])
def test_what_is_no_canonical_name_is_no_key(key: str) -> None:
    assert key_symbols(key) == ()


@pytest.mark.parametrize(("key", "symbol"), [("ö", 0xD6), ("ß", None), ("中", None), ("Enter", None), ("Ö", None)])
def test_the_capital_of_a_key(key: str, symbol: int | None) -> None:
    assert shifted_symbol(key) == symbol


def test_characters_that_no_key_types_are_named_once() -> None:
    refused = untypable("a\x07b\ud83dc\x07\uffff")
    assert (
        char_names(refused) == "U+0007 (a control character), U+D83D (half of a surrogate pair), U+FFFF (no character)"
    )
    assert char_names(tuple("\x01\x02\x03"), most=2).endswith("and 1 more")
    assert char_names(("я",)) == "U+044F (cyrillic small letter ya)"
