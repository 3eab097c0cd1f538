from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Write = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """An empty working directory."""
    with contextlib.chdir(tmp_path):
        yield tmp_path


@pytest.fixture
def write(folder: Path) -> Write:
    """Write a file into the working directory and return its relative path."""

    def write_file(text: str, name: str = "agents.yaml") -> Path:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    return write_file
