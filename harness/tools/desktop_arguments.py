"""The arguments of the tools that only a desktop has."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictStr

from harness.tools.arguments import MAX_TEXT_CHARS, FromZero, Word
from harness.tools.device_arguments import DeviceArguments
from harness.tools.pointing import Sighted
from harness.values.action import FocusWindow, Launch, ListWindows, ReadClipboard, WriteClipboard


class LaunchArguments(DeviceArguments):
    """Start an application. Only those of a fixed list can be started."""

    app: Annotated[Word, Field(description="Its name in the list.")]

    def action(self, sighted: Sighted) -> Launch:
        """Return the start."""
        return Launch(app=sighted.app(self.app))


class ListWindowsArguments(DeviceArguments):
    """List the open windows, front to back, with their numbers."""

    def action(self, sighted: Sighted) -> ListWindows:
        """Return the listing."""
        return ListWindows()


class FocusWindowArguments(DeviceArguments):
    """Bring a window to the front and give it the keyboard."""

    window: Annotated[FromZero, Field(description="Number of a window on the newest screen.")]

    def action(self, sighted: Sighted) -> FocusWindow:
        """Return the change of focus."""
        return FocusWindow(window=sighted.window(self.window))


class ReadClipboardArguments(DeviceArguments):
    """Read the text on the clipboard."""

    def action(self, sighted: Sighted) -> ReadClipboard:
        """Return the reading."""
        return ReadClipboard()


class WriteClipboardArguments(DeviceArguments):
    """Put text on the clipboard, in place of what is there."""

    text: Annotated[StrictStr, Field(max_length=MAX_TEXT_CHARS, description="The exact text.")]

    def action(self, sighted: Sighted) -> WriteClipboard:
        """Return the writing."""
        return WriteClipboard(text=self.text)
