from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Page
from run_results import ended

from evals.suites.miniwob import MiniWobSuite, create
from harness.controllers.web import WarmBrowser, open_browser
from harness.protocols import ControllerSpec, TaskSpec

pytestmark = pytest.mark.browser

SAMPLE = (
    "ascending-numbers",
    "book-flight",
    "bisect-angle",
    "choose-date",
    "choose-list",
    "click-button",
    "click-checkboxes-soft",
    "click-color",
    "click-dialog",
    "click-menu",
    "click-pie",
    "click-test",
    "drag-cube",
    "email-inbox",
    "email-inbox-forward-nl-turk",
    "enter-date",
    "enter-text",
    "grid-coordinate",
    "login-user",
    "order-food",
    "search-engine",
    "social-media",
    "terminal",
    "use-colorwheel",
    "flight/AA",
    "flight/Alaska-auto",
)
LEFTOVERS = """() => ['sync-task-cover', 'reward-display', 'click-canvas']
  .filter((id) => document.getElementById(id) !== null)"""
END_TWICE = """() => {
  core.endEpisode(0.25, true, 'first');
  core.endEpisode(1, false, 'second');
  core.startEpisode();
  core.startEpisodeReal();
}"""


@pytest.fixture
async def suite() -> AsyncIterator[MiniWobSuite]:
    opened = create()
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture
async def browser() -> AsyncIterator[WarmBrowser]:
    opened = await open_browser(ControllerSpec(kind="web"))
    yield opened
    await opened.close()


class Watch:
    """Starts episodes and keeps what their pages asked for and threw."""

    def __init__(self, suite: MiniWobSuite, browser: WarmBrowser) -> None:
        self._suite = suite
        self._browser = browser
        self._turns = asyncio.Semaphore(2)
        self.foreign: list[str] = []
        self.errors: list[str] = []

    async def utterance(self, task: TaskSpec, seed: int) -> str:
        async with self._turns:
            viewport = task.viewport or self._suite.viewport
            page = await self._browser.new_page(viewport=viewport, device_scale=task.device_scale)
            try:
                self._follow(page, task)
                episode = await self._suite.start(task.id, seed, page)
                assert await page.evaluate(LEFTOVERS) == []
                assert not await episode.is_over()
                return episode.instruction
            finally:
                await self._browser.close_page(page)

    def _follow(self, page: Page, task: TaskSpec) -> None:
        page.on("request", lambda request: self._judge(request.url))
        page.on("pageerror", lambda error: self.errors.append(f"{task.id}: {error}"))

    def _judge(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"data", "about", "blob"} and parts.hostname != "127.0.0.1":
            self.foreign.append(url)


async def check_pages(suite: MiniWobSuite, browser: WarmBrowser, tasks: Sequence[TaskSpec]) -> None:
    watch = Watch(suite, browser)
    twice = [task for task in tasks for _ in range(2)]
    heard = await asyncio.gather(*(watch.utterance(task, 11) for task in twice))

    assert watch.foreign == []
    assert watch.errors == []
    for task, first, second in zip(tasks, heard[::2], heard[1::2], strict=True):
        assert first == second, task.id
        assert first, task.id


@pytest.mark.req("R-EVL-1")
async def test_pages_start_an_episode_on_loopback_alone_with_the_same_text_twice(
    suite: MiniWobSuite, browser: WarmBrowser
) -> None:
    tasks = [task for task in suite.tasks() if task.id in SAMPLE]
    assert len(tasks) == len(SAMPLE)

    await check_pages(suite, browser, tasks)


@pytest.mark.soak
@pytest.mark.req("R-EVL-1")
async def test_all_pages_start_an_episode_on_loopback_alone_with_the_same_text_twice(
    suite: MiniWobSuite, browser: WarmBrowser
) -> None:
    assert len(suite.tasks()) == 134

    await check_pages(suite, browser, suite.tasks())


@pytest.mark.req("R-EVL-1")
async def test_other_seeds_draw_other_tasks(suite: MiniWobSuite, browser: WarmBrowser) -> None:
    watch = Watch(suite, browser)
    task = next(task for task in suite.tasks() if task.id == "enter-text")

    assert len({await watch.utterance(task, seed) for seed in range(4)}) > 1


@pytest.mark.req("R-EVL-1")
async def test_a_finished_episode_keeps_its_first_reward_and_cannot_start_again(
    suite: MiniWobSuite, browser: WarmBrowser
) -> None:
    page = await browser.new_page(viewport=suite.viewport)
    episode = await suite.start("enter-text", 1, page)
    await page.evaluate(END_TWICE)

    assert await episode.is_over()
    score = await episode.score(ended())
    assert (score.success, score.reward, score.reason) == (False, 0.25, "first")
    assert await page.evaluate(LEFTOVERS) == []


@pytest.mark.req("R-EVL-1")
async def test_an_episode_whose_page_was_left_is_not_over(suite: MiniWobSuite, browser: WarmBrowser) -> None:
    page = await browser.new_page(viewport=suite.viewport)
    episode = await suite.start("click-test", 1, page)
    await page.goto("about:blank")

    assert not await episode.is_over()
    assert not (await episode.score(ended())).success
