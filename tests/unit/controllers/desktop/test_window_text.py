from __future__ import annotations

import pytest

from harness.controllers.desktop.x11.window_text import app_name, decode_text


@pytest.mark.parametrize(
    ("encoding", "data", "text"),
    [
        ("UTF8_STRING", "Größe – 界 😀".encode(), "Größe – 界 😀"),
        ("UTF8_STRING", b"a\xffb\0", "a\N{REPLACEMENT CHARACTER}b"),
        ("STRING", b"plain\0\0", "plain"),
        ("STRING", "Café".encode("latin-1"), "Café"),
        ("STRING", "Café".encode(), "Café"),
        ("C_STRING", b"other", "other"),
        ("COMPOUND_TEXT", b"plain", "plain"),
        ("COMPOUND_TEXT", "Café".encode("latin-1"), "Café"),
        ("COMPOUND_TEXT", b"\x1b-L" + "Привет".encode("iso8859-5"), "Привет"),
        ("COMPOUND_TEXT", b"a \x1b-F" + "λόγος".encode("iso8859-7") + b"\x1b-A \xe9", "a λόγος é"),
        ("COMPOUND_TEXT", b"\x1b$)A" + "你好".encode("gb2312"), "你好"),
        ("COMPOUND_TEXT", b"x\x1b%G" + "界".encode() + b"\x1b%@y", "x界y"),
        ("COMPOUND_TEXT", b"x\x1b%G" + "界".encode(), "x界"),
        ("COMPOUND_TEXT", b"x\x1b\x1b(Zy\x1b", "xy"),
        ("COMPOUND_TEXT", b"", ""),
    ],
)
def test_texts_are_read_in_their_encodings(encoding: str, data: bytes, text: str) -> None:
    assert decode_text(encoding, data) == text


def test_a_long_title_is_cut() -> None:
    assert decode_text("UTF8_STRING", "界".encode() * 5000) == "界" * 1000


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"Navigator\0firefox\0", "firefox"),
        (b"mousepad\0Mousepad\0", "mousepad"),
        (b"only\0", "only"),
        (b"only\0\0", "only"),
        (b"one", "one"),
        (b"", ""),
    ],
)
def test_an_application_is_named_by_its_class(data: bytes, name: str) -> None:
    assert app_name(data) == name
