"""Fixtures for every test: the suite can't leave the machine, and markers carry the promises."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator

import pytest

_REAL_CONNECT = socket.socket.connect
_REAL_CONNECT_EX = socket.socket.connect_ex


def _refuse_remote(address: object) -> None:
    if not isinstance(address, tuple) or not address:
        return
    host = str(address[0])
    if host == "localhost":
        return
    try:
        is_local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_local = False
    if not is_local:
        raise AssertionError(f"a test tried to reach {host!r}; tests use loopback only")


class _LoopbackSocket(socket.socket):
    """A socket that refuses every address that isn't loopback."""

    def connect(self, address: object, /) -> None:  # type: ignore[override]  # the base accepts any address form
        _refuse_remote(address)
        _REAL_CONNECT(self, address)  # type: ignore[arg-type]  # passed on as it came

    def connect_ex(self, address: object, /) -> int:  # type: ignore[override]  # the base accepts any address form
        _refuse_remote(address)
        return _REAL_CONNECT_EX(self, address)  # type: ignore[arg-type]  # passed on as it came


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    """Refuse every socket that doesn't stay on this machine."""
    real = socket.socket
    socket.socket = _LoopbackSocket  # type: ignore[misc]  # restored below
    yield
    socket.socket = real  # type: ignore[misc]  # as it was
