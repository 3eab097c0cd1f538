"""The routes of the device server. There is none that runs a command."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from harness.controllers.device.encoding import decode_request, encode_sendable
from harness.controllers.device.messages import Request
from harness.controllers.device.packet import BadMessage, unpack
from harness.controllers.remote.desk import Desk, DeskTaken, Visitor
from harness.controllers.remote.guard import MAX_BODY_BYTES, Guard, GuardMiddleware
from harness.controllers.remote.wire import (
    CLIENT_HEADER,
    CONTENT_TYPE,
    INSTANCE_HEADER,
    PATHS,
    SESSION_HEADER,
    STATUS_PATH,
)

STATUS_SCHEMA: Final = "transom/device/1"
_SESSION: Final = re.compile(r"[A-Za-z0-9_-]{16,64}")
# Opening makes a new start; letting go and closing do no harm on any.
_OF_ONE_START: Final = frozenset({"perform", "capture", "collect"})
_NAME_CHARS: Final = 120
_BODY_S: Final = 30.0
Handler = Callable[[HttpRequest], Awaitable[Response]]


class _Refused(Exception):
    """A request that is answered with a status and a sentence."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class DeviceRoutes:
    """Answers requests that the guard let in."""

    def __init__(self, desk: Desk, *, instance: str) -> None:
        self._desk = desk
        self._instance = instance

    def application(self, guard: Guard) -> Starlette:
        """Return the application with `guard` before it."""
        posts = [
            Route(path, self._answered(partial(self._pass_on, kind=kind)), methods=["POST"])
            for kind, path in PATHS.items()
        ]
        status = Route(STATUS_PATH, self._answered(self._status), methods=["GET"])
        return Starlette(routes=[*posts, status], middleware=[Middleware(GuardMiddleware, guard=guard)])

    def _answered(self, handler: Handler) -> Handler:
        """Return a handler whose refusals are answers and whose answers name this start of the server."""

        async def handle(request: HttpRequest) -> Response:
            try:
                response = await handler(request)
            except _Refused as exc:
                response = PlainTextResponse(f"{exc}\n", status_code=exc.status)
            except BadMessage as exc:
                text = f"{exc}; use the same version of transom on both sides\n"
                response = PlainTextResponse(text, status_code=400)
            except DeskTaken as exc:
                response = PlainTextResponse(f"{exc}\n", status_code=409)
            except ClientDisconnect:
                response = Response(status_code=400)
            response.headers[INSTANCE_HEADER] = self._instance
            return response

        return handle

    async def _pass_on(self, request: HttpRequest, *, kind: str) -> Response:
        visitor = _visitor(request)
        message = await _read_message(request)
        if message.kind != kind:
            raise _Refused(400, f"{PATHS[kind]} takes the request {kind!r}, not {message.kind!r}")
        if kind in _OF_ONE_START and request.headers.get(INSTANCE_HEADER) != self._instance:
            raise _Refused(409, "the device server was restarted since this session opened the device; resume it")
        answer = await self._desk.answer(visitor, message)
        if kind == "perform" and await request.is_disconnected():
            await self._desk.let_go(visitor.session)
        return Response(encode_sendable(answer), media_type=CONTENT_TYPE)

    async def _status(self, request: HttpRequest) -> Response:
        self._desk.touch(request.headers.get(SESSION_HEADER, ""))
        return JSONResponse(
            {"schema": STATUS_SCHEMA, "instance": self._instance, "session": self._desk.describe()},
        )


def _visitor(request: HttpRequest) -> Visitor:
    session = request.headers.get(SESSION_HEADER, "")
    if not _SESSION.fullmatch(session):
        raise _Refused(400, f"the header {SESSION_HEADER} must hold 16 to 64 letters, digits, - or _")
    name = request.headers.get(CLIENT_HEADER, "")[:_NAME_CHARS]
    return Visitor(session=session, name=name or "a client without a name")


async def _read_message(request: HttpRequest) -> Request:
    body = bytearray()
    try:
        async with asyncio.timeout(_BODY_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > MAX_BODY_BYTES:
                    raise _Refused(413, f"the body may have {MAX_BODY_BYTES} bytes")
    except TimeoutError as exc:
        raise _Refused(408, f"the body did not arrive within {_BODY_S:g} s") from exc
    return decode_request(unpack(bytes(body), attachments_limit_bytes=0)).request
