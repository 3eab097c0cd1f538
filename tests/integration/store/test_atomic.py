"""Whole files, and what a killed writer leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import StorageError
from harness.store.atomic import sweep_temporaries, write_temporary, write_whole


@pytest.mark.parametrize("is_name_durable", [True, False])
def test_a_file_is_replaced_whole_and_leaves_nothing_beside_it(tmp_path: Path, *, is_name_durable: bool) -> None:
    target = tmp_path / "a.json"
    write_whole(target, b"first, and longer", is_name_durable=is_name_durable)
    write_whole(target, b"second", is_name_durable=is_name_durable)
    assert target.read_bytes() == b"second"
    assert list(tmp_path.iterdir()) == [target]


def test_a_failed_write_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"missing/a\.json"):
        write_whole(tmp_path / "missing" / "a.json", b"x")


def test_only_leftovers_are_swept(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    write_temporary(tmp_path / "deep", b"half")
    kept = tmp_path / "deep" / "page.tmp"
    kept.write_bytes(b"not ours")
    assert sweep_temporaries(tmp_path) == 1
    assert list((tmp_path / "deep").iterdir()) == [kept]
