from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.controllers.desktop.x11.selection_formats import (
    decode_text,
    encode_text,
    is_plain_text,
    kinds_text,
    readable_forms,
)

pytestmark = [pytest.mark.req("R-ACT-1")]
ABOUT = ("TARGETS", "MULTIPLE", "TIMESTAMP", "SAVE_TARGETS")


@given(st.text())
def test_every_form_of_a_text_is_the_text(text: str) -> None:
    for type_name, data in encode_text(text, is_secret=False).values():
        assert decode_text(type_name, data) == text


def test_the_old_form_is_offered_only_where_it_can_hold_the_text() -> None:
    assert encode_text("é", is_secret=False)["STRING"] == ("STRING", b"\xe9")
    assert "STRING" not in encode_text("€", is_secret=False)


def test_a_secret_is_marked() -> None:
    assert encode_text("a", is_secret=True)["x-kde-passwordManagerHint"][1] == b"secret"
    assert "x-kde-passwordManagerHint" not in encode_text("a", is_secret=False)


def test_half_a_surrogate_pair_is_no_text() -> None:
    with pytest.raises(UnicodeEncodeError):
        encode_text("a\ud83d", is_secret=False)


def test_what_is_no_utf8_is_replaced() -> None:
    assert decode_text("UTF8_STRING", b"a\xff") == "a\ufffd"


@pytest.mark.parametrize(
    ("targets", "is_plain"),
    [
        ((*ABOUT, "UTF8_STRING", "STRING", "TEXT"), True),
        ((*ABOUT, "GTK_TEXT_BUFFER_CONTENTS", "text/plain;charset=UTF-8"), True),
        ((*ABOUT, "UTF8_STRING", "text/html"), False),
        ((*ABOUT, "image/png"), False),
        (ABOUT, False),
        ((), False),
    ],
)
def test_only_plain_text_can_be_restored_from_its_text(targets: tuple[str, ...], *, is_plain: bool) -> None:
    assert is_plain_text(targets) is is_plain


def test_kinds_are_named_but_not_endlessly() -> None:
    assert kinds_text((*ABOUT, "image/png")) == "'image/png'"
    assert kinds_text(ABOUT) == "nothing"
    assert kinds_text([f"kind-{number}" for number in range(12)]).endswith("'kind-9' and more")


@pytest.mark.parametrize(
    ("targets", "forms"),
    [
        (("STRING", "TARGETS", "UTF8_STRING"), ("UTF8_STRING", "STRING")),
        (("TARGETS", "image/png"), ()),
        ((), ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "STRING")),
    ],
)
def test_the_best_form_that_is_offered_is_read(targets: tuple[str, ...], forms: tuple[str, ...]) -> None:
    assert readable_forms(targets) == forms
