"""Blobs: bytes named by their sha256, written once and never again."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from harness.errors import StorageDamaged
from harness.store.atomic import storage_errors, sync_directory, sync_file, write_temporary

_NAME = re.compile(r"[0-9a-f]{64}")


class BlobStore:
    """Content-addressed files under one directory: `ab/<sha256>`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def root(self) -> Path:
        """The directory that holds the blobs."""
        return self._root

    def path(self, sha256: str) -> Path:
        """Return where a blob of that name stands.

        Raises:
            ValueError: the name is no lower-case sha256, so it can't be one of ours.
        """
        if not _NAME.fullmatch(sha256):
            raise ValueError(f"a blob is named by 64 lower-case hexadecimal digits, got {sha256!r}")
        return self._root / sha256[:2] / sha256

    def has(self, sha256: str) -> bool:
        """Return whether a blob of that name is stored; its content is checked by `get`."""
        return self.path(sha256).is_file()

    def put(self, data: bytes) -> str:
        """Store `data` durably and return its name; what is stored already is not written again.

        Raises:
            StorageError: it can't be written.
        """
        return self.put_many([data])[0]

    def put_many(self, blobs: Sequence[bytes]) -> list[str]:
        """Store several blobs durably and return their names in order; each directory is synced once.

        Raises:
            StorageError: one can't be written; others may be stored.
        """
        names = [hashlib.sha256(data).hexdigest() for data in blobs]
        fresh = {name: data for name, data in zip(names, blobs, strict=True) if not self.has(name)}
        if fresh:
            with storage_errors(self._root):
                self._write(fresh)
        return names

    def _write(self, fresh: dict[str, bytes]) -> None:
        directories = {self.path(name).parent for name in fresh}
        created = [directory for directory in directories if not directory.is_dir()]
        for directory in created:
            directory.mkdir(parents=True, exist_ok=True)
        # All bytes are handed over before the first sync, so the disk can flush them together.
        temporaries = {name: write_temporary(self.path(name).parent, data) for name, data in fresh.items()}
        for temporary in temporaries.values():
            sync_file(temporary)
        for name, temporary in temporaries.items():
            temporary.replace(self.path(name))
        for directory in directories:
            sync_directory(directory)
        if created:
            sync_directory(self._root)

    def get(self, sha256: str) -> bytes:
        """Return the bytes of a blob, checked against its name.

        Raises:
            StorageDamaged: it is missing or its bytes differ; the file is left as it is.
            StorageError: it can't be read.
        """
        path = self.path(sha256)
        if not path.is_file():
            raise StorageDamaged(f"{path}: the blob is missing; restore the file, or do without it")
        with storage_errors(path):
            data = path.read_bytes()
        seen = hashlib.sha256(data).hexdigest()
        if seen != sha256:
            raise StorageDamaged(
                f"{path}: the blob's {len(data)} bytes hash to {seen[:12]}…; restore the file, or do without it"
            )
        return data
