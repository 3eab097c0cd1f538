from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.controllers.aim import CallFailed
from harness.controllers.desktop.x11.keymap import SHIFT, Keymap, KeyType, Stroke
from harness.controllers.desktop.x11.keysyms import char_symbol
from harness.controllers.desktop.x11.typing_plan import Batch, check_typable, key_events, plan_batches

pytestmark = [pytest.mark.req("R-ACT-1"), pytest.mark.case("G15")]
DIRECT = {ord("a"): Stroke(code=38), ord("A"): Stroke(code=38, is_shifted=True), 0xFF0D: Stroke(code=36)}
SPARE = (8, 93, 97)
SHIFT_CODE = 50
TYPES = (KeyType(mask=0, levels={}), KeyType(mask=SHIFT, levels={SHIFT: 1}))
TEXTS = st.text(st.sampled_from("aA\néß中я😀\u200d\u0301xyz"), max_size=60)


def typed(batches: list[Batch]) -> list[int]:
    """Return the keysyms that come of pressing a plan's keys."""
    plain = {code: symbol for symbol, stroke in DIRECT.items() for code in [stroke.code] if not stroke.is_shifted}
    meant: list[int] = []
    for batch in batches:
        keymap = Keymap(types=TYPES, keys=dict(batch.spare_keys))
        is_shifted = False
        for is_down, code in key_events(batch.strokes, SHIFT_CODE):
            if code == SHIFT_CODE:
                is_shifted = is_down
            elif is_down and code in plain:
                meant.append(ord("A") if is_shifted and plain[code] == ord("a") else plain[code])
            elif is_down:
                meant.append(keymap.symbol(code, group=0, modifiers=SHIFT if is_shifted else 0))
        assert not is_shifted
    return meant


@given(TEXTS)
def test_pressing_the_planned_keys_gives_the_text(text: str) -> None:
    assert typed(plan_batches(text, direct=DIRECT, spare_codes=SPARE)) == [char_symbol(char) for char in text]


@given(TEXTS)
def test_without_shift_too(text: str) -> None:
    unshifted = {symbol: stroke for symbol, stroke in DIRECT.items() if not stroke.is_shifted}
    batches = plan_batches(text, direct=unshifted, spare_codes=SPARE, has_shift=False)
    assert not any(stroke.is_shifted for batch in batches for stroke in batch.strokes)
    assert typed(batches) == [char_symbol(char) for char in text]


@given(TEXTS)
def test_a_batch_ends_only_when_no_spare_key_is_left(text: str) -> None:
    batches = plan_batches(text, direct=DIRECT, spare_codes=SPARE)
    assert "".join("." * len(batch.strokes) for batch in batches) == "." * len(text)
    for batch in batches[:-1]:
        assert len({symbol for key in batch.spare_keys.values() for symbol in key.symbols}) == 2 * len(SPARE)


def test_what_the_keyboard_has_needs_no_spare_key() -> None:
    assert [batch.spare_keys for batch in plan_batches("aAa\n", direct=DIRECT, spare_codes=())] == [{}]


def test_a_keyboard_without_spare_keys_says_what_it_can_not_type() -> None:
    with pytest.raises(CallFailed, match=r"no key for U\+00E9 \(latin small letter e with acute\), U\+042F"):
        plan_batches("aéЯé", direct=DIRECT, spare_codes=())


def test_shift_stays_down_over_neighbours() -> None:
    strokes = [Stroke(code=1, is_shifted=True), Stroke(code=2, is_shifted=True), Stroke(code=3)]
    assert list(key_events(strokes, SHIFT_CODE)) == [
        *((True, SHIFT_CODE), (True, 1), (False, 1), (True, 2), (False, 2)),
        *((False, SHIFT_CODE), (True, 3), (False, 3)),
    ]


def test_text_that_no_keyboard_types_is_refused() -> None:
    check_typable("Grêmio São €100\n\t")
    with pytest.raises(CallFailed, match=r"can't be typed: U\+0007 .a control character.; nothing was typed"):
        check_typable("ab\x07")
