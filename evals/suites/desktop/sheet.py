"""Spreadsheets as Gnumeric writes them: made, opened and read back without Gnumeric."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from harness.protocols.suites import SuiteDesktop

_SPACE: Final = "http://www.gnumeric.org/v10.dtd"
_GZIP: Final = b"\x1f\x8b"
_NUMBER: Final = 40
_TEXT: Final = 60


def write_sheet(path: Path, columns: Sequence[Sequence[int | str]]) -> None:
    """Write a workbook with one sheet; the columns begin at A1 and go down."""
    cells = "".join(
        f'<gnm:Cell Row="{row}" Col="{column}" ValueType="{_TEXT if isinstance(value, str) else _NUMBER}">'
        f"{escape(str(value))}</gnm:Cell>"
        for column, values in enumerate(columns)
        for row, value in enumerate(values)
    )
    path.write_text(
        f'<?xml version="1.0" encoding="UTF-8"?>\n<gnm:Workbook xmlns:gnm="{_SPACE}"><gnm:SheetNameIndex>'
        "<gnm:SheetName>Sheet1</gnm:SheetName></gnm:SheetNameIndex><gnm:Sheets><gnm:Sheet>"
        f"<gnm:Name>Sheet1</gnm:Name><gnm:Cells>{cells}</gnm:Cells></gnm:Sheet></gnm:Sheets></gnm:Workbook>\n",
        encoding="utf-8",
    )


def read_cells(path: Path) -> Mapping[str, str]:
    """Return what stands in the cells of the first sheet, by names such as `A6`; formulas as formulas.

    Raises:
        ValueError: the file is missing or no workbook.
    """
    try:
        data = path.read_bytes()
        # What a suite reads was saved by Gnumeric on a desktop of its own, so nobody hides a bomb of entities in it.
        root = ET.fromstring(gzip.decompress(data) if data.startswith(_GZIP) else data)  # noqa: S314
    except (OSError, EOFError, zlib.error, ET.ParseError) as exc:
        raise ValueError(f"{path.name} can't be read as a workbook: {exc}") from exc
    sheet = root.find(f".//{{{_SPACE}}}Sheet")
    found = () if sheet is None else sheet.iter(f"{{{_SPACE}}}Cell")
    return {_name(cell): cell.text or "" for cell in found}


def _name(cell: ET.Element) -> str:
    return f"{chr(ord('A') + int(cell.attrib['Col']))}{int(cell.attrib['Row']) + 1}"


async def compute_sheet(desktop: SuiteDesktop, path: Path) -> list[list[str]]:
    """Return the values of the first sheet by rows, formulas computed by Gnumeric itself; empty when it can't."""
    table = path.with_suffix(".values.csv")
    if await desktop.run(("ssconvert", str(path), str(table))) != 0:
        return []
    with table.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines))


async def open_sheet(desktop: SuiteDesktop, path: Path) -> int:
    """Open a workbook in Gnumeric and return its process id."""
    process_id = await desktop.spawn(("gnumeric", "--no-splash", str(path)))
    await desktop.wait_for_window(path.name)
    return process_id
