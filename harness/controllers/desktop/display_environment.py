"""The variables that display libraries take from their own process and not from their caller."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

_AUTHORITY: Final = "XAUTHORITY"
_LOCK: Final = threading.Lock()


@contextmanager
def authority_of(environment: Mapping[str, str]) -> Iterator[None]:
    """Let this process's XAUTHORITY be that of `environment` while a connection is made; one block at a time."""
    with _LOCK:
        before = os.environ.get(_AUTHORITY)
        _set(environment.get(_AUTHORITY))
        try:
            yield
        finally:
            _set(before)


def _set(value: str | None) -> None:
    if value is None:
        os.environ.pop(_AUTHORITY, None)
    elif os.environ.get(_AUTHORITY) != value:
        os.environ[_AUTHORITY] = value
