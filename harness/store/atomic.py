"""Whole files: a reader sees the old content or the new one, never a part."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from harness.errors import StorageError

TEMPORARY_PREFIX = ".transom-"
TEMPORARY_SUFFIX = ".tmp"


def write_whole(path: Path, data: bytes, *, is_name_durable: bool = True) -> None:
    """Replace `path` by `data` in one go.

    Args:
        path: The file; its directory exists.
        data: The whole content.
        is_name_durable: Whether the rename itself is on the disk when this returns. Without it a power cut may
            bring the old content back, never a mixture.

    Raises:
        StorageError: the file can't be written; `path` is as it was.
    """
    with storage_errors(path):
        temporary = write_temporary(path.parent, data)
        sync_file(temporary)
        temporary.replace(path)
        if is_name_durable:
            sync_directory(path.parent)


def write_temporary(directory: Path, data: bytes) -> Path:
    """Write `data` to a new file with a recognisable name in `directory`; nothing is synced yet."""
    temporary = directory / f"{TEMPORARY_PREFIX}{uuid4().hex}{TEMPORARY_SUFFIX}"
    temporary.write_bytes(data)
    return temporary


def sync_file(path: Path) -> None:
    """Return when the content of `path` is on the disk."""
    _sync(path, os.O_RDWR)


def sync_directory(directory: Path) -> None:
    """Return when the names in `directory` are on the disk; does nothing where directories can't be opened."""
    if os.name != "nt":
        _sync(directory, os.O_RDONLY)


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sweep_temporaries(directory: Path) -> int:
    """Delete what a killed writer left in `directory` and below; return how many files went.

    Call it only while holding the session's lock: another writer's file in progress looks the same.
    """
    leftovers = sorted(directory.rglob(f"{TEMPORARY_PREFIX}*{TEMPORARY_SUFFIX}"))
    with storage_errors(directory):
        for leftover in leftovers:
            leftover.unlink(missing_ok=True)
    return len(leftovers)


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn an `OSError` inside the block into a `StorageError` that names `path`."""
    try:
        yield
    except OSError as exc:
        raise StorageError(
            f"{path}: {exc.strerror or exc}; check that the disk has room and that this user may read and write there"
        ) from exc
