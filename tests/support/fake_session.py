"""A real session loop over a fake device, model and painter, in a real directory."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from harness.memory.store import NoteStore
from harness.protocols import OverlayPainter, Policy
from harness.session.log import EventLog
from harness.session.loop import SessionLoop
from harness.session.opening import SessionPlan
from harness.session.parts import AnswerProblem, Ask, Check, SessionParts
from harness.store.layout import SessionDirectory
from harness.testing.fakes import FakeClock, FakeController
from harness.testing.policies import FakePainter, ScriptedPolicy
from harness.values.run import RunResult
from harness.values.settings import SessionSettings

TASK = "Press OK until the device is content."


@asynccontextmanager
async def fake_session(
    artifacts: Path,
    policy: Policy,
    *,
    controller: FakeController | None = None,
    settings: SessionSettings | None = None,
    painter: OverlayPainter | None = None,
    clock: FakeClock | None = None,
    ask: Ask | None = None,
    check: Check | None = None,
    answer_problem: AnswerProblem | None = None,
    kind: str = "web",
) -> AsyncIterator[SessionLoop]:
    """Open a session over fakes; close it at the end."""
    settings = settings if settings is not None else SessionSettings()
    directory = SessionDirectory.create(artifacts)
    parts = SessionParts(
        directory=directory,
        log=EventLog.create(directory),
        blobs=directory.blobs,
        notes=NoteStore.create(directory.notes_path) if settings.note_view_chars else None,
        controller=controller if controller is not None else FakeController(),
        policy=policy,
        painter=painter if painter is not None else FakePainter(),
        observers=("web_marks",),
        clock=clock if clock is not None else FakeClock(),
        ask=ask,
        check=check,
        answer_problem=answer_problem,
    )
    plan = SessionPlan(
        agent="fake", task=TASK, url=None, settings=settings, config_json="{}", system=None, controller=kind
    )
    loop = SessionLoop(parts, plan)
    try:
        with directory.lock():
            await loop.open()
            yield loop
    finally:
        await loop.close()


async def run_to_end(loop: SessionLoop) -> RunResult:
    """Take every step and return how the round ended."""
    async for _ in loop.steps():
        pass
    return loop.result()


def request_texts(policy: ScriptedPolicy, index: int) -> list[str]:
    """Return the texts of the messages of a request that the policy got, counted from 0."""
    bodies = [json.loads(part.body) for part in policy.requests[index].parts]
    return [part["text"] for body in bodies for part in body.get("parts", []) if part["type"] == "text"]
