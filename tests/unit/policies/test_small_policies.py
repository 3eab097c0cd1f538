"""`idle`, `random` and `replay`."""

from __future__ import annotations

from collections import Counter

import pytest

from harness.errors import PolicyError
from harness.protocols import POLICY_PROTOCOL, ModelSpec, PolicySpec
from harness.values.message import AssistantMessage, Reply, TextPart
from harness.values.profile import PLAIN
from policies import heuristic, idle, random, replay, scripted


def spec(name: str, **changes: object) -> PolicySpec:
    return PolicySpec(model=ModelSpec(name=name, use=name), **changes)  # type: ignore[arg-type]  # real fields


@pytest.mark.req("R-MOD-6")
@pytest.mark.parametrize("module", [heuristic, idle, random, replay, scripted])
def test_each_policy_speaks_the_protocol(module) -> None:
    name = module.__name__.rpartition(".")[2]
    policy = module.create(spec(name))
    assert (policy.PROTOCOL, policy.name, policy.profile, policy.counter) == (POLICY_PROTOCOL, name, PLAIN, None)


async def test_idle_waits_and_does_nothing_else(talk, said) -> None:
    started, policy = talk("t").show(("button", "OK")), idle.create(spec("idle"))
    for number in (1, 2):
        call = await started.ask(policy)
        assert (call.id, call.name, said(call)) == (f"call-{number}", "wait", {"seconds": 1})
        started.answer(call, ("button", "OK"))


SCREEN = (
    ("button", "OK"),
    ("textbox", "Name", ""),
    ("combobox", "Who", "Ann", ('options: "Ann", "Bob"',)),
    ("button", "Off", None, ("disabled",)),
)


async def draws(talk, seed: int, steps: int) -> list[tuple[str, str]]:
    started, policy = talk("Enter zebra.").show(*SCREEN), random.create(spec("random", seed=seed))
    calls = []
    for _ in range(steps):
        call = await started.ask(policy)
        calls.append((call.name, call.arguments_json))
        started.answer(call, *SCREEN)
    return calls


async def test_random_is_seeded(talk) -> None:
    assert await draws(talk, 7, 30) == await draws(talk, 7, 30)
    assert await draws(talk, 7, 30) != await draws(talk, 8, 30)


async def test_random_uses_every_sensible_action_and_seldom_finishes(talk) -> None:
    calls = await draws(talk, 3, 300)
    names = Counter(name for name, _ in calls)
    assert set(names) == {"click", "type_text", "select_option", "press_keys", "scroll", "finish"}
    assert names["finish"] < 20
    assert min(names["click"], names["type_text"], names["select_option"]) > 20
    assert {text for name, text in calls if name == "type_text"} == {
        '{"mark":2,"text":"Enter"}',
        '{"mark":2,"text":"zebra"}',
    }
    assert not any('"mark":4' in text for _, text in calls)


async def test_random_finishes_honestly_when_it_is_drawn(talk) -> None:
    finishes = [text for name, text in await draws(talk, 3, 300) if name == "finish"]
    assert finishes
    assert all('"success":true' in text for text in finishes)


async def test_replay_gives_the_recorded_replies_and_then_says_it_is_over(talk) -> None:
    recorded = [
        Reply(message=AssistantMessage(parts=(TextPart(text=text),)), finish="stop", model="m") for text in ("a", "b")
    ]
    policy = replay.create(spec("replay", recording=tuple(recorded)))
    request = policy.render(talk("t").show("x").projection())
    assert [await policy.send(request, deadline_s=1) for _ in recorded] == recorded
    with pytest.raises(PolicyError, match="holds 2 replies"):
        await policy.send(request, deadline_s=1)
    await policy.close()
