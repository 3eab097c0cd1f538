"""One MiniWoB++ episode: start it without a way to restart, read how it ended."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from harness.errors import InfrastructureError
from harness.protocols.suites import Score, SuitePage
from harness.values.run import RunResult

EPISODE_LIMIT_MS = 1_000_000
"""The pages' own limit, in the page's clock; long enough for a model that thinks."""
START_WAIT_MS = 15_000

READ_STATE = """() => ({
  isDone: typeof WOB_DONE_GLOBAL !== 'undefined' && WOB_DONE_GLOBAL === true,
  reward: typeof WOB_RAW_REWARD_GLOBAL === 'number' ? WOB_RAW_REWARD_GLOBAL : 0,
  reason: typeof WOB_REWARD_REASON === 'string' ? WOB_REWARD_REASON : '',
})"""


class MiniWobEpisode:
    """A started episode on one page."""

    def __init__(self, page: SuitePage, instruction: str) -> None:
        self._page = page
        self._instruction = instruction

    @property
    def instruction(self) -> str:
        """The task text the agent gets."""
        return self._instruction

    async def is_over(self) -> bool:
        """Return whether the page has ended the episode; a page that was left counts as not ended."""
        return bool((await self._state())["isDone"])

    async def score(self, run: RunResult) -> Score:
        """Return success for a finished episode whose raw reward, before the time penalty, is exactly 1."""
        state = await self._state()
        reward = _number(state["reward"])
        if not state["isDone"]:
            return Score(success=False, reward=0.0, reason="the page did not end the episode")
        return Score(success=reward == 1.0, reward=reward, reason=str(state["reason"]) or f"raw reward {reward:g}")

    async def _state(self) -> dict[str, object]:
        state = await self._page.evaluate(READ_STATE)
        assert isinstance(state, dict), f"the page answered {state!r}"
        return state


async def start_episode(page: SuitePage, url: str, seed: int) -> MiniWobEpisode:
    """Open `url` on a fresh page and start the episode that `seed` draws.

    Raises:
        InfrastructureError: the page did not become ready.
    """
    await page.goto(url)
    text = await page.evaluate(_start_script(), {"seed": seed, "limitMs": EPISODE_LIMIT_MS, "waitMs": START_WAIT_MS})
    if not isinstance(text, str) or not text:
        raise InfrastructureError(f"the page {url} gave the task text {text!r}; check the installed package 'miniwob'")
    return MiniWobEpisode(page, readable_instruction(text))


def readable_instruction(text: str) -> str:
    """Return the task text; the flight pages' JSON object of wishes becomes a sentence."""
    try:
        wishes = json.loads(text)
    except ValueError:
        return text
    if not isinstance(wishes, dict):
        return text
    listed = "; ".join(f"{name}: {value}" for name, value in wishes.items())
    return f"Search for a flight with these values. {listed}"


@cache
def _start_script() -> str:
    return files(__package__).joinpath("start.js").read_text(encoding="utf-8")


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
