"""Who is let in: judged by name, origin, token and length, before any body is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.controllers.remote.address import served_hosts
from harness.controllers.remote.guard import MAX_BODY_BYTES, Guard, Refusal

pytestmark = pytest.mark.req("R-ACT-4")
_TOKEN = "0123456789abcdef-secret"
_GOOD: dict[str, str] = {
    "host": "127.0.0.1:8765",
    "authorization": f"Bearer {_TOKEN}",
    "content-type": "application/vnd.transom.device",
    "content-length": "10",
}


def _guard(*allowed: str) -> Guard:
    return Guard(token=_TOKEN, hosts=served_hosts("127.0.0.1", 8765, allowed))


def _judge(*more: tuple[str, str], method: str = "POST", query: bytes = b"", **changes: str | None) -> Refusal | None:
    headers = {**_GOOD, **{name.replace("_", "-"): value for name, value in changes.items()}}
    pairs = [(name, value) for name, value in headers.items() if value is not None] + list(more)
    encoded = [(name.encode(), value.encode("latin-1")) for name, value in pairs]
    return _guard("desk.example.org").judge(method, query, encoded)


def _status(refusal: Refusal | None) -> int:
    return 200 if refusal is None else refusal.status


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:8765", "localhost:8765", "LocalHost:8765", "[::1]:8765", "desk.example.org", "desk.example.org:8765"],
)
def test_its_own_names_are_let_in(host: str) -> None:
    assert _judge(host=host) is None


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "attacker.example",
        "attacker.example:8765",
        "127.0.0.1.attacker.example:8765",
        "localhost.attacker.example:8765",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:87650",
        "127.0.0.1.:8765",
        "localhost.:8765",
        "desk.example.org.",
        "user@127.0.0.1:8765",
        "127.0.0.1:8765@attacker.example",
        "127.0.0.1:8765 ",
        "0.0.0.0:8765",
        "127.1:8765",
        "2130706433:8765",
        "[::ffff:127.0.0.1]:8765",
        "127.0.0.1:8765, 127.0.0.1:8765",
        "http://127.0.0.1:8765",
        "ｌocalhost:8765".encode().decode("latin-1"),
    ],
)
def test_every_other_name_is_refused(host: str | None) -> None:
    assert _status(_judge(host=host)) == 403


def test_two_names_are_refused() -> None:
    assert _status(_judge(("host", "127.0.0.1:8765"))) == 403


@pytest.mark.parametrize(
    "origin", ["null", "", "http://attacker.example", "http://127.0.0.1", "http://127.0.0.1:1", "chrome-extension://x"]
)
def test_web_pages_are_refused(origin: str) -> None:
    assert _status(_judge(origin=origin)) == 403
    assert _status(_judge(origin=origin, method="GET")) == 403


@pytest.mark.parametrize("origin", ["http://127.0.0.1:8765", "https://desk.example.org"])
def test_an_origin_of_its_own_is_let_in(origin: str) -> None:
    assert _judge(origin=origin) is None


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong-token-0123456",
        f"Bearer {_TOKEN}x",
        f"Bearer {_TOKEN[:-1]}",
        f"Bearer {_TOKEN} {_TOKEN}",
        f"Basic {_TOKEN}",
        _TOKEN,
        f"Bearer {_TOKEN.upper()}",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_without_the_token_nobody_is_let_in(authorization: str | None, method: str) -> None:
    assert _status(_judge(authorization=authorization, method=method)) == 401


def test_two_tokens_are_refused() -> None:
    assert _status(_judge(("authorization", f"Bearer {_TOKEN}"))) == 401


@pytest.mark.parametrize("query", [f"token={_TOKEN}".encode(), b"access_token=x", b"x"])
def test_a_token_in_the_address_is_refused_even_beside_the_header(query: bytes) -> None:
    refusal = _judge(query=query)
    assert refusal is not None
    assert refusal.status == 400
    assert "Authorization: Bearer" in refusal.text
    assert _TOKEN not in refusal.text


@pytest.mark.parametrize("kind", [None, "application/json", "text/plain", "application/vnd.transom.device; charset=x"])
def test_another_content_type_is_refused(kind: str | None) -> None:
    assert _status(_judge(content_type=kind)) == 415
    assert _judge(content_type=kind, method="GET") is None


@pytest.mark.parametrize("length", [None, "", "-1", "+1", "1e3", "0x10", "²", "1, 1"])
def test_a_body_of_unknown_length_is_refused(length: str | None) -> None:
    assert _status(_judge(content_length=length)) == 411


def test_a_body_in_chunks_is_refused() -> None:
    assert _status(_judge(transfer_encoding="chunked")) == 411


@pytest.mark.parametrize("length", [str(MAX_BODY_BYTES + 1), "9" * 13, "9" * 5000])
def test_a_body_that_is_too_large_is_refused(length: str) -> None:
    assert _status(_judge(content_length=length)) == 413
    assert _judge(content_length=str(MAX_BODY_BYTES)) is None


def test_names_are_judged_before_the_token() -> None:
    assert _status(_judge(host="attacker.example", authorization=None)) == 403


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["host", "origin", "authorization", "content-type", "content-length", "cookie"]),
            st.one_of(st.text(st.characters(max_codepoint=255), max_size=30), st.sampled_from(list(_GOOD.values()))),
        ),
        max_size=8,
    ),
    st.sampled_from(["GET", "POST"]),
)
def test_only_the_right_host_and_token_are_ever_let_in(pairs: list[tuple[str, str]], method: str) -> None:
    headers = [(name.encode(), value.encode("latin-1")) for name, value in pairs]
    if _guard().judge(method, b"", headers) is None:
        assert [value.lower() for name, value in pairs if name == "host"] == [_GOOD["host"]]
        assert [value.partition(" ")[2] for name, value in pairs if name == "authorization"] == [_TOKEN]
