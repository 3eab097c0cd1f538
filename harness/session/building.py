"""From a request to run an agent to an opened session: configuration, plug-ins, directory, stores."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness import plugins
from harness.config.agent import AgentConfig
from harness.config.loader import load_config
from harness.config.resolve import resolve_agent
from harness.config.script import load_script
from harness.errors import UsageError
from harness.memory.store import NoteStore
from harness.protocols import (
    Clock,
    Controller,
    ControllerFactory,
    Display,
    OverlayPainter,
    Policy,
    PolicyFactory,
    PolicySpec,
    Solver,
)
from harness.session.log import EventLog
from harness.session.notices import device_notices
from harness.session.opening import SessionPlan
from harness.session.parts import AnswerProblem, Ask, Check, SessionParts
from harness.store.layout import SessionDirectory
from harness.values.message import Reply

DEFAULT_ARTIFACTS = Path("artifacts")
_DESKTOPS = {"desktop": "a desktop", "remote": "the desktop of another machine"}


class SystemClock:
    """The machine's clock."""

    def now_s(self) -> float:
        """Return Unix time in seconds."""
        return time.time()

    def monotonic_s(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRequest:
    """What somebody asked to run.

    Attributes:
        agent: Name of an agent in the configuration, or of a keyless policy.
        task: What to do.
        url: Where the browser starts.
        page: A Playwright page that somebody else opened and owns.
        config: The configuration file; None for ./agents.yaml, else the shipped one.
        model: Takes the place of the agent's model.
        overrides: `path=value`, each over everything else.
        script: A script file for `scripted`.
        solve: A reference solution for `reference`.
        recording: The replies of a recorded session, for `replay`.
        seed: For policies that draw.
        artifacts: Where session directories are made.
        ask: Asks the user; None when nobody is there.
        check: The verdict on a finished round.
        answer_problem: Says what is wrong with an answer.
        is_headed: Whether the browser's window is shown.
        desktop: Turns the agent's device into a desktop, this machine's own or a virtual one; None leaves it.
        environment: Variables of a virtual desktop that takes the place of the agent's device; None leaves it.
    """

    agent: str
    task: str
    url: str | None = None
    page: object | None = None
    config: Path | None = None
    model: str | None = None
    overrides: Sequence[str] = ()
    script: Path | None = None
    solve: Solver | None = None
    recording: Sequence[Reply] = ()
    seed: int = 0
    artifacts: Path = DEFAULT_ARTIFACTS
    ask: Ask | None = None
    check: Check | None = None
    answer_problem: AnswerProblem | None = None
    is_headed: bool = False
    desktop: Display | None = None
    environment: Mapping[str, str] | None = None


def build_session(request: SessionRequest) -> tuple[SessionParts, SessionPlan]:
    """Return the parts and the plan of a session; its directory and stores are made last.

    Raises:
        ConfigError: the configuration is wrong.
        PluginError: a plug-in is missing.
        UsageError: the request contradicts itself or the agent.
        StorageError: the session directory can't be made.
    """
    if not request.task.strip():
        raise UsageError("the task is empty; say in a sentence what to do")
    agent = resolve_agent(
        load_config(request.config),
        request.agent,
        model=request.model,
        overrides=tuple(request.overrides),
        display=request.desktop if request.environment is None else "virtual",
    )
    _refuse_unbuilt_modes(agent)
    if agent.controller.kind in _DESKTOPS:
        _refuse_browser_options(agent, request)
    policy = _policy(agent, request)
    controller, painter = _device(agent, request)
    directory = SessionDirectory.create(request.artifacts)
    clock: Clock = SystemClock()
    parts = SessionParts(
        directory=directory,
        log=EventLog.create(directory),
        blobs=directory.blobs,
        notes=NoteStore.create(directory.notes_path) if agent.settings.note_view_chars else None,
        controller=controller,
        policy=policy,
        painter=painter,
        observers=agent.observers,
        clock=clock,
        ask=request.ask,
        check=request.check,
        answer_problem=request.answer_problem,
    )
    return parts, _plan(agent, request)


def _refuse_unbuilt_modes(agent: AgentConfig) -> None:
    if agent.settings.mode != "off":
        raise UsageError(
            f"context_management.mode is {agent.settings.mode!r}, and only 'off' can run in this version; "
            "set mode: off, or --set context_management.mode=off"
        )


def _refuse_browser_options(agent: AgentConfig, request: SessionRequest) -> None:
    given = {"--url": request.url, "--headed": request.is_headed or None, "page": request.page}
    named = next((name for name, value in given.items() if value is not None), None)
    if named is not None:
        raise UsageError(
            f"{named} is for a browser, but agent {agent.name!r} acts on {_DESKTOPS[agent.controller.kind]} here; "
            f"leave {named} out, or take an agent of the web"
        )


def _policy(agent: AgentConfig, request: SessionRequest) -> Policy:
    if agent.model.use == "scripted" and request.script is None:
        raise UsageError(f"agent {agent.name!r} follows a script; give it one with --script FILE")
    if request.script is not None and agent.model.use != "scripted":
        raise UsageError(
            f"--script needs the policy 'scripted', but agent {agent.name!r} uses {agent.model.use!r}; "
            "take the agent web-scripted or desktop-scripted, or --model scripted"
        )
    if agent.model.use == "replay" and not request.recording:
        raise UsageError(
            "the policy 'replay' answers from a recorded session; give its replies with recording=… from Python"
        )
    factory: PolicyFactory = plugins.load("transom.policies", agent.model.use)  # type: ignore[assignment]  # by name
    script = () if request.script is None else load_script(request.script)
    policy = factory(
        PolicySpec(
            model=agent.model,
            seed=request.seed,
            script=script,
            solve=request.solve,
            recording=tuple(request.recording),
        )
    )
    plugins.check_protocol("transom.policies", agent.model.use, policy)
    return policy


def _device(agent: AgentConfig, request: SessionRequest) -> tuple[Controller, OverlayPainter]:
    spec = replace(
        agent.controller,
        page=request.page,
        is_headed=request.is_headed or agent.controller.is_headed,
        environment=request.environment,
    )
    factory: ControllerFactory = plugins.load("transom.controllers", spec.kind)  # type: ignore[assignment]  # by name
    painter_class = plugins.load("transom.observers", "overlays")
    assert callable(painter_class), "the entry point overlays is a class"
    painter: OverlayPainter = painter_class()
    controller = factory(spec)
    plugins.check_protocol("transom.controllers", spec.kind, controller)
    return controller, painter


def _plan(agent: AgentConfig, request: SessionRequest) -> SessionPlan:
    return SessionPlan(
        agent=agent.name,
        task=request.task,
        url=request.url,
        settings=agent.settings,
        config_json=agent.to_json(),
        system=agent.system,
        controller=agent.controller.kind,
        warnings=agent.warnings,
        notices=device_notices(agent.controller),
    )
