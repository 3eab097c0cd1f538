"""Addresses and tokens that are accepted, and what is said about the others."""

from __future__ import annotations

import pytest

from harness import plugins
from harness.controllers.remote.address import (
    check_address,
    client_token,
    is_loopback,
    served_hosts,
    server_token,
)
from harness.controllers.remote.factory import create
from harness.errors import UsageError
from harness.protocols import ControllerSpec

_TOKEN = "0123456789abcdef-secret"
_VARIABLE = "TRANSOM_DEVICE_TOKEN"


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("http://127.0.0.1:8765", "http://127.0.0.1:8765"),
        ("http://127.0.0.1:8765/", "http://127.0.0.1:8765"),
        ("http://LOCALHOST:1", "http://localhost:1"),
        ("http://[::1]:8765", "http://[::1]:8765"),
        ("http://127.8.9.1", "http://127.8.9.1"),
        ("https://desk.example.org", "https://desk.example.org"),
        ("HTTPS://10.0.0.5:8443", "https://10.0.0.5:8443"),
    ],
)
def test_addresses_that_are_used(given: str, used: str) -> None:
    assert check_address(given) == used


@pytest.mark.parametrize("address", [None, ""])
def test_a_missing_address_says_what_to_set(address: str | None) -> None:
    with pytest.raises(UsageError, match=r"transom device serve.*controller\.address"):
        check_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1:8765",
        "ftp://127.0.0.1",
        "http://",
        "http://[::1",
        "http://127.0.0.1:99999",
        "http://a\nb",
        "http://x:0",
    ],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="no http or https address"):
        check_address(address)


@pytest.mark.req("R-ACT-4")
@pytest.mark.parametrize("address", ["http://10.0.0.5:8765", "http://desk.example.org", "http://127.0.0.1.example.org"])
def test_plain_http_to_another_machine_is_refused_with_a_way_out(address: str) -> None:
    with pytest.raises(UsageError, match=r"unencrypted.*ssh -N -L 8765:127\.0\.0\.1:8765.*https"):
        check_address(address)


@pytest.mark.req("R-ACT-4")
@pytest.mark.parametrize(
    "address",
    [
        f"http://127.0.0.1:8765/?token={_TOKEN}",
        f"http://user:{_TOKEN}@127.0.0.1:8765",
        f"http://127.0.0.1:8765#{_TOKEN}",
        f"http://127.0.0.1:8765/{_TOKEN}",
    ],
)
def test_an_address_with_a_token_in_it_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(UsageError, match=f"more than scheme, host and port.*{_VARIABLE}") as caught:
        check_address(address)
    assert _TOKEN not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.255.0.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.0.2", False),
        ("localhost.example.org", False),
        ("", False),
    ],
)
def test_which_hosts_are_this_machine(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_the_client_takes_the_given_token_before_the_one_of_the_environment() -> None:
    assert client_token(_TOKEN, {_VARIABLE: "another-token-0123456789"}) == _TOKEN
    assert client_token(None, {_VARIABLE: _TOKEN}) == _TOKEN


def test_a_client_without_a_token_is_told_where_to_put_it() -> None:
    with pytest.raises(UsageError, match=f"set the environment variable {_VARIABLE}"):
        client_token(None, {})


@pytest.mark.parametrize(
    "token", ["short-secret-1", "with space 0123456789", "line\nbreak-0123456789", "é" * 20, "x" * 513]
)
def test_what_can_be_no_token_is_refused_and_not_repeated(token: str) -> None:
    for take in (lambda: client_token(token, {}), lambda: server_token({_VARIABLE: token}, host="127.0.0.1")):
        with pytest.raises(UsageError, match=f"has {len(token)} characters") as caught:
            take()
        assert token not in str(caught.value)


@pytest.mark.req("R-ACT-4")
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.2", "desk.example.org"])
def test_without_a_token_only_this_machine_may_connect(host: str) -> None:
    with pytest.raises(UsageError, match=f"{_VARIABLE}.*SSH tunnel"):
        server_token({}, host=host)
    assert not server_token({_VARIABLE: _TOKEN}, host=host).is_new


def test_a_new_token_is_random_and_never_shown() -> None:
    first, second = (server_token({}, host="127.0.0.1") for _ in range(2))
    assert first.is_new
    assert len(first.value) >= 40
    assert first.value != second.value
    assert first.value not in repr(first)


@pytest.mark.req("R-ACT-4")
def test_the_names_of_a_server() -> None:
    names = served_hosts("127.0.0.1", 8765, ["desk.example.org", "other:9000"])
    assert {"127.0.0.1:8765", "localhost:8765", "[::1]:8765"} <= names
    assert {"desk.example.org", "desk.example.org:8765", "other:9000"} <= names
    assert names.isdisjoint({"other", "127.0.0.1", "127.0.0.1:80", "0.0.0.0:8765"})
    assert "[::1]:80" in served_hosts("::1", 80, [])
    assert "localhost" in served_hosts("::1", 80, [])
    assert "192.168.0.2:1" in served_hosts("192.168.0.2", 1, [])


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_an_address_for_every_interface_is_no_name(host: str) -> None:
    assert not [name for name in served_hosts(host, 8765, []) if "0.0.0.0" in name or "[::]" in name]


@pytest.mark.parametrize("name", ["http://desk", "desk:", "a b", "user@desk", "desk/path", "*", "", "desk.:80"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="--allow-host takes NAME"):
        served_hosts("127.0.0.1", 8765, [name])


def test_the_factory_is_there_each_time_it_is_loaded() -> None:
    for _ in range(2):
        assert plugins.load("transom.controllers", "remote") is create


def test_a_controller_needs_address_and_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(_VARIABLE, raising=False)
    with pytest.raises(UsageError, match=r"controller\.address"):
        create(ControllerSpec(kind="remote", token=_TOKEN))
    with pytest.raises(UsageError, match=_VARIABLE):
        create(ControllerSpec(kind="remote", address="http://127.0.0.1:8765"))
    spec = ControllerSpec(kind="remote", address="http://127.0.0.1:8765", token=_TOKEN)
    assert _TOKEN not in repr(create(spec)) + repr(spec)
