"""Events survive the way to disk and back."""

from __future__ import annotations

import dataclasses
import json
import math
import typing
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.session.codec import decode, encode, event_kind, replace_surrogates
from harness.values.action import DeviceCall, Wait
from harness.values.event import (
    EventBody,
    InstructionAdded,
    IntentRecorded,
    ReplyReceived,
    StepValidated,
    UnknownEvent,
)
from harness.values.message import AssistantMessage, Reply
from harness.values.validation import Validation

KINDS = get_args(EventBody)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(max_size=20),
    int: st.integers(),
    float: st.floats(allow_nan=False),
    bool: st.booleans(),
    NoneType: st.none(),
}


def whole(hint: Any) -> st.SearchStrategy[Any]:
    """Return a strategy that fills every field, those with defaults included."""
    if hint in PLAIN:
        return PLAIN[hint]
    if dataclasses.is_dataclass(hint):
        hints = typing.get_type_hints(hint)
        return st.deferred(lambda: st.builds(hint, **{name: whole(inner) for name, inner in hints.items()}))
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple:
        return st.lists(whole(args[0]), max_size=2).map(tuple)
    assert origin in (UnionType, typing.Union), hint
    return st.one_of([whole(arg) for arg in args])


@pytest.mark.req("R-PRO-2")
@pytest.mark.parametrize("cls", KINDS, ids=lambda cls: cls.__name__)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_every_kind_survives_the_round_trip(cls: type[EventBody], data: st.DataObject) -> None:
    body = data.draw(whole(cls))
    text = encode(body)
    assert "\n" not in text
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    back = decode(event_kind(body), text)
    assert back == body
    assert type(back) is cls
    assert encode(back) == text


@pytest.mark.parametrize("number", [math.inf, -math.inf])
def test_a_number_that_json_lacks_survives_wherever_it_stands(number: float) -> None:
    wait = IntentRecorded(
        action_id="a", calls=(DeviceCall(call_id="c", action=Wait(duration_s=number)),), decision_frame=None
    )
    reply = ReplyReceived(
        reply=Reply(message=AssistantMessage(parts=()), finish="stop", model="m", first_token_s=number, seconds=number)
    )
    assert decode("intent", encode(wait)) == wait
    assert decode("reply", encode(reply)) == reply


def test_an_unknown_kind_is_kept_byte_for_byte() -> None:
    text = '{"later":  [1, 2.50], "kind":"telepathy"}'
    body = decode("telepathy", text)
    assert body == UnknownEvent(name="telepathy", body_json=text)
    assert event_kind(body) == "telepathy"
    assert encode(body) == text


def test_an_unknown_field_is_skipped() -> None:
    fields = json.loads(encode(StepValidated(validation=Validation(is_executed=True))))
    fields["later"] = 1
    fields["validation"]["later"] = {"x": 2}
    assert decode("validation", json.dumps(fields)) == StepValidated(validation=Validation(is_executed=True))


@pytest.mark.parametrize("text", ["", "[]", '{"text": 3}', '{"text": "x", "kind": "reply"}'])
def test_a_body_of_another_shape_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="InstructionAdded"):
        decode("instruction", text)


def test_a_lone_surrogate_is_refused_and_can_be_replaced() -> None:
    body = InstructionAdded(text="a\ud800b")
    with pytest.raises(ValueError, match="surrogates"):
        encode(body)
    assert replace_surrogates(body) == InstructionAdded(text="a?b")
    unknown = UnknownEvent(name="later", body_json='"\ud800"')
    assert replace_surrogates(unknown) == UnknownEvent(name="later", body_json='"?"')
