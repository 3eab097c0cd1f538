"""Where a device is served, and the secret that opens it: what is accepted, on both sides."""

from __future__ import annotations

import ipaddress
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import SplitResult, urlsplit

from harness.controllers.remote.wire import DEFAULT_PORT, TOKEN_VARIABLE
from harness.errors import UsageError

_LOOPBACK_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")
_HOST: Final = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*)(:(?P<port>\d{1,5}))?")
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/=-]{16,512}")
_EXAMPLE: Final = f"http://127.0.0.1:{DEFAULT_PORT}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """The secret of a device; never shown.

    Attributes:
        value: The secret.
        is_new: Whether it was made for this start, and not given by a person.
    """

    value: str = field(repr=False)
    is_new: bool


def check_address(address: str | None) -> str:
    """Return the address of a device server without its last slash.

    Raises:
        UsageError: it is missing or no address, or it would send token and screen unencrypted over a network.
    """
    if not address:
        raise UsageError(
            "a remote device needs the address where `transom device serve` runs; "
            f"set controller.address, for example {_EXAMPLE}"
        )
    parts = _split(address)
    host = parts.hostname or ""
    if parts.scheme == "http" and not is_loopback(host):
        raise UsageError(
            f"http to {host!r} would send the token and every screenshot unencrypted; "
            f"open a tunnel with `ssh -N -L {DEFAULT_PORT}:127.0.0.1:{DEFAULT_PORT} {host}` and use {_EXAMPLE}, "
            "or put a proxy with TLS before the server and use https"
        )
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _split(address: str) -> SplitResult:
    """Split an address; what is wrong with it is said without repeating it, because a token may stand in it."""
    try:
        parts = urlsplit(address)
        is_whole = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole or not address.isprintable():
        raise UsageError(f"the address of the remote device is no http or https address; write {_EXAMPLE}")
    if "@" in parts.netloc or parts.query or parts.fragment or parts.path not in {"", "/"}:
        raise UsageError(
            "the address of the remote device holds more than scheme, host and port; "
            f"write {_EXAMPLE} and put the token into the environment variable {TOKEN_VARIABLE}"
        )
    return parts


def is_loopback(host: str) -> bool:
    """Return whether a host, without port or brackets, can only be this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def client_token(given: str | None, environment: Mapping[str, str]) -> str:
    """Return the token to send.

    Raises:
        UsageError: there is none, or it can't be one.
    """
    token = given or environment.get(TOKEN_VARIABLE, "")
    if not token:
        raise UsageError(
            f"the remote device needs its token; set the environment variable {TOKEN_VARIABLE} "
            "to what `transom device serve` printed"
        )
    return _checked(token)


def server_token(environment: Mapping[str, str], *, host: str) -> Token:
    """Return the token to demand: the one of the environment, else a new one where only this machine can connect.

    Raises:
        UsageError: the given one can't be a token, or there is none and `host` can be reached from elsewhere.
    """
    given = environment.get(TOKEN_VARIABLE, "")
    if given:
        return Token(value=_checked(given), is_new=False)
    if not is_loopback(host):
        raise UsageError(
            f"--host {host} can be reached from other machines, and no token is set; put one into the environment "
            f"variable {TOKEN_VARIABLE}, or keep --host 127.0.0.1 and reach it through an SSH tunnel"
        )
    return Token(value=secrets.token_urlsafe(32), is_new=True)


def _checked(token: str) -> str:
    if not _TOKEN.fullmatch(token):
        raise UsageError(
            f"the token in {TOKEN_VARIABLE} has {len(token)} characters; a token has 16 to 512 "
            "letters, digits or . _ ~ + / = -, for example what `openssl rand -hex 32` prints"
        )
    return token


def served_hosts(host: str, port: int, allowed: Sequence[str]) -> frozenset[str]:
    """Return the values of the Host header that mean this server, in lower case.

    Args:
        host: What it listens on. One that stands for every interface is no name that a client may use.
        port: The port it listens on.
        allowed: Further names, `NAME` or `NAME:PORT`; without a port the served one, or none as behind a proxy.

    Raises:
        UsageError: an allowed name is none.
    """
    names = [*_LOOPBACK_NAMES, *([] if _is_unspecified(host) else [_bracketed(host.lower())])]
    hosts = {f"{name}:{port}" for name in names}
    if port == 80:
        hosts.update(names)
    for item in allowed:
        found = _HOST.fullmatch(item.lower())
        if found is None:
            raise UsageError(f"--allow-host takes NAME or NAME:PORT, got {item!r}; write desk.example.org")
        hosts.update({item.lower()} if found["port"] else {found["name"], f"{found['name']}:{port}"})
    return frozenset(hosts)


def _is_unspecified(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return host == ""


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
