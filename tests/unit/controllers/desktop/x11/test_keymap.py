from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.controllers.desktop.x11.keymap import BLANK_KEY, SHIFT, Key, Keymap, KeyType, Stroke, key_with

pytestmark = [pytest.mark.req("R-ACT-1")]
CAPS = 2
ONE_LEVEL = KeyType(mask=0, levels={})
TWO_LEVEL = KeyType(mask=SHIFT, levels={SHIFT: 1})
ALPHABETIC = KeyType(mask=SHIFT | CAPS, levels={SHIFT: 1, CAPS: 1})
TYPES = (ONE_LEVEL, TWO_LEVEL, ALPHABETIC)
LETTER = Key(types=(2, 2, 0, 0), group_info=2, width=2, symbols=(ord("a"), ord("A"), 0x6C6, 0x6E6))
DIGIT = Key(types=(1, 0, 0, 0), group_info=1, width=2, symbols=(ord("1"), ord("!")))


def keymap(keys: dict[int, Key]) -> Keymap:
    return Keymap(types=TYPES, keys=keys)


def packed_type(mask: int, entries: list[tuple[int, int, int]], *, has_preserved: bool) -> bytes:
    head = struct.pack("=BBHBBBB", mask, mask, 0, 2, len(entries), has_preserved, 0)
    body = b"".join(struct.pack("=BBBBHH", active, mods, level, mods, 0, 0) for active, mods, level in entries)
    return head + body + bytes(4 * len(entries) * has_preserved)


def test_an_answer_of_the_server_is_read() -> None:
    types = packed_type(0, [], has_preserved=False) + packed_type(
        SHIFT | CAPS, [(1, SHIFT, 1), (0, CAPS, 1)], has_preserved=True
    )
    read = Keymap.parse(types + LETTER.packed() + BLANK_KEY.packed(), type_count=2, first_code=38, key_count=2)
    assert read.types == (ONE_LEVEL, KeyType(mask=SHIFT | CAPS, levels={SHIFT: 1}))
    assert read.keys == {38: LETTER, 39: BLANK_KEY}


@pytest.mark.parametrize(
    ("group_info", "active", "group"),
    [(0x02, 0, 0), (0x02, 1, 1), (0x02, 3, 1), (0x42, 3, 1), (0x41, 3, 0), (0x92, 3, 1), (0xB2, 3, 0), (0x01, 2, 0)],
)
def test_a_group_beyond_those_of_a_key_wraps_clamps_or_is_redirected(group_info: int, active: int, group: int) -> None:
    assert Key(types=(0, 0, 0, 0), group_info=group_info, width=1, symbols=(1, 2)).group(active) == group


@pytest.mark.parametrize(
    ("group", "modifiers", "symbol"),
    [(0, 0, ord("a")), (0, SHIFT, ord("A")), (0, CAPS, ord("A")), (0, SHIFT | CAPS, ord("a")), (1, 0, 0x6C6)],
)
def test_what_a_key_means(group: int, modifiers: int, symbol: int) -> None:
    assert keymap({38: LETTER}).symbol(38, group=group, modifiers=modifiers) == symbol


def test_strokes_follow_group_and_locks() -> None:
    keys = keymap({10: DIGIT, 38: LETTER})
    plain = keys.strokes(group=0, locked=0)
    assert plain[ord("a")] == Stroke(code=38)
    assert plain[ord("!")] == Stroke(code=10, is_shifted=True)
    assert 0x6C6 not in plain
    assert keys.strokes(group=1, locked=0)[0x6C6] == Stroke(code=38)
    assert keys.strokes(group=0, locked=CAPS)[ord("a")] == Stroke(code=38, is_shifted=True)


def test_a_key_that_people_have_is_preferred_even_with_shift() -> None:
    comma = Key(types=(1, 0, 0, 0), group_info=1, width=2, symbols=(ord(","), ord("<")))
    only_on_iso_keyboards = Key(types=(1, 0, 0, 0), group_info=1, width=2, symbols=(ord("<"), ord(">")))
    strokes = keymap({59: comma, 94: only_on_iso_keyboards}).strokes(group=0, locked=0)
    assert strokes[ord("<")] == Stroke(code=59, is_shifted=True)
    assert strokes[ord(">")] == Stroke(code=94, is_shifted=True)


def test_blank_keys_are_those_without_meaning() -> None:
    nothing = Key(types=(0, 0, 0, 0), group_info=1, width=1, symbols=(0,))
    assert list(keymap({8: BLANK_KEY, 9: DIGIT, 10: nothing}).blank_codes()) == [8, 10]


@given(st.integers(1, 2**29), st.integers(1, 2**29), st.integers(0, 3))
def test_a_lent_key_means_the_same_in_every_group(plain: int, shifted: int, group: int) -> None:
    lent = keymap({8: key_with(plain, shifted)})
    assert lent.symbol(8, group=group, modifiers=0) == plain
    assert lent.symbol(8, group=group, modifiers=SHIFT) == shifted
    assert Keymap.parse(lent.keys[8].packed(), type_count=0, first_code=8, key_count=1).keys == lent.keys
