"""Who may speak to the device server: every request is judged before any of its body is read."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from harness.controllers.device.packet import HEADER_LIMIT_BYTES, PREFIX_BYTES
from harness.controllers.remote.wire import CONTENT_TYPE, TOKEN_VARIABLE

MAX_BODY_BYTES: Final = PREFIX_BYTES + HEADER_LIMIT_BYTES
_USE_HEADER: Final = "send the token as the header `Authorization: Bearer TOKEN`"
Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a request is not let in; the text repeats nothing of it."""

    status: int
    text: str


class Guard:
    """Lets in who knows the token and calls the server by its own name; a web page can do neither."""

    def __init__(self, *, token: str, hosts: frozenset[str]) -> None:
        self._digest = _digest(token.encode())
        self._hosts = hosts
        self._origins = frozenset(f"{scheme}://{host}" for host in hosts for scheme in ("http", "https"))

    def judge(self, method: str, query: bytes, headers: Headers) -> Refusal | None:
        """Return why a request is refused, or None. Header names are in lower case."""
        return (
            self._judge_names(headers)
            or self._judge_token(query, headers)
            or (_judge_body(headers) if method == "POST" else None)
        )

    def _judge_names(self, headers: Headers) -> Refusal | None:
        hosts = _values(headers, b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return Refusal(
                status=403,
                text="this server is not known by that name; use the address it printed, "
                "or start it with --allow-host NAME for a name of your own",
            )
        if any(origin.lower() not in self._origins for origin in _values(headers, b"origin")):
            return Refusal(status=403, text="web pages may not speak to this server")
        return None

    def _judge_token(self, query: bytes, headers: Headers) -> Refusal | None:
        if query:
            return Refusal(
                status=400, text=f"this server takes no query, and a token in an address leaks; {_USE_HEADER}"
            )
        given = _values(headers, b"authorization")
        scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        is_known = hmac.compare_digest(_digest(token.strip().encode()), self._digest)
        if scheme.lower() != "bearer" or not is_known:
            return Refusal(
                status=401,
                text=f"{_USE_HEADER}; it is what the server printed, or {TOKEN_VARIABLE} of its environment",
            )
        return None


def _judge_body(headers: Headers) -> Refusal | None:
    types = _values(headers, b"content-type")
    if types != [CONTENT_TYPE]:
        return Refusal(status=415, text=f"the content type must be {CONTENT_TYPE}")
    lengths = _values(headers, b"content-length")
    if len(lengths) != 1 or not lengths[0].isdecimal() or _values(headers, b"transfer-encoding"):
        return Refusal(status=411, text="the length of the body must be said beforehand, in Content-Length")
    if len(lengths[0]) > 12 or int(lengths[0]) > MAX_BODY_BYTES:
        return Refusal(status=413, text=f"the body may have {MAX_BODY_BYTES} bytes")
    return None


def _values(headers: Headers, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key == name]


def _digest(secret: bytes) -> bytes:
    return hashlib.sha256(secret).digest()


class GuardMiddleware:
    """Puts a guard before an application."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with its refusal and close the connection."""
        refusal = self._guard.judge(scope["method"], scope["query_string"], scope["headers"])
        if refusal is None:
            await self._app(scope, receive, send)
            return
        headers = {"connection": "close", **({"www-authenticate": "Bearer"} if refusal.status == 401 else {})}
        response = PlainTextResponse(f"{refusal.text}\n", status_code=refusal.status, headers=headers)
        await response(scope, receive, send)
