"""The link to a device server on another machine, or in another program of this one."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import httpx2

from harness.controllers.deadline import Deadline
from harness.controllers.device.encoding import decode_answer, encode_request
from harness.controllers.device.link import AnswerLost, NothingSent
from harness.controllers.device.messages import Answer, OpenRequest, Request
from harness.controllers.device.packet import (
    ATTACHMENTS_LIMIT_BYTES,
    HEADER_LIMIT_BYTES,
    PREFIX_BYTES,
    BadMessage,
    unpack,
)
from harness.controllers.remote.wire import (
    CLIENT_HEADER,
    CONTENT_TYPE,
    INSTANCE_HEADER,
    KEEP_ALIVE_S,
    PATHS,
    SESSION_HEADER,
    SIGN_OF_LIFE_S,
    STATUS_PATH,
)
from harness.values.mark import quote_page_text

_FIRST_PAUSE_S: Final = 0.02
_LONGEST_PAUSE_S: Final = 1.0
# How long a server that fails is tried again, where somebody waits for the session to begin or to end.
_PATIENCE_S: Final[Mapping[str, float]] = {"open": 2.0, "release": 0.3, "close": 0.3}
_CONNECT_S: Final = 5.0
_MAX_ANSWER_BYTES: Final = PREFIX_BYTES + HEADER_LIMIT_BYTES + ATTACHMENTS_LIMIT_BYTES
_MAX_STATUS_BYTES: Final = 65_536
_SHOWN_CHARS: Final = 500
# Errors whose texts may hold the address of a proxy, or the part of it that is a password.
_HELD_BACK: Final = (httpx2.InvalidURL, ValueError)
# What making a client raises when address, proxies or certificates can't be used.
CLIENT_ERRORS: Final = (ImportError, OSError, *_HELD_BACK)
# What one attempt raises when the connection fails.
ATTEMPT_ERRORS: Final = (httpx2.HTTPError,)


class _Refused(Exception):
    """The server refused a request before it did anything."""


class _Unreadable(Exception):
    """The server answered with something that is no answer."""


@dataclass(slots=True, kw_only=True)
class _Delivery:
    """What is known of one request over all its attempts.

    Attributes:
        may_have_arrived: Whether the server may have got it whole, in any attempt.
        problem: Why the last attempt failed.
    """

    may_have_arrived: bool = False
    problem: str = "no attempt was made"

    async def follow(self, event: str, info: Mapping[str, object]) -> None:
        """Note that the body is about to be sent; the name and parameters are those of the trace extension."""
        if event.endswith("send_request_body.started"):
            self.may_have_arrived = True

    def failure(self, text: str) -> AnswerLost | NothingSent:
        """Return the error that is true of it."""
        return AnswerLost(text) if self.may_have_arrived else NothingSent(text)


class HttpLink:
    """Speaks to one device server for one session. A request that was cut off is sent again until its limit.

    That is safe: the server knows actions by their ids and does each once, or says that it does not know.
    """

    def __init__(self, address: str, token: str, *, sign_of_life_s: float = SIGN_OF_LIFE_S) -> None:
        self._address = address
        self._headers = {
            "authorization": f"Bearer {token}",
            "accept-encoding": "identity",
            SESSION_HEADER: secrets.token_urlsafe(24),
            CLIENT_HEADER: _own_name(),
        }
        self._sign_of_life_s = sign_of_life_s
        self._client: httpx2.AsyncClient | None = None
        self._living: asyncio.Task[None] | None = None

    async def exchange(self, request: Request, *, limit_s: float) -> Answer:
        """Return the answer to a request within `limit_s` seconds; see `Link`."""
        if isinstance(request, OpenRequest) and self._client is None:
            self._client = self._make_client()
        if self._client is None:
            raise NothingSent("the remote device is not open; open the controller first")
        try:
            body = encode_request(request)
        except BadMessage as exc:
            raise NothingSent(str(exc)) from exc
        delivery = _Delivery()
        try:
            async with asyncio.timeout(limit_s):
                return await self._deliver(self._client, request, body, delivery)
        except TimeoutError as exc:
            text = f"no answer from {self._address} to {request.kind!r} within {limit_s:.1f} s"
            raise delivery.failure(f"{text} ({delivery.problem})") from exc
        except _Refused as exc:
            raise delivery.failure(str(exc)) from exc
        except _Unreadable as exc:
            raise AnswerLost(str(exc)) from exc

    def _make_client(self) -> httpx2.AsyncClient:
        """Return a client that is not connected yet.

        Raises:
            NothingSent: the address can't be used, or the proxies or certificates of the environment.
        """
        try:
            return httpx2.AsyncClient(
                base_url=self._address,
                headers=self._headers,
                timeout=httpx2.Timeout(None, connect=_CONNECT_S),
                limits=httpx2.Limits(keepalive_expiry=KEEP_ALIVE_S),
                # No proxy of the environment for this machine; certificates of the environment for others.
                trust_env=self._address.startswith("https:"),
            )
        except CLIENT_ERRORS as exc:
            raise NothingSent(
                f"no connection to {self._address} can be made ({_reason(exc)}); check the address, and "
                "the environment variables HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY and SSL_CERT_FILE"
            ) from None  # a traceback would show the text that is held back

    async def _deliver(self, client: httpx2.AsyncClient, request: Request, body: bytes, delivery: _Delivery) -> Answer:
        """Send a request until it is answered; each attempt that fails makes the next one wait longer."""
        patience: Deadline | None = None
        pause_s = _FIRST_PAUSE_S
        while True:
            delivery.problem = "the last attempt was still waiting"
            try:
                return await self._attempt(client, request, body, delivery)
            except ATTEMPT_ERRORS as exc:
                delivery.problem = f"{type(exc).__name__}: {exc}" if str(exc) else type(exc).__name__
            patience = patience or Deadline(_PATIENCE_S.get(request.kind, math.inf))
            if patience.left_s == 0:
                raise delivery.failure(
                    f"no device server answers at {self._address} ({delivery.problem}); start it there with "
                    "`transom device serve`, or check the address and the tunnel"
                )
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

    async def _attempt(self, client: httpx2.AsyncClient, request: Request, body: bytes, delivery: _Delivery) -> Answer:
        """Send a request once.

        Raises:
            httpx2.HTTPError: the connection failed; what was sent may or may not have arrived.
            _Refused: the server refused it.
            _Unreadable: the answer is none.
        """
        had_arrived = delivery.may_have_arrived
        sending = client.stream(
            "POST",
            PATHS[request.kind],
            content=body,
            headers={"content-type": CONTENT_TYPE},
            extensions={"trace": delivery.follow},
        )
        async with sending as response:
            if response.status_code >= 500:
                raise httpx2.RemoteProtocolError(f"status {response.status_code}")
            data = await _read(response, limit_bytes=_MAX_ANSWER_BYTES)
        if response.status_code != 200:
            delivery.may_have_arrived = had_arrived
            raise _Refused(_refusal_text(response.status_code, data))
        if response.headers.get("content-type") != CONTENT_TYPE:
            raise _Unreadable(f"what answers at {self._address} is no device server; check the address")
        if isinstance(request, OpenRequest):
            client.headers[INSTANCE_HEADER] = response.headers.get(INSTANCE_HEADER, "")
            self._begin_signs_of_life(client)
        return _decode(data)

    def _begin_signs_of_life(self, client: httpx2.AsyncClient) -> None:
        if self._living is None:
            self._living = asyncio.create_task(_give_signs_of_life(client, self._sign_of_life_s))

    def give_up(self, reason: str) -> None:
        """Do nothing: the device belongs to its server, which ends what hangs."""

    async def close(self) -> None:
        """Close the connections; never raises."""
        client, self._client = self._client, None
        if self._living is not None:
            self._living.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._living
        if client is not None:
            await client.aclose()


def _reason(exc: Exception) -> str:
    """Return what a person may see of an error that making a client raised."""
    name = type(exc).__name__
    return name if isinstance(exc, _HELD_BACK) else f"{name}: {exc}"


async def _give_signs_of_life(client: httpx2.AsyncClient, period_s: float) -> None:
    """Let the server know that the session is there, also while a model thinks or a person is asked."""
    while True:
        await asyncio.sleep(period_s)
        with contextlib.suppress(*ATTEMPT_ERRORS, _Unreadable):
            async with client.stream("GET", STATUS_PATH, timeout=period_s) as response:
                await _read(response, limit_bytes=_MAX_STATUS_BYTES)


async def _read(response: httpx2.Response, *, limit_bytes: int) -> bytes:
    data = bytearray()
    async for chunk in response.aiter_raw():
        data += chunk
        if len(data) > limit_bytes:
            raise _Unreadable(f"the answer of the device server has more than {limit_bytes} bytes")
    return bytes(data)


def _decode(data: bytes) -> Answer:
    try:
        return decode_answer(unpack(data)).answer
    except BadMessage as exc:
        raise _Unreadable(f"the answer of the device server can't be read: {exc}") from exc


def _refusal_text(status: int, data: bytes) -> str:
    said = quote_page_text(data.decode("utf-8", "replace").strip()[:_SHOWN_CHARS])
    return f"the device server refused with status {status}: {said}"


def _own_name() -> str:
    name = f"{socket.gethostname()}, process {os.getpid()}"
    return "".join(char for char in name if char.isascii() and char.isprintable())
