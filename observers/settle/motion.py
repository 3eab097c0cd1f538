"""Watching the documents of a page for motion, unseen by the page.

On Chromium each document is watched from an isolated world over CDP: the page shares its DOM but no script objects.
Other engines are watched from the page's own world, through objects that no global name reaches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any, Final, Protocol
from weakref import WeakKeyDictionary

from playwright.async_api import CDPSession, Frame, JSHandle, Page
from playwright.async_api import Error as PlaywrightError

QUIET_MS: Final = 100
_MAX_DOCUMENTS: Final = 24
_WORLD: Final = "transom-settle"

# `rest` resolves once 100 ms without a change, two animation frames and the end of every finite animation have
# passed; to true when anything moved since the watch began.
_WATCH_JS: Final = """() => {
  const state = {last: -1, moved: false, stopped: false};
  const touch = () => { state.moved = true; state.last = performance.now(); };
  const observer = new MutationObserver(touch);
  const watch = root => observer.observe(root, {subtree: true, childList: true, attributes: true, characterData: true});
  watch(document);
  for (const element of document.querySelectorAll("*")) if (element.shadowRoot) watch(element.shadowRoot);
  const moves = ["scroll", "input", "change", "load", "transitionrun", "animationstart"];
  for (const name of moves) document.addEventListener(name, touch, {capture: true, passive: true});
  const pause = ms => new Promise(done => setTimeout(done, ms));
  const frame = () => new Promise(done => { requestAnimationFrame(done); setTimeout(done, 250); });
  const running = () => document.getAnimations().filter(animation => animation.playState === "running"
    && animation.timeline instanceof DocumentTimeline && animation.playbackRate !== 0 && animation.effect
    && Number.isFinite(animation.effect.getComputedTiming().endTime));
  state.running = running;
  state.rest = async quiet => {
    state.last = Math.max(state.last, performance.now());
    while (!state.stopped) {
      const left = quiet - (performance.now() - state.last);
      if (left > 0) { await pause(left); continue; }
      const animations = running();
      if (animations.length) {
        state.moved = true;
        await Promise.race([Promise.allSettled(animations.map(animation => animation.finished)), pause(1000)]);
        continue;
      }
      const before = state.last;
      await frame();
      await frame();
      if (state.last === before && !running().length) break;
    }
    return state.moved;
  };
  state.painted = () => new Promise(done => {
    const paints = new PerformanceObserver(() => { paints.disconnect(); done(true); });
    paints.observe({type: "paint", buffered: true});
  });
  state.stop = () => {
    state.stopped = true;
    observer.disconnect();
    for (const name of moves) document.removeEventListener(name, touch, {capture: true});
  };
  return state;
}"""
_REST_JS: Final = "(state, quiet) => state.rest(quiet)"
_REST_THIS_JS: Final = "function (quiet) { return this.rest(quiet); }"
_PAINTED_JS: Final = "state => state.painted()"
_PAINTED_THIS_JS: Final = "function () { return this.painted(); }"
_STOP_JS: Final = "state => state.stop()"
_STOP_THIS_JS: Final = "function () { this.stop(); }"
_COUNT_JS: Final = "state => state.running().length"
_COUNT_THIS_JS: Final = "function () { return this.running().length; }"


class DocumentGone(Exception):
    """The watched document was replaced or its page closed."""


class DocumentWatch(Protocol):
    """Watches one document for motion."""

    async def rest(self) -> bool:
        """Wait until the document is at rest; return whether anything moved since the watch began.

        Raises:
            DocumentGone: the document is no more.
        """
        ...

    async def painted(self) -> None:
        """Wait for the first paint of the document.

        Raises:
            DocumentGone: the document is no more.
        """
        ...

    async def animations(self) -> int:
        """Return how many finite animations run now."""
        ...

    async def stop(self) -> None:
        """Disconnect; a document that is gone has nothing to disconnect."""
        ...


class _IsolatedWatch:
    """A watch in an isolated world of Chromium."""

    def __init__(self, session: CDPSession, object_id: str) -> None:
        self._session = session
        self._object_id = object_id

    async def rest(self) -> bool:
        return bool(await self._call(_REST_THIS_JS, QUIET_MS))

    async def painted(self) -> None:
        await self._call(_PAINTED_THIS_JS)

    async def animations(self) -> int:
        return await self._call(_COUNT_THIS_JS)

    async def stop(self) -> None:
        await self._call(_STOP_THIS_JS)
        await _send(self._session, "Runtime.releaseObject", {"objectId": self._object_id})

    async def _call(self, function: str, *arguments: int) -> int:
        answer = await _send(
            self._session,
            "Runtime.callFunctionOn",
            {
                "objectId": self._object_id,
                "functionDeclaration": function,
                "arguments": [{"value": value} for value in arguments],
                "awaitPromise": True,
                "returnByValue": True,
            },
        )
        return int(answer["result"].get("value") or 0)


class _PageWorldWatch:
    """A watch in the page's own world, for engines without CDP."""

    def __init__(self, handle: JSHandle) -> None:
        self._handle = handle

    async def rest(self) -> bool:
        return bool(await self._call(_REST_JS))

    async def painted(self) -> None:
        await self._call(_PAINTED_JS)

    async def animations(self) -> int:
        return await self._call(_COUNT_JS)

    async def stop(self) -> None:
        await self._call(_STOP_JS)
        await self._handle.dispose()

    async def _call(self, function: str) -> int:
        try:
            return int(await self._handle.evaluate(function, QUIET_MS) or 0)
        except PlaywrightError as exc:
            raise DocumentGone(str(exc)) from exc


class MotionSensor:
    """Starts document watches; keeps one CDP session for each page and out-of-process frame."""

    def __init__(self) -> None:
        self._sessions: WeakKeyDictionary[Page | Frame, CDPSession] = WeakKeyDictionary()
        self._local_frames: WeakKeyDictionary[Frame, str] = WeakKeyDictionary()

    async def watch(self, page: Page) -> tuple[DocumentWatch, ...]:
        """Start to watch every document of a page that can be reached, the main one first.

        Raises:
            DocumentGone: the page has no document to watch just now.
        """
        if _is_chromium(page):
            return await self._watch_isolated(page)
        return await _watch_in_page(page)

    async def _watch_isolated(self, page: Page) -> tuple[DocumentWatch, ...]:
        watches: list[DocumentWatch] = []
        for session in await self._attach(page):
            try:
                tree = await _send(session, "Page.getFrameTree", {})
            except DocumentGone:
                continue
            frame_ids = list(_frame_ids(tree["frameTree"]))[:_MAX_DOCUMENTS]
            starts = [_start_isolated(session, frame_id) for frame_id in frame_ids]
            found = await asyncio.gather(*starts, return_exceptions=True)
            watches.extend(item for item in found if isinstance(item, _IsolatedWatch))
        if not watches:
            raise DocumentGone("no document answers")
        return tuple(watches)

    async def _attach(self, page: Page) -> tuple[CDPSession, ...]:
        owners: list[Page | Frame] = [page, *page.frames[1:_MAX_DOCUMENTS]]
        attached = [await self._session(page, owner) for owner in owners]
        return tuple(session for session in attached if session is not None)

    async def _session(self, page: Page, owner: Page | Frame) -> CDPSession | None:
        if owner in self._sessions:
            return self._sessions[owner]
        if isinstance(owner, Frame) and self._local_frames.get(owner) == owner.url:
            return None
        try:
            session = await page.context.new_cdp_session(owner)
        except PlaywrightError:
            # A frame in its page's own process has no session: the page's session reaches it.
            if isinstance(owner, Frame):
                self._local_frames[owner] = owner.url
            return None
        self._sessions[owner] = session
        return session


def _is_chromium(page: Page) -> bool:
    browser = page.context.browser
    return browser is None or browser.browser_type.name == "chromium"


async def _watch_in_page(page: Page) -> tuple[DocumentWatch, ...]:
    starts = [frame.evaluate_handle(_WATCH_JS) for frame in page.frames[:_MAX_DOCUMENTS]]
    found = await asyncio.gather(*starts, return_exceptions=True)
    watches = tuple(_PageWorldWatch(item) for item in found if isinstance(item, JSHandle))
    if not watches:
        raise DocumentGone("no document answers")
    return watches


async def _start_isolated(session: CDPSession, frame_id: str) -> _IsolatedWatch:
    world = await _send(session, "Page.createIsolatedWorld", {"frameId": frame_id, "worldName": _WORLD})
    script = {"expression": f"({_WATCH_JS})()", "contextId": world["executionContextId"]}
    answer = await _send(session, "Runtime.evaluate", script)
    object_id = answer["result"].get("objectId")
    if object_id is None:
        raise DocumentGone("the document can't be watched")
    return _IsolatedWatch(session, object_id)


def _frame_ids(tree: Mapping[str, Any]) -> Iterator[str]:  # Any: CDP's own JSON
    yield tree["frame"]["id"]
    for child in tree.get("childFrames", ()):
        yield from _frame_ids(child)


async def _send(session: CDPSession, method: str, params: dict[str, Any]) -> dict[str, Any]:  # Any: CDP's own JSON
    try:
        answer: dict[str, Any] = await session.send(method, params)
    except PlaywrightError as exc:
        raise DocumentGone(str(exc)) from exc
    return answer
