"""Starts the applications of the suite and waits until their windows are open."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.protocols.suites import SuiteDesktop


async def open_mousepad(desktop: SuiteDesktop, document: Path) -> int:
    """Open a document in a Mousepad of its own and return its process id."""
    process_id = await desktop.spawn(("mousepad", "--disable-server", str(document)))
    await desktop.wait_for_window(document.name)
    return process_id


async def open_featherpad(desktop: SuiteDesktop, document: Path, *, place: str | None = None) -> int:
    """Open a document in a FeatherPad of its own and return its process id.

    Args:
        desktop: The desktop.
        document: The document.
        place: Size and place of its window as X11 writes them, for example `640x480+20+10`; None lets it choose.
    """
    options = () if place is None else ("-qwindowgeometry", place)
    process_id = await desktop.spawn(("featherpad", "--standalone", str(document), *options))
    await desktop.wait_for_window(document.name)
    return process_id


async def open_folder(desktop: SuiteDesktop, folder: Path) -> int:
    """Open a folder in the file manager and return its process id."""
    process_id = await desktop.spawn(("pcmanfm", str(folder)))
    await desktop.wait_for_window(folder.name)
    return process_id


async def open_calculator(desktop: SuiteDesktop) -> int:
    """Open the calculator and return its process id."""
    process_id = await desktop.spawn(("galculator",))
    await desktop.wait_for_window("galculator")
    return process_id


async def open_dialog(desktop: SuiteDesktop, title: str, options: Sequence[str], output: Path) -> int:
    """Open a zenity dialog that writes what is answered to `output`, and return its process id."""
    process_id = await desktop.spawn(("zenity", f"--title={title}", *options), stdout=output)
    await desktop.wait_for_window(title)
    return process_id
