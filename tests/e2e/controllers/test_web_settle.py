from __future__ import annotations

from http.server import BaseHTTPRequestHandler

import pytest
from playwright.async_api import Page

from harness.values.action import Click, Look, Navigate
from observers.settle.web import WebSettle

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

BUTTON = "<body><button id=a onclick='%s'>A</button><p id=out></p>"
# The page keeps its own book: what it could see of somebody who watches it.
WITNESS = """<body><p id=p>text</p><div id=host></div><iframe srcdoc="<p>inner</p>"></iframe><script>
  host.attachShadow({mode: "open"}).innerHTML = "<p>deep</p>";
  window.seen = [];
  const note = what => seen.push(what);
  for (const root of [document, host.shadowRoot])
    new MutationObserver(list => list.forEach(item => note(item.type))).observe(root,
      {subtree: true, childList: true, attributes: true, characterData: true});
  for (const name of ["addEventListener", "removeEventListener"]) {
    const plain = EventTarget.prototype[name];
    EventTarget.prototype[name] = function (...given) { note(name); return plain.apply(this, given); };
  }
  for (const name of ["MutationObserver", "requestAnimationFrame", "setTimeout", "PerformanceObserver"]) {
    const plain = window[name];
    window[name] = function (...given) { note(name); return new.target ? new plain(...given) : plain(...given); };
  }
  for (const name of ["resize", "scroll", "focus", "blur", "mousemove", "visibilitychange"])
    window.onresize = window.onscroll = window.onfocus = window.onblur = () => note("event");
  window.globals = "";
  window.globals = Object.getOwnPropertyNames(window).sort().join();
</script>"""


def _slow(seconds: float, body: bytes = b"late"):
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.end_headers()
        handler.wfile.flush()
        _hold(handler, seconds)
        handler.wfile.write(body)

    return answer


def _hold(handler: BaseHTTPRequestHandler, seconds: float) -> None:
    """Keep the answer open until `seconds` have passed or the browser goes away."""
    handler.connection.settimeout(seconds)
    try:
        handler.connection.recv(1)
    except TimeoutError:
        return


@pytest.mark.req("R-ACT-3")
async def test_what_the_action_fetched_is_in_the_frame(serve, drive) -> None:
    script = 'fetch("/slow").then(a => a.text()).then(t => out.textContent = t)'
    driven = await drive(serve({"/": BUTTON % script, "/slow": _slow(0.7)}))
    outcome = await driven.act(Click(target=driven.mark("a")))
    assert outcome.observation.settle.kind == "settled"
    assert outcome.observation.settle.waited_s >= 0.6
    assert await driven.page.inner_text("#out") == "late"


@pytest.mark.req("R-ACT-3")
async def test_a_finite_animation_is_waited_for_and_an_endless_one_is_not(serve, drive) -> None:
    finite = 'p.animate([{opacity: 0}, {opacity: 1}], 600).onfinish = () => document.title = "over"'
    page = f"<body><p id=p>p</p><button id=a onclick='{finite}'>A</button>"
    driven = await drive(serve({"/": page}))
    outcome = await driven.act(Click(target=driven.mark("a")))
    assert (outcome.observation.settle.kind, outcome.observation.title) == ("settled", "over")
    await driven.page.evaluate("p.animate([{opacity: 0}, {opacity: 1}], {duration: 300, iterations: Infinity})")
    outcome = await driven.act(Look())
    assert outcome.observation.settle.kind != "cap"


@pytest.mark.req("R-ACT-3")
@pytest.mark.parametrize(
    ("script", "pending"),
    [
        ("setInterval(() => out.textContent = Math.random(), 10)", "page changes"),
        ('fetch("/never")', "1 request"),
        ("out.animate([{opacity: 0}, {opacity: 1}], 60000)", "1 animation"),
    ],
)
async def test_what_never_rests_hits_the_cap_and_is_named(serve, drive, script: str, pending: str) -> None:
    driven = await drive(serve({"/": BUTTON % script, "/never": _slow(8)}))
    outcome = await driven.act(Click(target=driven.mark("a")))
    report = outcome.observation.settle
    assert (report.kind, report.pending) == ("cap", pending)
    assert report.waited_s >= 2.9
    assert outcome.capture is not None


@pytest.mark.req("R-ACT-3")
async def test_a_slow_navigation_is_waited_for_beyond_the_cap(serve, drive) -> None:
    base = serve({"/": BUTTON % 'location.href = "/slow"', "/slow": _slow(4.0, b"<title>Arrived</title><p>here")})
    driven = await drive(base)
    outcome = await driven.act(Click(target=driven.mark("a")))
    assert outcome.observation.title == "Arrived"
    assert outcome.observation.settle.kind == "settled"


@pytest.mark.req("R-ACT-3")
async def test_an_answer_without_a_document_does_not_hold_the_step(serve, drive) -> None:
    def no_content(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(204)
        handler.end_headers()

    driven = await drive(serve({"/": BUTTON % 'location.href = "/none"', "/none": no_content}))
    outcome = await driven.act(Click(target=driven.mark("a")))
    assert outcome.observation.settle.kind in {"settled", "idle"}
    assert outcome.observation.settle.waited_s < 10


@pytest.mark.case("G21")
async def test_a_font_that_never_comes_does_not_stop_the_frame(serve, drive) -> None:
    page = "<style>@font-face{font-family:F;src:url(/font)}p{font-family:F}</style><p>text</p>"
    base = serve({"/": "<p>start</p>", "/page": page, "/font": _slow(20)})
    driven = await drive(base)
    outcome = await driven.act(Navigate(url=f"{base}/page"))
    assert outcome.capture is not None
    assert outcome.observation.settle.pending == "1 request"


@pytest.mark.req("R-ACT-7")
async def test_looking_and_settling_leave_nothing_that_the_page_can_see(serve, drive) -> None:
    driven = await drive(serve({"/": WITNESS}))
    # Reading is an act of the test's own, so what it leaves is counted away.
    await driven.page.evaluate("seen.length = 0")
    for _ in range(3):
        outcome = await driven.act(Look())
        assert outcome.capture is not None
    assert await driven.page.evaluate("seen") == []
    now = await driven.page.evaluate("Object.getOwnPropertyNames(window).sort().join()")
    assert now == await driven.page.evaluate("globals")


async def test_a_watch_survives_a_document_that_is_replaced(serve, page: Page) -> None:
    base = serve({"/": "<p>one</p>", "/two": "<title>two</title><p>two</p>"})
    await page.goto(base)
    watch = await WebSettle().watch(page)
    await page.goto(f"{base}/two", wait_until="commit")
    report = await watch.settled(cap_s=3.0)
    assert report.kind == "settled"


@pytest.mark.req("R-ACT-3")
async def test_a_document_that_never_ends_counts_as_arrived_once_painted(serve, drive) -> None:
    page = "<p>painted</p><script src='/never'></script>"
    base = serve({"/": "<p>start</p>", "/page": page, "/never": _slow(30)})
    driven = await drive(base)
    outcome = await driven.act(Navigate(url=f"{base}/page"), deadline_s=40)
    report = outcome.observation.settle
    assert (report.kind, "request" in report.pending) == ("cap", True)
    assert report.waited_s < 12


async def test_a_watch_of_something_else_is_refused() -> None:
    with pytest.raises(TypeError, match="Playwright page, got str"):
        await WebSettle().watch("page")
