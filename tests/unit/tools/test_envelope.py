from __future__ import annotations

import base64
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.tools.encoded import drop_encoded, has_encoded
from harness.tools.envelope import make_envelope, needs_envelope

LONG = "\n".join(f"row {number} of the table" for number in range(2000))


@pytest.mark.req("R-CTX-14")
def test_an_envelope_says_status_size_ref_trouble_head_and_tail() -> None:
    text = LONG.replace("row 1000 of", "row 1000: ERROR disk full,")
    envelope = make_envelope(text, limit_chars=2000, ref="s0003-record", status="error")
    assert len(envelope) <= 2000
    assert envelope.startswith(f"[shortened] status: error; original size: {len(text):,} characters in 2,000 lines")
    assert "full_result_ref: s0003-record" in envelope
    assert "error lines (1 in all):\nline 1001: row 1000: ERROR disk full, the table" in envelope
    assert "\nhead:\nrow 0 of the table\n" in envelope
    assert envelope.endswith("\nrow 1999 of the table")


def test_wanted_lines_come_first_when_named() -> None:
    envelope = make_envelope(LONG, limit_chars=1500, ref="r", find="ROW 77 ")
    assert "matched lines (1 in all):\nline 78: row 77 of the table" in envelope


@pytest.mark.parametrize("limit_chars", [0, len(LONG), len(LONG) + 1])
def test_a_text_within_the_limit_stays_whole(limit_chars: int) -> None:
    assert make_envelope(LONG, limit_chars=limit_chars, ref="r") == LONG
    assert not needs_envelope(LONG, limit_chars=limit_chars)


def test_a_text_one_over_the_limit_is_shortened() -> None:
    assert needs_envelope(LONG, limit_chars=len(LONG) - 1)
    assert make_envelope(LONG, limit_chars=len(LONG) - 1, ref="r") != LONG


@settings(deadline=None)
@given(text=st.text(min_size=1), times=st.integers(1, 400), limit_chars=st.integers(1, 3000))
def test_an_envelope_never_exceeds_its_limit(text: str, times: int, limit_chars: int) -> None:
    whole = text * times
    envelope = make_envelope(whole, limit_chars=limit_chars, ref="s0001-record")
    assert len(envelope) <= limit_chars
    if len(whole) > limit_chars >= 200:
        assert "full_result_ref: s0001-record" in envelope
    assert envelope == make_envelope(whole, limit_chars=limit_chars, ref="s0001-record")


PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 900
RUN = base64.b64encode(PNG).decode()


@pytest.mark.case("G02")
@pytest.mark.req("R-IMG-1")
@pytest.mark.parametrize("limit_chars", [0, 10_000, 10_000_000])
@pytest.mark.parametrize(
    "payload",
    [
        RUN,
        RUN[:120_001],
        "data:image/png;base64," + RUN[:400],
        base64.encodebytes(PNG).decode(),
        f'{{"type": "image", "data": "{RUN}"}}',
        base64.urlsafe_b64encode(PNG).decode(),
        "A" * 300_000,
    ],
)
def test_an_image_as_text_never_enters(payload: str, limit_chars: int) -> None:
    assert needs_envelope(payload, limit_chars=limit_chars)
    envelope = make_envelope(f"screenshot:\n{payload}\ndone", limit_chars=limit_chars, ref="s0001-record")
    assert len(envelope) < 500
    assert re.search(r"[A-Za-z0-9+/_-]{100,}", envelope) is None
    assert "characters left out]" in envelope
    assert "full_result_ref: s0001-record" in envelope
    assert "screenshot:" in envelope
    assert envelope.rstrip().endswith("done")


def test_the_phrase_names_the_kind() -> None:
    assert drop_encoded(RUN) == f"[image/png of {len(RUN):,} characters left out]"


@pytest.mark.parametrize("text", [LONG, "漢字" * 5000, "a" * 999, "/usr/lib/" * 20, "word " * 5000])
def test_readable_text_is_no_encoded_data(text: str) -> None:
    assert not has_encoded(text)
    assert drop_encoded(text) == text
