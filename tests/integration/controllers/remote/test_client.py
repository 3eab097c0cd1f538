"""What the client of a device server makes of the errors of its HTTP library."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from harness.controllers.device.link import NothingSent
from harness.controllers.device.messages import OpenRequest
from harness.controllers.remote.client import ATTEMPT_ERRORS, CLIENT_ERRORS, HttpLink
from harness.protocols import DeviceStart
from harness.values.geometry import Size

_OPEN = OpenRequest(start=DeviceStart(url=None, max_sent=Size(width_px=64, height_px=40)), observers=())
_TOKEN = "test-token-0123456789abcdef"
_ADDRESS = "https://desk.example.org"
_SECRET = "hunter2"
# A response that is read twice, a cookie that is asked for by its name: only a mistake of ours raises these.
_OUR_MISTAKES = (httpx2.StreamError, httpx2.CookieConflict)


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


async def _problem(address: str) -> str:
    link = HttpLink(address, _TOKEN)
    with pytest.raises(NothingSent, match=r"check the address, and .*HTTPS_PROXY") as caught:
        await link.exchange(_OPEN, limit_s=1.0)
    await link.close()
    assert address in str(caught.value)
    assert caught.value.__suppress_context__
    return str(caught.value)


def test_every_error_of_the_library_is_mapped() -> None:
    classes = [item for item in vars(httpx2).values() if isinstance(item, type) and issubclass(item, Exception)]
    assert len(classes) > 20
    mapped = (*ATTEMPT_ERRORS, *CLIENT_ERRORS, *_OUR_MISTAKES)
    assert [cls.__name__ for cls in classes if not issubclass(cls, mapped)] == []


async def test_an_address_that_is_none_reached_nothing() -> None:
    assert "InvalidURL" in await _problem("https://10.0.0.256")


@pytest.mark.parametrize(
    "proxy",
    [
        f"ftp://user:{_SECRET}@proxy",
        f"ftp://{_SECRET}",
        f"http://user:{_SECRET}/x@proxy",
        f"http://user:{_SECRET}@10.0.0.256",
    ],
)
async def test_a_proxy_that_can_not_be_used_is_not_repeated(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    text = await _problem(_ADDRESS)
    assert _SECRET not in text
    assert "10.0.0.256" not in text


async def test_certificates_that_are_not_there_are_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    assert "FileNotFoundError" in await _problem(_ADDRESS)
