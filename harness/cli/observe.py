"""`transom observe`: one look at a page or a desktop, as files."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, cast
from urllib.parse import urlsplit

import typer

from harness import plugins
from harness.cli.desktop_option import SeenDesktopOption
from harness.cli.options import JsonOption
from harness.cli.size import parse_size
from harness.config.device import OWN_OBSERVERS
from harness.errors import ControllerError, UsageError
from harness.protocols import ControllerFactory, ControllerSpec, DeviceStart, OverlayPainter
from harness.store.atomic import storage_errors, write_whole
from harness.values.desktop import window_line
from harness.values.frame import Capture
from harness.values.geometry import Size
from harness.values.mark import Mark, quote_title
from harness.values.observation import Observation, Sight

MARKS_SCHEMA = "transom/marks/1"
OBSERVE_SCHEMA = "transom/observe/1"
CLEAN_FILE = "clean.png"
MARKS_FILE = "marks.png"
LIST_FILE = "marks.json"
_SCHEMES = frozenset({"http", "https", "file", "data", "about"})
_NATIVE = Size(width_px=32_768, height_px=32_768)  # larger than any screen: files keep the captured pixels
_MAX_SIDE_PX = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What was written.

    Attributes:
        directory: Where the files are.
        files: Their names.
        observation: What the page or desktop showed.
    """

    directory: Path
    files: tuple[str, ...]
    observation: Observation


def observe_command(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the files go; made when missing.")],
    url: Annotated[str | None, typer.Argument(metavar="URL", help="The page to look at.")] = None,
    desktop: SeenDesktopOption = None,
    monitor: Annotated[
        int, typer.Option("--monitor", min=0, metavar="N", help="Monitor of a desktop; 1 is the first, 0 all of them.")
    ] = 1,
    viewport: Annotated[
        str, typer.Option("--viewport", metavar="WxH", help="Size of a page in CSS pixels, or of a virtual desktop.")
    ] = "1280x800",
    device_scale: Annotated[
        float | None,
        typer.Option(
            "--device-scale", min=0.25, max=8.0, metavar="F", help="Physical pixels per unit; 1 for a page by default."
        ),
    ] = None,
    no_marks: Annotated[bool, typer.Option("--no-marks", help="Only clean.png; the list of marks is empty.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Look once at a page or a desktop: clean.png, marks.png with numbered elements, and marks.json.

    Examples: transom observe https://example.org --out look --viewport 1024x768 · transom observe --desktop --out look
    """
    size = parse_size(viewport, option="--viewport", unit="CSS pixels", max_side_px=_MAX_SIDE_PX)
    if desktop is not None:
        _refuse_url(url)
        spec = ControllerSpec(
            kind="desktop", display=desktop, viewport=size, device_scale=device_scale, monitor=monitor
        )
    else:
        url = check_url(url)
        spec = ControllerSpec(kind="web", viewport=size, device_scale=device_scale or 1.0)
    observed = asyncio.run(observe_device(url, out, spec, has_marks=not no_marks))
    typer.echo(_as_json(observed) if as_json else _as_text(observed))


def _refuse_url(url: str | None) -> None:
    if url is not None:
        raise UsageError(f"a desktop opens no URL, got {url!r}; leave out --desktop to look at the page")


def check_url(url: str | None) -> str:
    """Return `url` when a browser can open it.

    Raises:
        UsageError: there is none, or its scheme is missing or none that shows a page.
    """
    if url is None:
        raise UsageError("there is nothing to look at; give a URL, or --desktop for the screen of this machine")
    scheme = urlsplit(url).scheme.lower()
    if scheme not in _SCHEMES:
        raise UsageError(f"the URL needs a scheme of {', '.join(sorted(_SCHEMES))}, got {url!r}; write https://{url}")
    return url


async def observe_device(url: str | None, out: Path, spec: ControllerSpec, *, has_marks: bool) -> Observed:
    """Open a page or a desktop, look once, and write the files into `out`, each whole or not at all.

    Without marks an older marks.png in `out` is removed, so the files belong together.

    Raises:
        ControllerError: the device can't be opened or gave no screenshot.
        StorageError: a file can't be written.
    """
    sight = await _look(url, spec, has_marks=has_marks)
    capture = sight.capture
    if capture is None:
        place = f"monitor {spec.monitor}" if url is None else repr(url)
        raise ControllerError(f"no screenshot of {place}: {sight.observation.error}; try again")
    marks = sight.observation.marks
    contents = {CLEAN_FILE: capture.image}
    if has_marks:
        painter = cast("type[OverlayPainter]", plugins.load("transom.observers", "overlays"))()
        contents[MARKS_FILE] = painter.draw_marks(capture.image, marks)
    contents[LIST_FILE] = json.dumps(marks_document(capture, marks), ensure_ascii=False, indent=2).encode() + b"\n"
    _write(out, contents)
    return Observed(directory=out, files=tuple(contents), observation=sight.observation)


async def _look(url: str | None, spec: ControllerSpec, *, has_marks: bool) -> Sight:
    create = cast("ControllerFactory", plugins.load("transom.controllers", spec.kind))
    controller = create(spec)
    observers = OWN_OBSERVERS[spec.kind] if has_marks else ()
    try:
        return await controller.open(DeviceStart(url=url, max_sent=_NATIVE), observers)
    finally:
        await controller.close()


def marks_document(capture: Capture, marks: tuple[Mark, ...]) -> dict[str, object]:
    """Return what marks.json holds: everything in pixels of clean.png."""
    frame = capture.frame
    return {
        "schema": MARKS_SCHEMA,
        "image": {
            "path": CLEAN_FILE,
            "width_px": frame.width_px,
            "height_px": frame.height_px,
            "device_scale": frame.device_scale,
        },
        "marks": [_mark_row(mark) for mark in marks],
    }


def _mark_row(mark: Mark) -> dict[str, object]:
    box = mark.box
    return {
        "id": mark.id,
        "box": [box.x_px, box.y_px, box.width_px, box.height_px],
        "click": [mark.click.x_px, mark.click.y_px],
        "role": mark.role,
        "name": mark.name,
        "frame_path": mark.frame_path,
    }


def _write(out: Path, contents: dict[str, bytes]) -> None:
    with storage_errors(out):
        out.mkdir(parents=True, exist_ok=True)
        if MARKS_FILE not in contents:
            (out / MARKS_FILE).unlink(missing_ok=True)
    for name, data in contents.items():
        write_whole(out / name, data)


def _as_text(observed: Observed) -> str:
    seen = observed.observation
    frame = seen.frame
    assert frame is not None
    count = "1 mark" if len(seen.marks) == 1 else f"{len(seen.marks)} marks"
    shown = quote_title(seen.title) if seen.title else "without a title" if seen.app is None else "no window"
    lines = [f"{shown}: {count}, {frame.width_px}x{frame.height_px} px"]
    lines += [f"  {observed.directory / name}" for name in observed.files]
    lines += [window_line(window) for window in seen.windows]
    lines += [f"notice: {notice}" for notice in seen.notices]
    return "\n".join(lines)


def _as_json(observed: Observed) -> str:
    seen = observed.observation
    return json.dumps(
        {
            "schema": OBSERVE_SCHEMA,
            "directory": str(observed.directory),
            "files": list(observed.files),
            "url": seen.url,
            "title": seen.title,
            "app": seen.app,
            "marks": len(seen.marks),
            "notices": list(seen.notices),
        },
        ensure_ascii=False,
    )
