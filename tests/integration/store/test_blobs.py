"""Blobs are written once, named by their bytes and checked when read."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from harness.errors import StorageDamaged
from harness.store.blobs import BlobStore


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path / "blobs")


@pytest.mark.req("R-IMG-8")
def test_equal_bytes_are_stored_once(blobs: BlobStore) -> None:
    name = blobs.put(b"frame")
    before = blobs.path(name).stat()
    assert name == hashlib.sha256(b"frame").hexdigest()
    assert blobs.put_many([b"frame", b"marks", b"frame"])[::2] == [name, name]
    assert blobs.path(name).stat().st_mtime_ns == before.st_mtime_ns
    assert blobs.path(name).stat().st_ino == before.st_ino
    assert len([path for path in blobs.root.rglob("*") if path.is_file()]) == 2
    assert blobs.get(name) == b"frame"


def test_a_blob_that_is_absent_is_not_there_and_cannot_be_read(blobs: BlobStore) -> None:
    assert not blobs.has("0" * 64)
    with pytest.raises(StorageDamaged, match="missing"):
        blobs.get("0" * 64)


@pytest.mark.req("R-PRO-2")
@pytest.mark.parametrize("damage", [b"", b"frama", b"frame\n"])
def test_damage_is_seen_and_left_as_it_is(blobs: BlobStore, damage: bytes) -> None:
    name = blobs.put(b"frame")
    blobs.path(name).write_bytes(damage)
    with pytest.raises(StorageDamaged, match=name):
        blobs.get(name)
    assert blobs.path(name).read_bytes() == damage


@pytest.mark.req("R-SAF-5")
@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64, "a" * 63, "a" * 64 + "\n"])
def test_only_a_hash_names_a_blob(blobs: BlobStore, name: str) -> None:
    with pytest.raises(ValueError, match="64 lower-case"):
        blobs.get(name)
