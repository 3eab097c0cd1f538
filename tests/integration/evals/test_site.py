from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

import pytest
from run_results import ended

from evals.suites.three_pages import ThreePagesSuite, create
from harness.protocols.suites import Episode


class Visitor:
    """A page whose address is asked for with plain HTTP."""

    def __init__(self) -> None:
        self.url = ""
        self.html = ""
        self.status = 0

    async def goto(self, url: str) -> object:
        self.url = url
        self.status, self.html = await asyncio.to_thread(fetch, "GET", url)
        return None

    async def open(self, page: int) -> str:
        await self.goto(self.url.rsplit("/", 1)[0] + f"/{page}")
        return self.html

    async def submit(self, values: dict[str, str]) -> str:
        address = self.url.rsplit("/", 1)[0] + "/submit"
        self.status, self.html = await asyncio.to_thread(fetch, "POST", address, urlencode(values))
        return self.html

    async def evaluate(self, expression: str, arg: object = None) -> object:
        raise AssertionError("the suite runs no script")


def fetch(method: str, url: str, body: str = "") -> tuple[int, str]:
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port)
    try:
        connection.request(method, parts.path, body=body.encode())
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


@pytest.fixture
async def suite() -> AsyncIterator[ThreePagesSuite]:
    opened = create()
    await opened.open()
    yield opened
    await opened.close()


async def begin(suite: ThreePagesSuite, seed: int = 5) -> tuple[Visitor, Episode]:
    visitor = Visitor()
    return visitor, await suite.start("carry-value", seed, visitor)


def wanted(html: str, episode: Episode) -> tuple[str, str]:
    _, source, _, target, _ = episode.instruction.split('"')
    return html.split(f"<th>{source}</th><td>")[1].split("</td>", maxsplit=1)[0], target


def input_number(html: str, label: str) -> str:
    return html.split(f">{label}</label>", maxsplit=1)[0].rsplit('for="field-', 1)[1].split('"', maxsplit=1)[0]


@pytest.mark.req("R-EVL-1")
async def test_the_right_value_in_the_right_field_is_a_success(suite: ThreePagesSuite) -> None:
    visitor, episode = await begin(suite)
    value, target = wanted(visitor.html, episode)
    await visitor.open(2)
    form = await visitor.open(3)
    assert not await episode.is_over()
    await visitor.submit({input_number(form, target): value})

    assert await episode.is_over()
    assert (await episode.score(ended())).success


async def test_a_wrong_field_is_a_failure_and_only_the_first_submission_counts(suite: ThreePagesSuite) -> None:
    visitor, episode = await begin(suite)
    value, target = wanted(visitor.html, episode)
    await visitor.open(2)
    form = await visitor.open(3)
    right = input_number(form, target)
    wrong = str((int(right) + 1) % 3)
    await visitor.submit({wrong: value})
    await visitor.submit({right: value})

    assert not (await episode.score(ended())).success


async def test_the_way_back_and_the_short_cut_are_closed(suite: ThreePagesSuite) -> None:
    visitor, episode = await begin(suite)
    value, _ = wanted(visitor.html, episode)

    assert "comes later" in await visitor.open(3)
    assert "comes later" in await visitor.submit({"0": value})
    await visitor.open(2)
    assert "already left" in await visitor.open(1)
    assert value not in visitor.html
    await visitor.open(3)
    assert value not in visitor.html
    assert "already left" in await visitor.open(2)
    assert not await episode.is_over()


async def test_visits_do_not_know_each_other(suite: ThreePagesSuite) -> None:
    first, one = await begin(suite, seed=1)
    second, two = await begin(suite, seed=1)
    assert one.instruction == two.instruction
    await first.open(2)
    await first.open(3)
    await first.submit({"0": "x"})

    assert await one.is_over()
    assert not await two.is_over()
    assert (await second.open(1)).count("<tr>") == 5
