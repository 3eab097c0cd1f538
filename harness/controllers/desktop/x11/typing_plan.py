"""Which keys to press for a text, and which spare keys must first mean something else. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.controllers.aim import CallFailed
from harness.controllers.desktop.x11.keymap import Key, Stroke, key_with
from harness.controllers.desktop.x11.keysyms import char_names, char_symbol, untypable


def check_typable(text: str) -> None:
    """Refuse what no keyboard types.

    Raises:
        CallFailed: the text names the characters.
    """
    refused = untypable(text)
    if refused:
        raise CallFailed(f"these characters can't be typed: {char_names(refused)}; nothing was typed, leave them out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A part of a text that is typed with one mapping of the spare keys.

    Attributes:
        spare_keys: What spare keys mean for it, by key code; empty when no spare key is needed.
        strokes: The keys to press, one for each character.
    """

    spare_keys: Mapping[int, Key]
    strokes: tuple[Stroke, ...]


def plan_batches(
    text: str, *, direct: Mapping[int, Stroke], spare_codes: Sequence[int], has_shift: bool = True
) -> list[Batch]:
    """Cut a text into as few batches as possible.

    Args:
        text: What `check_typable` accepts, line breaks as line feeds.
        direct: How each keysym is typed as the keyboard is.
        spare_codes: Keys that mean nothing; each takes two characters, the second with Shift.
        has_shift: Whether there is a Shift key; without one a spare key takes one character.

    Raises:
        CallFailed: the keyboard has neither a key nor a spare key for a character; the text names it.
    """
    symbols = [symbol for char in text if (symbol := char_symbol(char)) is not None]
    assert len(symbols) == len(text), "a character that no key types was not refused before"
    absent = tuple(dict.fromkeys(char for char, symbol in zip(text, symbols, strict=True) if symbol not in direct))
    if absent and not spare_codes:
        raise CallFailed(
            f"this keyboard has no key for {char_names(absent)} and no spare key to make one; nothing was typed, "
            "so put the text on the clipboard and paste it"
        )
    return list(_cut(symbols, direct, spare_codes, 2 if has_shift else 1))


def _cut(
    symbols: Sequence[int], direct: Mapping[int, Stroke], spare_codes: Sequence[int], levels: int
) -> Iterator[Batch]:
    # As long a batch as the spare keys allow, again and again, gives the fewest.
    strokes: list[Stroke] = []
    made: dict[int, Stroke] = {}
    for symbol in symbols:
        if symbol not in direct and symbol not in made:
            if len(made) == levels * len(spare_codes):
                yield Batch(spare_keys=_spare_keys(made), strokes=tuple(strokes))
                strokes, made = [], {}
            row, place = divmod(len(made), len(spare_codes))
            made[symbol] = Stroke(code=spare_codes[place], is_shifted=row == 1)
        strokes.append(direct.get(symbol) or made[symbol])
    if strokes:
        yield Batch(spare_keys=_spare_keys(made), strokes=tuple(strokes))


def _spare_keys(made: Mapping[int, Stroke]) -> dict[int, Key]:
    plain = {stroke.code: symbol for symbol, stroke in made.items() if not stroke.is_shifted}
    shifted = {stroke.code: symbol for symbol, stroke in made.items() if stroke.is_shifted}
    return {code: key_with(symbol, shifted.get(code, symbol)) for code, symbol in plain.items()}


def key_events(strokes: Iterable[Stroke], shift_code: int) -> Iterator[tuple[bool, int]]:
    """Yield what happens on the keyboard: True and a key code when that key goes down, False when it comes up.

    Shift stays down over strokes that need it, and is up at the end.
    """
    is_shifted = False
    for stroke in strokes:
        if stroke.is_shifted != is_shifted:
            is_shifted = stroke.is_shifted
            yield is_shifted, shift_code
        yield True, stroke.code
        yield False, stroke.code
    if is_shifted:
        yield False, shift_code
