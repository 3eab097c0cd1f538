"""Requests and answers survive the wire; what is damaged is refused, whatever it is."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.controllers.device.encoding import (
    decode_answer,
    decode_request,
    decode_setup,
    encode_answer,
    encode_request,
    encode_sendable,
    encode_setup,
)
from harness.controllers.device.messages import (
    Answer,
    CaptureRequest,
    Collected,
    DeviceSetup,
    Done,
    Failed,
    Opened,
    Performed,
    PerformRequest,
    Request,
    Seen,
)
from harness.controllers.device.packet import BadMessage, Packet, pack, unpack
from harness.protocols import Capabilities, ControllerSpec
from harness.values.action import Action, DeviceCall, TypeText
from harness.values.frame import Capture, Frame
from harness.values.geometry import Size, Transform
from harness.values.observation import Observation, Sight
from harness.values.outcome import Outcome
from harness.values.recording import Recording

_SECONDS = st.floats(min_value=0, max_value=86_400)
_SLOW = settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60, deadline=None)


def _honest(capture: Capture | None) -> Capture | None:
    if capture is None:
        return None
    return replace(capture, frame=replace(capture.frame, sha256=hashlib.sha256(capture.image).hexdigest()))


_CAPTURES = st.none() | st.from_type(Capture).map(_honest)
_SIGHTS = st.builds(Sight, observation=st.from_type(Observation), capture=_CAPTURES)
_ANSWERS = st.one_of(
    st.builds(Opened, sight=_SIGHTS, capabilities=st.from_type(Capabilities)),
    st.builds(Seen, sight=_SIGHTS),
    st.builds(
        Performed,
        outcome=st.builds(Outcome, capture=_CAPTURES, recordings=st.lists(st.from_type(Recording)).map(tuple)),
    ),
    st.builds(Collected, recordings=st.lists(st.from_type(Recording), max_size=4).map(tuple)),
    st.just(Done()),
    st.from_type(Failed),
)
_REQUESTS = st.one_of(
    st.builds(
        PerformRequest,
        calls=st.lists(st.builds(DeviceCall, action=st.from_type(Action)), max_size=4).map(tuple),
        action_id=st.text(min_size=1, max_size=200),
        deadline_s=_SECONDS,
    ),
    st.builds(CaptureRequest, deadline_s=_SECONDS),
)


def _frame(image: bytes, **changes: object) -> Frame:
    frame = Frame(
        sha256=hashlib.sha256(image).hexdigest(),
        media_type="image/png",
        width_px=4,
        height_px=3,
        device_scale=1.0,
        captured_at_s=1.5,
        source="action",
        transform=Transform(),
    )
    return replace(frame, **changes)  # type: ignore[arg-type]  # fields of the frame


def _sight(image: bytes, raw: bytes | None = None, **changes: object) -> Sight:
    frame = _frame(image, **changes)
    observation = Observation(frame=frame, screen=Size(width_px=4, height_px=3), title="Grüße – 你好 🙂")
    return Sight(observation=observation, capture=Capture(frame=frame, image=image, raw_image=raw))


@_SLOW
@given(answer=_ANSWERS, number=st.integers(min_value=0, max_value=2**63 - 1))
def test_an_answer_comes_back_as_it_was(answer: Answer, number: int) -> None:
    numbered = decode_answer(unpack(encode_answer(answer, number=number)))
    assert repr(numbered.answer) == repr(answer)  # by repr, because NaN is not equal to itself
    assert numbered.number == number


@_SLOW
@given(request=_REQUESTS, number=st.integers(min_value=0, max_value=2**63 - 1))
def test_a_request_comes_back_as_it_was(request: Request, number: int) -> None:
    numbered = decode_request(unpack(encode_request(request, number=number)))
    assert repr(numbered.request) == repr(request)
    assert numbered.number == number


def test_numbers_that_json_lacks_survive() -> None:
    sight = _sight(b"image", device_scale=math.nan, transform=Transform(scale_x=math.inf, origin_y=-math.inf))
    numbered = decode_answer(unpack(encode_answer(Seen(sight=sight))))
    assert isinstance(numbered.answer, Seen)
    frame = numbered.answer.sight.observation.frame
    assert frame is not None
    assert math.isnan(frame.device_scale)
    assert (frame.transform.scale_x, frame.transform.origin_y) == (math.inf, -math.inf)


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    answer = decode_answer(unpack(encode_answer(Failed(failure="controller", text="a\ud800b")))).answer
    assert answer == Failed(failure="controller", text="a?b")


def test_images_and_recordings_are_attached_not_written_into_the_text() -> None:
    image, raw, body = b"\x89PNG clean", b"\x89PNG raw", b"\xff\x00lines"
    sight = _sight(image, raw)
    recording = Recording(kind="accessibility", frame_sha256="0" * 64, body=body)
    outcome = Outcome(
        action_id="a",
        status="done",
        calls=(),
        observation=sight.observation,
        capture=sight.capture,
        recordings=(recording,),
    )
    packet = unpack(encode_answer(Performed(outcome=outcome)))
    assert packet.attachments == image + raw + body
    assert not any(part in packet.header for part in (b"PNG", b"lines", b"UE5H"))


def test_an_answer_with_more_attachments_than_are_read_is_not_sent() -> None:
    recording = Recording(kind="accessibility", frame_sha256="0" * 64, body=b"x")
    most, more = (Collected(recordings=(recording,) * count) for count in (4096, 4097))
    assert decode_answer(unpack(encode_answer(most))).answer == most
    with pytest.raises(BadMessage, match="4097 attachments"):
        encode_answer(more)
    answer = decode_answer(unpack(encode_sendable(more))).answer
    assert isinstance(answer, Failed)
    assert answer.failure == "fault"


def test_an_image_that_is_not_the_frames_is_refused() -> None:
    sight = _sight(b"image")
    assert sight.capture is not None
    other = replace(sight, capture=replace(sight.capture, image=b"other"))
    with pytest.raises(BadMessage, match="not the one that its frame names"):
        decode_answer(unpack(encode_answer(Seen(sight=other))))


@pytest.mark.parametrize("sizes", [[], [5, 0], [4], [-1, 6], [2**70], "5"])
def test_attachments_that_are_not_those_described_are_refused(sizes: object) -> None:
    packet = unpack(encode_answer(Seen(sight=_sight(b"image"))))
    header = json.loads(packet.header)
    assert header["sizes"] == [5]
    header["sizes"] = sizes
    with pytest.raises(BadMessage):
        decode_answer(Packet(header=json.dumps(header).encode(), attachments=packet.attachments))


def test_a_request_with_attachments_is_refused() -> None:
    packet = unpack(encode_request(CaptureRequest(deadline_s=1.0)))
    with pytest.raises(BadMessage, match="no attachments"):
        decode_request(Packet(header=packet.header, attachments=b"x"))


@pytest.mark.parametrize("deadline", ["NaN", "Infinity", "-1", "1e9", '"soon"', "null"])
def test_a_deadline_that_is_none_is_refused(deadline: str) -> None:
    text = f'{{"request":{{"kind":"capture","deadline_s":{deadline}}},"number":1}}'
    with pytest.raises(BadMessage, match="deadline_s"):
        decode_request(Packet(header=text.encode(), attachments=b""))


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"\xff\xfe",
        b"[" * 200_000,
        b'{"request":' * 100_000,
        b'{"request":{"kind":"exec","command":"id"}}',
        b'{"request":{"kind":"perform","calls":[{"call_id":"a","action":{"kind":"shell"}}],"action_id":"a"}}',
        b'{"request":{"kind":"perform","calls":[],"action_id":"","decision_frame":null,"deadline_s":1}}',
        b'{"request":{"kind":"release"},"number":' + b"9" * 10_000 + b"}",
    ],
)
def test_requests_that_are_none_are_refused(header: bytes) -> None:
    with pytest.raises(BadMessage):
        decode_request(Packet(header=header, attachments=b""))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=20,
)


@_SLOW
@given(found=_JSON, kind=st.sampled_from(["open", "capture", "perform", "collect", "release", "close", "seen"]))
def test_any_json_is_a_request_or_is_refused(found: object, kind: str) -> None:
    fields = {"kind": kind, "deadline_s": found, "start": found, "calls": found, "action_id": found, "batch": found}
    header = json.dumps({"request": fields, "number": 1}).encode()
    for decode in (decode_request, decode_answer):
        with contextlib.suppress(BadMessage):
            decode(Packet(header=header, attachments=b""))


def test_a_refusal_repeats_nothing_of_the_message() -> None:
    header = b'{"request":{"kind":"capture","deadline_s":"hunter2"}}'
    with pytest.raises(BadMessage) as caught:
        decode_request(Packet(header=header, attachments=b""))
    assert "hunter2" not in str(caught.value)


def test_a_setup_comes_back_as_it_was() -> None:
    spec = ControllerSpec(kind="desktop", monitor=0, apps={"editor": ("mousepad", "--disable-server")})
    setup = DeviceSetup(factory="module:name", spec=spec)
    assert decode_setup(unpack(encode_setup(setup))) == setup


def test_a_setup_that_is_none_is_refused() -> None:
    with pytest.raises(BadMessage):
        decode_setup(unpack(pack(b'{"factory":"a:b","spec":{}}', [])))


def test_text_to_type_survives_byte_for_byte() -> None:
    text = "".join(map(chr, range(0x250))) + "\u2028\u2029\ufeff\U0001f600\x00"
    call = DeviceCall(call_id="c", action=TypeText(text=text))
    request = PerformRequest(calls=(call,), action_id="a", decision_frame=None, deadline_s=1.0)
    assert decode_request(unpack(encode_request(request))).request == request
