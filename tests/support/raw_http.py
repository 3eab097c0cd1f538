"""One HTTP request as bytes, exactly as a test writes it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from device_server import TOKEN

from harness.controllers.device.encoding import encode_request
from harness.controllers.device.messages import Request
from harness.controllers.remote.wire import CONTENT_TYPE, INSTANCE_HEADER, PATHS, SESSION_HEADER

SESSION = "session-0123456789"


@dataclass(frozen=True, kw_only=True)
class RawAnswer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def post(
    port: int, path: str, body: bytes = b"", *, headers: Mapping[str, str | None] | None = None, method: str = "POST"
) -> bytes:
    """Return a request with everything that a good one has; a header of None is left out."""
    full: dict[str, str | None] = {
        "Host": f"127.0.0.1:{port}",
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": CONTENT_TYPE,
        "Content-Length": str(len(body)),
        SESSION_HEADER: SESSION,
        **(headers or {}),
    }
    lines = [f"{name}: {value}" for name, value in full.items() if value is not None]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode("latin-1") + body


def request_bytes(port: int, request: Request, *, instance: str = "", session: str = SESSION) -> bytes:
    """Return a good request for a message."""
    headers = {INSTANCE_HEADER: instance, SESSION_HEADER: session}
    return post(port, PATHS[request.kind], encode_request(request), headers=headers)


async def send(port: int, data: bytes) -> RawAnswer:
    """Send bytes on a connection of their own and return the answer; status 0 when there was none."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        return RawAnswer(status=int(first.split()[1]), headers=headers, body=body)
    except (asyncio.IncompleteReadError, ConnectionError):
        return RawAnswer(status=0, headers={}, body=b"")
    finally:
        writer.close()


async def send_whole(port: int, request: Request, *, instance: str = "", session: str = SESSION) -> RawAnswer:
    """Send a good request."""
    return await send(port, request_bytes(port, request, instance=instance, session=session))
