"""What the keys of an X keyboard mean, as XKB describes them. Pure: bytes in, values out.

Key code: what a key sends. Keysym: what it means. A key has up to four groups (layouts), each with levels (Shift and
the like); its type says which modifiers choose which level.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Final

SHIFT: Final = 1
NO_SYMBOL: Final = 0
# What becomes of a group that a key lacks; any other value: it wraps around.
_CLAMP: Final = 0x40
_REDIRECT: Final = 0x80
_OUT_OF_RANGE: Final = 0xC0
# Every XKB keyboard has this type at this place: two levels, the second with Shift.
_TWO_LEVEL: Final = 1
# Escape to the space bar in the key codes of every X server on Linux.
_LAST_USUAL_CODE: Final = 65


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyType:
    """Which modifiers choose which level.

    Attributes:
        mask: The modifiers that matter.
        levels: Modifiers to level, counted from 0; others choose level 0.
    """

    mask: int
    levels: Mapping[int, int]

    def level(self, modifiers: int) -> int:
        """Return the level that these modifiers choose."""
        return self.levels.get(modifiers & self.mask, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key.

    Attributes:
        types: Index of the type of each group.
        group_info: Number of groups, and what becomes of a group beyond them.
        width: Levels of the widest group.
        symbols: Keysyms, `width` for each group.
    """

    types: tuple[int, int, int, int]
    group_info: int
    width: int
    symbols: tuple[int, ...]

    @property
    def group_count(self) -> int:
        """The number of groups; 0 for a key without meaning."""
        return self.group_info & 0x0F

    def group(self, active: int) -> int:
        """Return which of this key's groups counts while `active` is the keyboard's."""
        count = self.group_count
        if active < count:
            return active
        beyond = self.group_info & _OUT_OF_RANGE
        if beyond == _CLAMP:
            return count - 1
        if beyond == _REDIRECT:
            target = (self.group_info >> 4) & 0x03
            return target if target < count else 0
        return active % count

    def symbol(self, group: int, level: int) -> int:
        """Return the keysym of a level of one of its groups; 0 for none."""
        return self.symbols[group * self.width + level] if level < self.width else NO_SYMBOL

    def packed(self) -> bytes:
        """Return it as the protocol carries it."""
        head = struct.pack("=4BBBH", *self.types, self.group_info, self.width, len(self.symbols))
        return head + struct.pack(f"={len(self.symbols)}I", *self.symbols)


BLANK_KEY: Final = Key(types=(0, 0, 0, 0), group_info=0, width=0, symbols=())


def key_with(plain: int, shifted: int) -> Key:
    """Return a key that means `plain` alone and `shifted` with Shift, in whatever group."""
    return Key(types=(_TWO_LEVEL, 0, 0, 0), group_info=1, width=2, symbols=(plain, shifted))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """A key to press, and whether Shift has to be down."""

    code: int
    is_shifted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Keymap:
    """All keys of a keyboard.

    Attributes:
        types: The key types, which keys name by index.
        keys: Key code to key.
    """

    types: tuple[KeyType, ...]
    keys: Mapping[int, Key]

    @classmethod
    def parse(cls, data: bytes, *, type_count: int, first_code: int, key_count: int) -> Keymap:
        """Read the answer of an XKB server."""
        at = 0
        types = []
        for _ in range(type_count):
            key_type, at = _parse_type(data, at)
            types.append(key_type)
        keys = {}
        for code in range(first_code, first_code + key_count):
            keys[code], at = _parse_key(data, at)
        return cls(types=tuple(types), keys=keys)

    def symbol(self, code: int, *, group: int, modifiers: int) -> int:
        """Return what a key means in the keyboard's group with these modifiers; 0 for nothing."""
        key = self.keys[code]
        if not key.group_count:
            return NO_SYMBOL
        own_group = key.group(group)
        return key.symbol(own_group, self.types[key.types[own_group]].level(modifiers))

    def strokes(self, *, group: int, locked: int) -> dict[int, Stroke]:
        """Return how each keysym is typed with no other modifier than Shift; without Shift where both ways do.

        Keys that a person would use come first: applications that look at key codes, such as viewers of other
        machines, know those. A US keymap also has `<` and `(` on keys that US keyboards lack.

        Args:
            group: The active group.
            locked: Modifiers that stay locked meanwhile, as a mask.
        """
        found: dict[int, Stroke] = {}
        usual = [code for code in self.keys if code <= _LAST_USUAL_CODE]
        others = [code for code in self.keys if code > _LAST_USUAL_CODE]
        for codes, is_shifted in product((usual, others), (False, True)):
            modifiers = locked | (SHIFT if is_shifted else 0)
            for code in codes:
                symbol = self.symbol(code, group=group, modifiers=modifiers)
                found.setdefault(symbol, Stroke(code=code, is_shifted=is_shifted))
        found.pop(NO_SYMBOL, None)
        return found

    def blank_codes(self) -> Iterator[int]:
        """Yield the codes of keys that mean nothing."""
        for code, key in self.keys.items():
            if not any(key.symbols):
                yield code


def _parse_type(data: bytes, at: int) -> tuple[KeyType, int]:
    mask, entry_count, has_preserved = struct.unpack_from("=B4xBBx", data, at)
    at += 8
    entries = struct.iter_unpack("=BBB5x", data[at : at + 8 * entry_count])
    levels = {modifiers: level for is_active, modifiers, level in entries if is_active}
    return KeyType(mask=mask, levels=levels), at + entry_count * (12 if has_preserved else 8)


def _parse_key(data: bytes, at: int) -> tuple[Key, int]:
    one, two, three, four, group_info, width, count = struct.unpack_from("=4BBBH", data, at)
    at += 8
    symbols = struct.unpack_from(f"={count}I", data, at)
    return Key(types=(one, two, three, four), group_info=group_info, width=width, symbols=symbols), at + 4 * count
