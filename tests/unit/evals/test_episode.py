from __future__ import annotations

from importlib.util import find_spec

import pytest
from run_results import ended

from evals.suites.miniwob.catalog import DEMO, build_catalog
from evals.suites.miniwob.episode import MiniWobEpisode, readable_instruction
from evals.suites.miniwob.pages import find_pages, list_task_ids
from harness.errors import PluginError


class FakePage:
    """A page that answers every script with one state."""

    def __init__(self, state: dict[str, object]) -> None:
        self.state = state

    async def goto(self, url: str) -> object:
        return None

    async def evaluate(self, expression: str, arg: object = None) -> object:
        return self.state


@pytest.mark.req("R-EVL-1")
@pytest.mark.parametrize(
    ("is_done", "reward", "success"), [(True, 1, True), (True, 0.99, False), (True, -1, False), (False, 1, False)]
)
async def test_only_a_finished_episode_with_raw_reward_one_is_a_success(
    is_done: bool, reward: float, success: bool
) -> None:
    episode = MiniWobEpisode(FakePage({"isDone": is_done, "reward": reward, "reason": ""}), "task")

    assert (await episode.score(ended())).success is success
    assert await episode.is_over() is is_done


def test_a_flight_wish_becomes_a_sentence() -> None:
    assert readable_instruction('{"Departure City": "Boston", "Cabin": "Any"}') == (
        "Search for a flight with these values. Departure City: Boston; Cabin: Any"
    )
    assert readable_instruction("Click the button.") == "Click the button."
    assert readable_instruction("12") == "12"


def test_a_missing_package_names_the_extra() -> None:
    with pytest.raises(PluginError, match=r"transom\[evals\]"):
        find_pages("no_such_package_of_pages")


@pytest.mark.req("R-EVL-1")
@pytest.mark.skipif(find_spec("miniwob") is None, reason="the extra evals is not installed")
def test_the_catalog_holds_every_page_and_twelve_demo_tasks() -> None:
    tasks = build_catalog(list_task_ids(find_pages()))

    assert len(tasks) == 134
    assert {task.id for task in tasks if "demo" in task.tags} == DEMO
    assert len(DEMO) == 12
    assert not any({"demo", "chance"} <= task.tags for task in tasks)
