"""Random sessions through the real loop: what must hold at every step whatever a model does."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from fake_session import TASK, fake_session
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.session.fold import fold
from harness.session.log import open_readonly
from harness.session.loop import SessionLoop
from harness.session.state import SessionState
from harness.store.blobs import BlobStore
from harness.testing.fakes import (
    FAKE_DESKTOP_TOOLS,
    FAKE_TOOLS,
    FakeController,
    FakeScreen,
    Fault,
    fake_mark,
    fake_window,
)
from harness.testing.policies import ScriptedPolicy, call, reply
from harness.values.event import PrefixEdited
from harness.values.geometry import Size
from harness.values.message import Reply, ToolCall
from harness.values.projection import Projection, Request
from harness.values.settings import HistoryPolicy, Limits, SessionSettings

STEPS = 9
SIZES = (Size(width_px=64, height_px=40), Size(width_px=90, height_px=30), Size(width_px=33, height_px=70))
HISTORIES = (
    HistoryPolicy(),
    HistoryPolicy(kind="recent_exchanges", amount=2),
    HistoryPolicy(kind="recent_tokens", amount=600),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What sets the devices apart for a session."""

    name: str
    note_tool: Literal["note", "web_note"]
    tools: tuple[str, ...]
    marks_image: bool
    apps: tuple[str, ...] = ()


WEB = Kind(name="web", note_tool="web_note", tools=FAKE_TOOLS, marks_image=True)
DESKTOP = Kind(name="desktop", note_tool="note", tools=FAKE_DESKTOP_TOOLS, marks_image=False, apps=("editor",))
KINDS = {kind.name: kind for kind in (WEB, DESKTOP)}


def random_call(rng: random.Random, kind: Kind) -> ToolCall:
    """Return a call that a model could make: acting, noting, reading, wrong, with a repeated or missing id."""
    call_id = rng.choice(["", "a", f"id-{rng.random()}"])
    return rng.choice(
        [
            *random_desktop_calls(rng, kind, call_id),
            call("click", call_id, mark=rng.randint(1, 3)),
            call("click", call_id, at=[rng.randrange(30), rng.randrange(30)]),
            call("type_text", call_id, text="x" * rng.choice([3, 900])),
            call(kind.note_tool, call_id, text="  42 \n", kind="fact", reason="later", key=rng.choice(["k", "l"])),
            call(kind.note_tool, call_id, text="again", kind="plan", reason="later"),
            call("zoom", call_id, box=[0, 0, rng.randint(1, 20), 10]),
            call("read_record", call_id, step_range=[1, rng.randint(1, 4)]),
            call("click", call_id, mark=99),
            call("no_such_tool", call_id),
            ToolCall(id=call_id, name="click", arguments_json="{broken"),
            call("wait", call_id, seconds=0),
        ]
    )


def random_desktop_calls(rng: random.Random, kind: Kind, call_id: str) -> list[ToolCall]:
    """Return calls of the tools that only a desktop has; a web session refuses them."""
    if kind is WEB and rng.random() < 0.9:
        return []
    return [
        call("list_windows", call_id),
        call("focus_window", call_id, window=rng.randint(1, 4)),
        call("read_clipboard", call_id),
        call("write_clipboard", call_id, text="x"),
        call("launch", call_id, app=rng.choice(["editor", "xterm"])),
    ]


def random_reply(rng: random.Random, kind: Kind) -> Reply:
    if rng.random() < 0.1:
        return reply(text="thinking")
    calls = (random_call(rng, kind) for _ in range(rng.choice([1, 1, 1, 2, 3])))
    return reply(*calls, text=rng.choice(["", "so"]))


def random_screens(rng: random.Random, kind: Kind) -> list[FakeScreen]:
    """Return screens that repeat often; windows open and close on a desktop."""
    return [
        FakeScreen(
            number=rng.randrange(4),
            marks=tuple(fake_mark(number) for number in range(1, rng.randint(2, 4))),
            size=rng.choice(SIZES),
            url="http://127.0.0.1/" if kind is WEB else None,
            app=None if kind is WEB else "editor",
            windows=() if kind is WEB else tuple(fake_window(number) for number in range(rng.randint(0, 3))),
        )
        for _ in range(8 * STEPS)
    ]


def random_faults(rng: random.Random) -> dict[int, Fault]:
    faults: tuple[Fault, ...] = ("failed_call", "no_frame", "refused", "unanswered")
    return {number: rng.choice(faults) for number in range(1, STEPS + 1) if rng.random() < 0.3}


def texts(request: Request) -> Iterator[dict[str, object]]:
    for part in request.parts:
        yield json.loads(part.body)


def check_pairs(request: Request) -> None:
    """Every call is answered right after its message, in order, once; no result stands alone."""
    waiting: list[str] = []
    for message in texts(request):
        if message.get("role") == "tool":
            assert waiting, f"result {message['call_id']} without a call"
            assert message["call_id"] == waiting.pop(0)
            continue
        assert not waiting, f"calls without a result: {waiting}"
        parts = message.get("parts", [])
        assert isinstance(parts, list)
        waiting = [part["id"] for part in parts if part["type"] == "tool_call"]
    assert not waiting


def check_images(projection: Projection, state: SessionState, budget: int, kind: Kind) -> None:
    shown = projection.images
    assert kind.marks_image or "marks" not in {image.image_kind for image in shown}
    assert len(shown) <= budget
    assert len({image.sha256 for image in shown}) == len(shown)
    sight = state.transcript.current_sight
    frame = None if sight is None or sight.observation is None else sight.observation.frame
    if budget >= 1 and frame is not None:
        assert frame.sha256 in {image.sha256 for image in shown}
    if budget == 1 and frame is not None:
        assert [image.image_kind for image in shown] == ["clean"]


def check_one_note_view(request: Request) -> None:
    views = [message for message in texts(request) if message.get("section") == "notes"]
    assert len(views) == 1


async def drive(seed: int, budget: int, folder: Path, kind: Kind) -> None:
    rng = random.Random(seed)
    screens = random_screens(rng, kind)
    policy = ScriptedPolicy(lambda number: random_reply(rng, kind))
    controller = FakeController(
        screens=lambda index: screens[index],
        faults=random_faults(rng),
        tools=kind.tools,
        note_tool=kind.note_tool,
        marks_image=kind.marks_image,
        apps=kind.apps,
        clipboard=rng.choice(["", "copied", "Screen after step 9: frame f, 1x1 px\n" * 40]),
        has_recorder=kind is DESKTOP and rng.random() < 0.5,
    )
    chosen = SessionSettings(
        image_budget=budget,
        history=rng.choice(HISTORIES),
        result_chars=rng.choice([0, 300]),
        limits=Limits(steps=STEPS),
    )
    async with fake_session(folder, policy, controller=controller, settings=chosen, kind=kind.name) as loop:
        await check_steps(loop, policy, controller, rng, budget)


async def check_steps(
    loop: SessionLoop, policy: ScriptedPolicy, controller: FakeController, rng: random.Random, budget: int
) -> None:
    kind = next(kind for kind in KINDS.values() if kind.note_tool == controller.note_tool)
    before = loop.state
    acted = 0
    while (report := await loop.step()) is not None:
        request, projection = policy.requests[-1], policy.projections[-1]
        check_images(projection, before, budget, kind)
        check_pairs(request)
        check_one_note_view(request)
        assert any(TASK in str(message) for message in texts(request))
        state = loop.state
        if {item.name for item in report.calls} <= {kind.note_tool} and report.calls:
            assert state.transcript.current_sight == before.transcript.current_sight
            assert len(controller.performed) == acted
        if len(controller.performed) > acted and state.outcome is not None and state.outcome.status != "refused":
            acted = len(controller.performed)
            await check_new_frame(loop, before)
        acted = len(controller.performed)
        if rng.random() < 0.1:
            await loop.instruct(f"Also mind {rng.randint(1, 9)}.")
        with open_readonly(loop.directory) as log:
            events = list(log.events())
            assert fold(events) == loop.state
        check_records(state, loop.directory.blobs)
        edited = {event.step for event in events if isinstance(event.body, PrefixEdited)}
        check_edits(policy.requests, edited)
        before = await state_of_next_request(loop)


def check_records(state: SessionState, blobs: BlobStore) -> None:
    """A shortened result names a record that holds the whole; a whole one names none."""
    exchange = state.exchange
    assert exchange is not None
    whole = {record.id: blobs.get(record.blob).decode() for record in state.records}
    for result in exchange.results:
        if result.record is None:
            assert "full_result_ref" not in result.text or result.name == "read_record"
        else:
            assert len(whole[result.record]) > len(result.text)


async def check_new_frame(loop: SessionLoop, before: SessionState) -> None:
    """A call that reached the device ends with a newer sight, by its result or by the runtime."""
    after = await state_of_next_request(loop)
    old, new = before.transcript.current_sight, after.transcript.current_sight
    assert new is not None
    assert old is None or new.seq > old.seq


async def state_of_next_request(loop: SessionLoop) -> SessionState:
    """Return the state that the next request is built from: after a capture where one is due."""
    if loop.state.ended is None:
        await loop.ensure_sight()
    return loop.state


def check_edits(requests: list[Request], edited: set[int]) -> None:
    if len(requests) < 2:
        return
    old, new = requests[-2].digests, requests[-1].digests
    assert (new[: len(old)] != old) == (len(requests) in edited)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.req("R-IMG-1", "R-IMG-3", "R-IMG-5", "R-IMG-6", "R-CTX-6", "R-CTX-14", "R-MEM-6", "R-PRO-1", "R-PRO-3")
@given(seed=st.integers(min_value=0, max_value=2**32), budget=st.integers(min_value=0, max_value=10))
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_a_model_does_the_request_keeps_its_promises(kind: str, seed: int, budget: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(drive(seed, budget, Path(folder), KINDS[kind]))


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.req("R-IMG-1", "R-PRO-3")
@given(seed=st.integers(min_value=0, max_value=2**32), budget=st.integers(min_value=0, max_value=10))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_many_random_sessions_keep_their_promises(kind: str, seed: int, budget: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(drive(seed, budget, Path(folder), KINDS[kind]))
