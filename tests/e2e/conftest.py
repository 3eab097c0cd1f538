"""Pages on loopback and one browser for all end-to-end tests."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import pytest_asyncio
from playwright.async_api import Page

from harness.controllers.web import WarmBrowser, find_chromium, open_browser
from harness.protocols import ControllerSpec
from harness.values.geometry import Size

Body = str | bytes | Callable[[BaseHTTPRequestHandler], None]
Serve = Callable[[dict[str, Body]], str]


class _Pages(BaseHTTPRequestHandler):
    """Answers with the body of its path: HTML, or a function that writes the whole answer itself."""

    bodies: dict[str, Body]

    def do_GET(self) -> None:
        body = self.bodies.get(self.path.partition("?")[0])
        if callable(body):
            body(self)
        elif body is None:
            self.send_error(404)
        else:
            self.answer(body)

    def do_POST(self) -> None:
        self.do_GET()

    def answer(self, body: str | bytes) -> None:
        data = body.encode() if isinstance(body, str) else body
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: browsers drop connections when a page goes away."""


@contextmanager
def _served(bodies: dict[str, Body]) -> Iterator[str]:
    handler = type("Pages", (_Pages,), {"bodies": {"/favicon.ico": b"", **bodies}})
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def serve(request: pytest.FixtureRequest) -> Serve:
    """Return a function that serves bodies by path on loopback until the test ends, and returns the base address."""

    def start(bodies: dict[str, Body]) -> str:
        context = _served(bodies)
        base_url = context.__enter__()
        request.addfinalizer(lambda: context.__exit__(None, None, None))
        return base_url

    return start


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def warm_browser() -> AsyncIterator[WarmBrowser]:
    """Return the one Chromium of the test session. Tests that use it run in the session's event loop."""
    if find_chromium() is None:
        pytest.skip("no Chromium here: run `transom doctor --fix`")
    browser = await open_browser(ControllerSpec(kind="web"))
    yield browser
    await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def page(warm_browser: WarmBrowser) -> AsyncIterator[Page]:
    """Return an empty page of 800x600 CSS pixels in a context of its own."""
    fresh = await warm_browser.new_page(viewport=Size(width_px=800, height_px=600))
    yield fresh
    await warm_browser.close_page(fresh)
