"""The dialect `neutral`: canonical bytes, one part a message."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.values.message import ReasoningPart, TextPart, ToolCall
from harness.values.projection import ImagePart, ProjectedMessage, Projection
from harness.values.tool import ToolDeclaration
from policies.neutral import render

IMAGE = ImagePart(
    artifact="s0001-clean",
    image_kind="clean",
    step=1,
    sha256="b" * 64,
    media_type="image/png",
    width_px=800,
    height_px=600,
    size_bytes=1234,
    also=("s0000-clean",),
)
TOOL = ToolDeclaration(name="click", description="Click.", parameters_json='{"type": "object"}', owner="device")


def message(text: str = "hi", **changes: object) -> ProjectedMessage:
    made = ProjectedMessage(role="user", section="task", lifetime="fixed", parts=(TextPart(text=text),))
    return replace(made, **changes)  # type: ignore[arg-type]  # the test names real fields


def projection(*messages: ProjectedMessage) -> Projection:
    return Projection(step=1, tools=(TOOL,), messages=messages, sections=(), images=())


@pytest.mark.req("R-PRO-2")
def test_tools_come_first_and_each_message_is_one_part() -> None:
    request = render(projection(message("a"), message("b")))
    assert request.dialect == "neutral"
    assert [part.message_index for part in request.parts] == [-1, 0, 1]
    assert json.loads(request.parts[0].body) == {
        "tools": [{"name": "click", "description": "Click.", "parameters": {"type": "object"}}]
    }


def test_bytes_are_canonical_and_the_digest_is_over_them() -> None:
    (part,) = render(projection(message("é €"))).parts[1:]
    assert part.body == '{"parts":[{"text":"é €","type":"text"}],"role":"user","section":"task"}'.encode()
    assert part.sha256 == hashlib.sha256(part.body).hexdigest()
    assert part.size_bytes == len(part.body)


def test_an_image_is_a_reference_and_its_blob_is_named() -> None:
    (part,) = render(projection(message(parts=(TextPart(text="see"), IMAGE)))).parts[1:]
    assert part.blobs == (IMAGE.sha256,)
    shown = json.loads(part.body)["parts"][1]
    assert shown["type"] == "image"
    assert (shown["artifact"], shown["sha256"], shown["also"]) == ("s0001-clean", "b" * 64, ["s0000-clean"])


def test_calls_results_and_reasoning_keep_what_was_said() -> None:
    call = ToolCall(id="call-1", name="click", arguments_json='{"mark":')
    said = message(role="assistant", section="history", parts=(ReasoningPart(text="hm"), call))
    result = message("failed", role="tool", section="history", call_id="call-1", is_error=True)
    first, second = (json.loads(part.body) for part in render(projection(said, result)).parts[1:])
    assert first["parts"] == [
        {"type": "reasoning", "text": "hm"},
        {"type": "tool_call", "id": "call-1", "name": "click", "arguments": '{"mark":'},
    ]
    assert (second["call_id"], second["is_error"]) == ("call-1", True)


@pytest.mark.req("R-PRO-3")
def test_an_observation_that_becomes_history_keeps_its_bytes() -> None:
    current = message("Screen", section="observation", lifetime="append_only")
    earlier = replace(current, section="history")
    assert render(projection(current)).digests == render(projection(earlier)).digests


def test_a_lone_surrogate_from_a_page_can_be_rendered() -> None:
    (part,) = render(projection(message("\ud800"))).parts[1:]
    assert json.loads(part.body)["parts"][0]["text"] == "\ud800"


@given(texts=st.lists(st.text(), max_size=5))
def test_equal_projections_give_equal_bytes(texts: list[str]) -> None:
    first = render(projection(*(message(text) for text in texts)))
    second = render(projection(*(message(str(text)) for text in texts)))
    assert first == second
