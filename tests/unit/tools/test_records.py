from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.tools.records import describe_exchange, read_text
from harness.values.artifact import Artifact
from harness.values.frame import Frame
from harness.values.geometry import Size, Transform
from harness.values.message import AssistantMessage, TextPart, ToolCall, ToolResult
from harness.values.observation import Observation
from harness.values.transcript import Exchange

TEXT = "".join(f"line {number}: {'alpha' if number % 7 == 0 else 'beta'}\n" for number in range(3000))


def _tokens(text: str) -> int:
    return (len(text) + 3) // 4


@pytest.mark.req("R-CTX-14")
@settings(deadline=None)
@given(text=st.text(max_size=3000), limit_tokens=st.integers(60, 400))
def test_paging_reads_the_whole_text_once(text: str, limit_tokens: int) -> None:
    seen, offset = "", 0
    while True:
        answer = read_text(text, count=_tokens, offset=offset, limit_tokens=limit_tokens)
        assert _tokens(answer) <= limit_tokens
        first, _, rest = answer.partition("\n")
        start, end = (int(number) for number in re.findall(r"\d+", first)[:2])
        assert start == offset
        body, _, last = rest.rpartition("\n")
        assert len(body) == end - start
        seen += body
        if last == "(end of the record)":
            break
        offset = int(re.findall(r"continue with offset (\d+)", last)[0])
    assert seen == text


def test_a_page_stays_within_two_thousand_tokens() -> None:
    answer = read_text(TEXT, count=_tokens)
    assert 1900 < _tokens(answer) <= 2000
    assert answer.startswith("characters 0 to ")


def test_a_search_pages_through_all_matches() -> None:
    found: list[str] = []
    offset = 0
    while True:
        answer = read_text(TEXT, count=_tokens, find="ALPHA", offset=offset, limit_tokens=300)
        assert _tokens(answer) <= 300
        for start, line in re.findall(r"^offset (\d+): (.*)$", answer, re.MULTILINE):
            assert TEXT[int(start) :].startswith(line)
            found.append(line)
        more = re.search(r"continue with offset (\d+)\)$", answer)
        if more is None:
            break
        offset = int(more.group(1))
    assert found == [line for line in TEXT.splitlines() if "alpha" in line]


def test_a_long_line_is_cut_around_the_match() -> None:
    answer = read_text("x " * 5000 + "needle" + " y" * 5000, count=_tokens, find="needle")
    assert "needle" in answer
    assert len(answer) < 600


def test_no_match_and_past_the_end_are_said() -> None:
    assert "no line from offset 0 on holds that text" in read_text("abc", count=_tokens, find="zzz")
    assert "past the end: the record has 3 characters" in read_text("abc", count=_tokens, offset=3)
    assert read_text("", count=_tokens) == "characters 0 to 0 of 0:\n\n(end of the record)"


@pytest.mark.case("G02")
def test_encoded_data_is_never_read_back() -> None:
    answer = read_text("before " + "iVBORw0KGgo" + "A" * 5000 + " after", count=_tokens)
    assert "before [image/png of 5,011 characters left out] after" in answer


def test_a_step_is_told_exactly() -> None:
    frame = Frame(
        sha256="f" * 64,
        media_type="image/png",
        width_px=800,
        height_px=600,
        device_scale=1.0,
        captured_at_s=0.0,
        source="action",
        transform=Transform(),
    )
    clean = Artifact(id="s0003-clean", kind="clean", step=3, blob="f" * 64, media_type="image/png", size_bytes=1)
    exchange = Exchange(
        seq=9,
        step=3,
        round=1,
        message=AssistantMessage(
            parts=(
                TextPart(text="I click."),
                ToolCall(id="a", name="click", arguments_json='{"mark": 3}'),
                ToolCall(id="b", name="look", arguments_json=""),
            )
        ),
        results=(ToolResult(call_id="a", name="click", status="error", text="gone", record="s0003-record"),),
        observation=Observation(frame=frame, screen=Size(width_px=800, height_px=600), url="https://e.test/"),
        images=(clean,),
    )
    assert describe_exchange(exchange).split("\n") == [
        "step 3 of round 1, open",
        "said: I click.",
        'call a: click {"mark": 3}',
        "result, error (whole: s0003-record): gone",
        "call b: look ",
        "result: none yet",
        "images: s0003-clean",
        "Screen after step 3: frame s0003-clean, 800x600 px",
        'url: "https://e.test/"',
    ]
