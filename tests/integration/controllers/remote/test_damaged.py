"""Bodies and bytes that are no requests are refused, and the server lives."""

from __future__ import annotations

import asyncio
import random
import struct

import pytest
from device_server import START, served_device
from raw_http import post, send, send_whole

from harness.controllers.device.encoding import decode_answer, encode_request
from harness.controllers.device.messages import (
    Answer,
    CaptureRequest,
    OpenRequest,
    PerformRequest,
    Request,
    Seen,
)
from harness.controllers.device.packet import unpack
from harness.controllers.remote.wire import INSTANCE_HEADER
from harness.values.action import DeviceCall, TypeText

pytestmark = pytest.mark.req("R-ACT-4")
_OPEN = OpenRequest(start=START, observers=())
_ACT = PerformRequest(
    calls=(DeviceCall(call_id="c1", action=TypeText(text="x" * 50)),),
    action_id="fuzz",
    decision_frame=None,
    deadline_s=5.0,
)


async def _opened(port: int) -> str:
    return (await send_whole(port, _OPEN)).headers[INSTANCE_HEADER]


def _damaged(random_source: random.Random, body: bytes) -> bytes:
    data = bytearray(body)
    match random_source.randrange(5):
        case 0:
            return bytes(data[: random_source.randrange(len(data))])
        case 1:
            for _ in range(random_source.randint(1, 8)):
                data[random_source.randrange(len(data))] = random_source.randrange(256)
        case 2:
            at = random_source.randrange(len(data))
            data[at:at] = random_source.randbytes(random_source.randint(1, 40))
        case 3:
            return random_source.randbytes(random_source.randint(0, 200))
        case _:
            lie = struct.pack(">4sIQ", b"TDM1", random_source.getrandbits(32), random_source.getrandbits(64))
            return lie + bytes(data[16:])
    return bytes(data)


def _nested(opening: bytes, times: int) -> bytes:
    header = opening * times
    return struct.pack(">4sIQ", b"TDM1", len(header), 0) + header


async def test_bodies_that_are_no_requests_are_refused_and_the_server_lives() -> None:
    source = random.Random(20240607)
    async with served_device() as served:
        instance = await _opened(served.port)
        good: list[Request] = [_ACT, CaptureRequest(deadline_s=1.0), _OPEN]
        for number in range(300):
            request = source.choice(good)
            body = _damaged(source, encode_request(request))
            path = source.choice(["/act", "/capture", "/open", "/recordings", "/release"])
            answer = await send(served.port, post(served.port, path, body, headers={INSTANCE_HEADER: instance}))
            assert answer.status in {200, 400}, (number, path, body)
        for body in (_nested(b"[", 1_000_000), _nested(b'{"request":', 500_000), b"", bytes(1_000_000)):
            answer = await send(served.port, post(served.port, "/act", body, headers={INSTANCE_HEADER: instance}))
            assert answer.status == 400
        assert isinstance(await _capture(served.port, instance), Seen)


async def _capture(port: int, instance: str) -> Answer:
    raw = await send_whole(port, CaptureRequest(deadline_s=1.0), instance=instance)
    return decode_answer(unpack(raw.body)).answer


async def test_bytes_that_are_no_http_are_refused_and_the_server_lives() -> None:
    source = random.Random(7)
    async with served_device() as served:
        instance = await _opened(served.port)
        good = post(served.port, "/act", encode_request(_ACT), headers={INSTANCE_HEADER: instance})
        for _ in range(100):
            data = _damaged(source, good)
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(data)
            writer.write_eof()
            await asyncio.wait_for(_drain(reader), 5.0)
            writer.close()
        assert isinstance(await _capture(served.port, instance), Seen)
        assert served.device.effects["fuzz"] <= 1


async def _drain(reader: asyncio.StreamReader) -> None:
    try:
        await reader.read()
    except ConnectionError:
        return
