"""The keyboard of a page: chords by canonical name, and exact text."""

from __future__ import annotations

from typing import Final

from playwright.async_api import Page

MODIFIERS: Final = frozenset({"Alt", "Control", "Meta", "Shift"})
NAMED_KEYS: Final = frozenset(
    {
        "ArrowDown",
        "ArrowLeft",
        "ArrowRight",
        "ArrowUp",
        "Backspace",
        "CapsLock",
        "ContextMenu",
        "Delete",
        "End",
        "Enter",
        "Escape",
        "Home",
        "Insert",
        "NumLock",
        "PageDown",
        "PageUp",
        "Pause",
        "PrintScreen",
        "ScrollLock",
        "Space",
        "Tab",
        *(f"F{number}" for number in range(1, 13)),
    }
)
_LAYOUT: Final = frozenset(chr(code) for code in range(0x20, 0x7F))
LONG_TEXT_CHARS: Final = 400


class Keyboard:
    """Presses keys on a page and remembers what it holds, so that everything can be released.

    A call that is cut off releases nothing by itself, for a page that hangs would hold it up again: the owner calls
    `release` with a deadline.
    """

    def __init__(self) -> None:
        self._held: list[tuple[Page, str]] = []

    async def hold(self, page: Page, keys: tuple[str, ...]) -> None:
        """Press keys down in order."""
        for key in keys:
            # Recorded first: a call that is cut off may still have reached the page.
            self._held.append((page, key))
            await page.keyboard.down(key)

    async def release(self) -> None:
        """Release what is held, last pressed first."""
        while self._held:
            page, key = self._held[-1]
            if not page.is_closed():
                await page.keyboard.up(key)
            self._held.pop()

    async def press(self, page: Page, keys: tuple[str, ...]) -> None:
        """Press keys as one chord: all down in order, all up in reverse."""
        if len(keys) == 1 and keys[0] not in NAMED_KEYS | _LAYOUT | MODIFIERS:
            await page.keyboard.insert_text(keys[0])
            return
        await self.hold(page, keys)
        await self.release()

    async def type_text(self, page: Page, text: str) -> None:
        """Type exactly `text`: a line break or tab is inserted as a character, never sent as a key.

        Long text is inserted at once, and its last character typed, so that pages which listen for keys wake up.
        """
        head, tail = (text[:-1], text[-1:]) if len(text) > LONG_TEXT_CHARS else ("", text)
        if head:
            await page.keyboard.insert_text(head)
        for run in split_runs(tail):
            if run[0] in _LAYOUT:
                await page.keyboard.type(run)
            else:
                await page.keyboard.insert_text(run)


def unknown_keys(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys of a chord that this keyboard does not have.

    A character outside the US layout is a key only by itself: it can be inserted but not held.
    """
    known = NAMED_KEYS | _LAYOUT | MODIFIERS
    if len(keys) == 1 and len(keys[0]) == 1 and keys[0].isprintable():
        return ()
    return tuple(key for key in keys if key not in known)


def known_names() -> str:
    """Return the names that `unknown_keys` accepts, for an error text."""
    return ", ".join(
        [
            "a single character",
            *sorted(MODIFIERS),
            *sorted(NAMED_KEYS - {f"F{number}" for number in range(2, 13)}),
            "F2-F12",
        ]
    )


def split_runs(text: str) -> list[str]:
    """Return a text in runs that are either all keys of the US layout or all other characters."""
    runs: list[str] = []
    for char in text:
        if runs and (char in _LAYOUT) == (runs[-1][0] in _LAYOUT):
            runs[-1] += char
        else:
            runs.append(char)
    return runs
