"""Messages as bytes and back. Image and recording bytes travel as attachments, never inside the JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Final, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from harness.controllers.device.messages import (
    Answer,
    Collected,
    DeviceSetup,
    Done,
    Failed,
    Opened,
    Performed,
    Request,
    Seen,
)
from harness.controllers.device.packet import BadMessage, Packet, cut, pack
from harness.values.frame import Capture
from harness.values.observation import Sight
from harness.values.outcome import Outcome
from harness.values.recording import Recording

T = TypeVar("T")
Number = Annotated[int, Field(ge=0, lt=2**63)]
_MAX_ATTACHMENTS: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedRequest:
    """A request with the number that its answer will carry."""

    request: Annotated[Request, Field(discriminator="kind")]
    number: Number = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedAnswer:
    """An answer with the number of its request."""

    answer: Annotated[Answer, Field(discriminator="kind")]
    number: Number = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _AnswerHeader:
    body: NumberedAnswer
    sizes: Annotated[tuple[Number, ...], Field(max_length=_MAX_ATTACHMENTS)]


def encode_setup(setup: DeviceSetup) -> bytes:
    """Return a setup as one message."""
    return pack(_to_json(_setups(), setup), ())


def decode_setup(packet: Packet) -> DeviceSetup:
    """Return the setup of a message.

    Raises:
        BadMessage: it holds none.
    """
    return _from_json(_setups(), packet.header)


def encode_request(request: Request, *, number: int = 0) -> bytes:
    """Return a request as one message; `?` stands for each lone surrogate, which UTF-8 can't hold.

    Raises:
        BadMessage: it is too large.
    """
    return pack(_to_json(_requests(), NumberedRequest(request=request, number=number)), ())


def decode_request(packet: Packet) -> NumberedRequest:
    """Return the request of a message.

    Raises:
        BadMessage: it holds none, or one with values that are out of bounds.
    """
    if packet.attachments:
        raise BadMessage("a request has no attachments")
    return _from_json(_requests(), packet.header)


def encode_answer(answer: Answer, *, number: int = 0) -> bytes:
    """Return an answer as one message; `?` stands for each lone surrogate, which UTF-8 can't hold.

    Raises:
        BadMessage: it is too large, or has too many attachments.
    """
    attachments = tuple(_attachments(answer))
    if len(attachments) > _MAX_ATTACHMENTS:
        raise BadMessage(f"an answer with {len(attachments)} attachments can't be sent; allowed are {_MAX_ATTACHMENTS}")
    body = NumberedAnswer(answer=_with_attachments(answer, iter([b""] * len(attachments))), number=number)
    header = _AnswerHeader(body=body, sizes=tuple(len(attachment) for attachment in attachments))
    return pack(_to_json(_answers(), header), attachments)


def encode_sendable(answer: Answer, *, number: int = 0) -> bytes:
    """Return an answer as one message; a failure stands for one that can't be sent."""
    try:
        return encode_answer(answer, number=number)
    except BadMessage as exc:
        return encode_answer(Failed(failure="fault", text=str(exc)), number=number)


def decode_answer(packet: Packet) -> NumberedAnswer:
    """Return the answer of a message.

    Raises:
        BadMessage: it holds none, or its attachments are not those that it describes.
    """
    header = _from_json(_answers(), packet.header)
    attachments = cut(packet.attachments, header.sizes)
    if len(attachments) != sum(1 for _ in _attachments(header.body.answer)):
        raise BadMessage(f"the answer comes with {len(attachments)} attachments, which are not those it describes")
    answer = _with_attachments(header.body.answer, iter(attachments))
    _check_images(answer)
    return NumberedAnswer(answer=answer, number=header.body.number)


def _check_images(answer: Answer) -> None:
    """Refuse an image that is not the one its frame names: whoever stores it trusts that name."""
    capture = _capture(answer)
    if capture is not None and hashlib.sha256(capture.image).hexdigest() != capture.frame.sha256:
        raise BadMessage("the image of the answer is not the one that its frame names")


def _capture(answer: Answer) -> Capture | None:
    match answer:
        case Opened() | Seen():
            return answer.sight.capture
        case Performed():
            return answer.outcome.capture
        case Collected() | Done() | Failed():
            return None


def _attachments(answer: Answer) -> Iterator[bytes]:
    """Yield the binary parts of an answer in their fixed order."""
    capture = _capture(answer)
    if capture is not None:
        yield capture.image
        if capture.raw_image is not None:
            yield capture.raw_image
    for recording in _recordings(answer):
        yield recording.body


def _recordings(answer: Answer) -> tuple[Recording, ...]:
    match answer:
        case Performed():
            return answer.outcome.recordings
        case Collected():
            return answer.recordings
        case Opened() | Seen() | Done() | Failed():
            return ()


def _with_attachments(answer: Answer, parts: Iterator[bytes]) -> Answer:
    """Return the answer with other binary parts, taken in their fixed order."""
    match answer:
        case Opened() | Seen():
            return replace(answer, sight=_sight_with(answer.sight, parts))
        case Performed():
            return replace(answer, outcome=_outcome_with(answer.outcome, parts))
        case Collected():
            return replace(answer, recordings=_recordings_with(answer.recordings, parts))
        case Done() | Failed():
            return answer


def _sight_with(sight: Sight, parts: Iterator[bytes]) -> Sight:
    return replace(sight, capture=_capture_with(sight.capture, parts))


def _outcome_with(outcome: Outcome, parts: Iterator[bytes]) -> Outcome:
    capture = _capture_with(outcome.capture, parts)
    return replace(outcome, capture=capture, recordings=_recordings_with(outcome.recordings, parts))


def _capture_with(capture: Capture | None, parts: Iterator[bytes]) -> Capture | None:
    if capture is None:
        return None
    image = next(parts)
    return replace(capture, image=image, raw_image=None if capture.raw_image is None else next(parts))


def _recordings_with(recordings: tuple[Recording, ...], parts: Iterator[bytes]) -> tuple[Recording, ...]:
    return tuple(replace(recording, body=next(parts)) for recording in recordings)


@cache
def _setups() -> TypeAdapter[DeviceSetup]:
    return TypeAdapter(DeviceSetup)


@cache
def _requests() -> TypeAdapter[NumberedRequest]:
    return TypeAdapter(NumberedRequest)


@cache
def _answers() -> TypeAdapter[_AnswerHeader]:
    return TypeAdapter(_AnswerHeader)


def _to_json(adapter: TypeAdapter[T], value: T) -> bytes:
    # Not pydantic's own JSON: it turns NaN and infinity into null, and refuses lone surrogates.
    plain = adapter.dump_python(value, mode="json")
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _from_json(adapter: TypeAdapter[T], text: bytes) -> T:
    try:
        return adapter.validate_json(text)
    except ValidationError as exc:
        raise BadMessage(f"the message is not what it should be: {_first_problem(exc)}") from exc


def _first_problem(exc: ValidationError) -> str:
    """Return what is wrong and where; never the values, which may be anybody's text."""
    first = exc.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(item) for item in first["loc"][:8])
    return f"{first['type']} at {place[:200] or 'its beginning'}"
