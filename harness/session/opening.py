"""The first events of a session: its header, its round, the first sight of the device."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version

from harness.protocols import Capabilities
from harness.session.system import system_text
from harness.tools.declarations import declare
from harness.values.event import RoundStarted, SessionOpened
from harness.values.fence import new_fence_token
from harness.values.profile import ModelProfile
from harness.values.settings import SessionSettings
from harness.values.tool import ToolDeclaration

LOG_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPlan:
    """What a session is asked to do.

    Attributes:
        agent: The agent's name.
        task: The task of the first round.
        url: Where the browser starts, or None.
        settings: Resolved settings.
        config_json: The resolved configuration, secrets masked.
        system: The agent's own system prompt, or None.
        controller: Kind of the controller.
        warnings: What the configuration asks for and is not run, for a person.
        notices: What a person should know before the device opens.
    """

    agent: str
    task: str
    url: str | None
    settings: SessionSettings
    config_json: str
    system: str | None
    controller: str
    warnings: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


def program_version() -> str:
    """Return the version of the installed program."""
    try:
        return version("transom")
    except PackageNotFoundError:
        return "unknown"


def declared_tools(capabilities: Capabilities, settings: SessionSettings) -> tuple[ToolDeclaration, ...]:
    """Return the tools of a session in their fixed order; without notes the note tool is not among them."""
    note = () if settings.note_view_chars == 0 else (capabilities.note_tool,)
    zoom = () if settings.image_budget == 0 else ("zoom",)
    names = (*capabilities.tools, *zoom, *note, "read_record", "ask_user", "finish")
    return declare(names, apps=capabilities.apps)


def opening_events(
    plan: SessionPlan,
    *,
    session: str,
    capabilities: Capabilities,
    profile: ModelProfile,
    policy: str,
) -> tuple[SessionOpened, RoundStarted]:
    """Return the header and the start of the first round.

    Marks are an image where the device says so, and where the configuration asks for it.
    """
    token = new_fence_token()
    settings = replace(plan.settings, marks_image=capabilities.marks_image or plan.settings.marks_image)
    note_tool = None if settings.note_view_chars == 0 else capabilities.note_tool
    opened = SessionOpened(
        format=LOG_FORMAT,
        transom=program_version(),
        session=session,
        agent=plan.agent,
        config_json=plan.config_json,
        fence_token=token,
        system=system_text(controller=plan.controller, token=token, note_tool=note_tool, extra=plan.system),
        tools=declared_tools(capabilities, settings),
        settings=settings,
        profile=profile,
        policy=policy,
        controller=plan.controller,
        apps=capabilities.apps,
    )
    return opened, RoundStarted(round=1, task=plan.task, url=plan.url)
