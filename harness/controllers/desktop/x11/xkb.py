"""The keyboard of an X server: its keymap and its locks, read and changed through XKB."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from harness.controllers.desktop.x11 import xkb_wire
from harness.controllers.desktop.x11.keymap import Key, Keymap
from harness.errors import ControllerError


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyboardState:
    """The modifiers and the group that are in force, each modifier set as a mask."""

    held: int
    latched: int
    locked: int
    group: int


class XkbKeyboard:
    """Reads and changes the core keyboard."""

    def __init__(self, display: Display) -> None:
        """Raise `ControllerError` when the server has no XKB."""
        self._display = display
        extension = display.query_extension(xkb_wire.EXTENSION)
        if extension is None:
            raise ControllerError("the X server has no XKEYBOARD extension; use another server, or a virtual desktop")
        self._opcode = extension.major_opcode
        xkb_wire.UseExtension(display=display.display, opcode=self._opcode, major=1, minor=0)

    def state(self) -> KeyboardState:
        """Return what is in force now."""
        answer = xkb_wire.GetState(display=self._display.display, opcode=self._opcode, device=xkb_wire.CORE_KEYBOARD)
        return KeyboardState(
            held=answer.base_modifiers,
            latched=answer.latched_modifiers,
            locked=answer.locked_modifiers,
            group=answer.group,
        )

    def lock(self, modifiers: int, *, among: int) -> None:
        """Lock exactly `modifiers` among the modifiers `among`, and undo their latches."""
        xkb_wire.LatchLockState(
            display=self._display.display,
            opcode=self._opcode,
            device=xkb_wire.CORE_KEYBOARD,
            affected_locks=among,
            locks=modifiers,
            is_group_locked=False,
            group_lock=0,
            affected_latches=among,
            latches=0,
            is_group_latched=False,
            group_latch=0,
        )

    def read(self) -> Keymap:
        """Return what all keys mean now when they are pressed by XTEST.

        Each keyboard of a server has a keymap of its own, and that of the one used last is in force. So the one that
        XTEST's keys come from is used first: a key that is up is released, which no application gets to see.
        """
        xtest.fake_input(self._display, X.KeyRelease, self._display.display.info.max_keycode)
        answer = xkb_wire.GetMap(
            display=self._display.display,
            opcode=self._opcode,
            device=xkb_wire.CORE_KEYBOARD,
            full=xkb_wire.TYPES_AND_SYMBOLS,
        )
        return Keymap.parse(
            bytes(answer.data), type_count=answer.type_count, first_code=answer.first_key, key_count=answer.key_count
        )

    def change(self, keys: Mapping[int, Key]) -> None:
        """Replace some keys, all in one change.

        Each change makes every application and the window manager read the keymap again, which takes some of them
        70 ms: so one for many keys, with the keys between them as they are.
        """
        keymap = self.read()
        first, last = min(keys), max(keys)
        run = [keys.get(code, keymap.keys[code]) for code in range(first, last + 1)]
        xkb_wire.SetMap(
            display=self._display.display,
            opcode=self._opcode,
            device=xkb_wire.CORE_KEYBOARD,
            present=xkb_wire.SYMBOLS,
            flags=0,
            first_code=min(keymap.keys),
            last_code=max(keymap.keys),
            first_key=first,
            key_count=len(run),
            symbol_count=sum(len(key.symbols) for key in run),
            data=b"".join(key.packed() for key in run),
        )
