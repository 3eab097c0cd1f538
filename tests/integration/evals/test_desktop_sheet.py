from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from evals.suites.desktop.sheet import read_cells, write_sheet


def test_cells_are_read_as_they_were_written(tmp_path: Path) -> None:
    sheet = tmp_path / "a.gnumeric"
    write_sheet(sheet, [["Zoë <x> & y", 3], [-4]])

    assert read_cells(sheet) == {"A1": "Zoë <x> & y", "A2": "3", "B1": "-4"}


def test_compressed_workbooks_are_read_too(tmp_path: Path) -> None:
    sheet = tmp_path / "a.gnumeric"
    write_sheet(sheet, [[1]])
    sheet.write_bytes(gzip.compress(sheet.read_bytes()))

    assert read_cells(sheet) == {"A1": "1"}


@pytest.mark.parametrize("data", [b"", b"<gnm:Workbook", b"\x1f\x8b", gzip.compress(b"<a><b></a>")])
def test_what_is_no_workbook_is_an_error_that_names_the_file(tmp_path: Path, data: bytes) -> None:
    sheet = tmp_path / "a.gnumeric"
    sheet.write_bytes(data)

    with pytest.raises(ValueError, match=r"a\.gnumeric"):
        read_cells(sheet)


def test_a_missing_workbook_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a\.gnumeric"):
        read_cells(tmp_path / "a.gnumeric")
