"""The schema of agents.yaml: the one source of every default, of the JSON Schema and of the reference page.

A key stands here with its behaviour; docstrings under the fields say the unit and what 0 or null means.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from harness.config.problem import Path
from harness.protocols import DesktopInput, Display
from harness.values.note_text import MIN_VIEW_CHARS
from harness.values.settings import ContextMode

KEYLESS_POLICIES: Final = ("heuristic", "scripted", "reference", "replay", "random", "idle")
AGENT_NAME: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
Pixels = Annotated[int, Field(ge=50, le=7680)]
Count = Annotated[int, Field(ge=1)]
Positive = Annotated[float, Field(gt=0)]
Word = Annotated[str, Field(min_length=1)]


def _off_or_roomy(chars: int) -> int:
    if 0 < chars < MIN_VIEW_CHARS:
        raise PydanticCustomError("off_or_roomy", "0 or at least {least}", {"least": MIN_VIEW_CHARS})
    return chars


def _plain_address(address: str) -> str:
    try:
        parts = urlsplit(address)
        is_whole = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        is_plain = "@" not in parts.netloc and parts.path in {"", "/"} and not (parts.query or parts.fragment)
    except ValueError:
        is_whole = is_plain = False
    if not (is_whole and is_plain and address.isprintable()):
        raise PydanticCustomError("plain_address", "an address such as http://127.0.0.1:8765, with no token in it")
    return address


class Section(BaseModel):
    """A mapping of the file; unknown keys are errors and no value is converted."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


class ControllerSection(Section):
    """The device that the agent acts on."""

    kind: str = "web"
    """Name of the controller: `web` is a browser, `desktop` the screen of this machine, `remote` that of another."""
    viewport: Annotated[list[Pixels], Field(min_length=2, max_length=2)] = [1280, 800]
    """Width and height of the page in CSS pixels, or of a virtual desktop in pixels, 50 to 7680 each."""
    device_scale: Annotated[float, Field(gt=0, le=8)] | None = None
    """Physical pixels per CSS pixel, or per unit of the desktop; null for the device's own."""
    browser: Literal["chromium", "firefox", "webkit"] = "chromium"
    """The browser that the `web` controller starts."""
    monitor: Annotated[int, Field(ge=0)] = 1
    """The monitor that a desktop shows: 1 is the first, 0 all of them as one picture."""
    address: Annotated[str, AfterValidator(_plain_address)] | None = None
    """Where a `remote` device is served, for example `http://127.0.0.1:8765`; its token comes from the environment."""


class PromptSection(Section):
    """What each request holds."""

    screenshot_window_images: Annotated[int, Field(ge=0, le=100)] = 3
    """All images of a request, marks and overlays included, 0 to 100; 1 sends the current frame alone, 0 sends none."""
    note_view_chars: Annotated[int, Field(ge=0, le=1_000_000), AfterValidator(_off_or_roomy)] = 12_000
    """Size of the notes shown in a request, in characters with their frame, from 400; 0 switches notes off."""


class RecentExchanges(Section):
    """Keep the newest exchanges."""

    recent_exchanges: Count
    """Number of exchanges."""


class RecentTokens(Section):
    """Keep the newest exchanges that fit."""

    recent_tokens: Count
    """Estimated tokens."""


class ContextSection(Section):
    """What happens to the history of a long run."""

    mode: ContextMode = "off"
    """`off` keeps what `history` says, `shadow` also records what compaction would do, `enforce` compacts."""
    history: Literal["full"] | RecentExchanges | RecentTokens = "full"
    """What mode `off` keeps: `full`, `{recent_exchanges: N}` or `{recent_tokens: N}`; always whole exchanges."""


class ToolsSection(Section):
    """How results of tools stand in a request."""

    result_chars: Annotated[int, Field(ge=0)] = 10_000
    """A longer result, in characters, is stored whole and shown as head, tail and a reference; 0 shows all whole."""


class LimitsSection(Section):
    """When a round stops by itself; a stop is a recorded outcome."""

    steps: Count | None = 100
    """Model steps; null for no limit."""
    seconds: Positive | None = 1800.0
    """Wall time in seconds; null for no limit."""
    cost_usd: Positive | None = 5.0
    """Cost in US dollars, where the model's price is known; null for no limit."""
    input_tokens: Count | None = 2_000_000
    """Input tokens, where the price is not known; null for no limit."""
    idle_steps: Count | None = 30
    """Steps in a row that only wait or read; null for no limit."""
    step_seconds: Positive = 60.0
    """Deadline of one model call or one device call, in seconds."""


class WebSection(Section):
    """What an observation of a web page holds."""

    page_text_chars: Annotated[int, Field(ge=0, le=1_000_000)] = 4000
    """Visible text of the page, or of a desktop, in characters; 0 for none."""


class DesktopSection(Section):
    """A desktop: what is driven, how, and what its observations show."""

    marks_image: bool = False
    """Whether the marks are also an image, in a slot of `prompt.screenshot_window_images`; false: as lines of text."""
    display: Display = "real"
    """`real` is the screen in front of you, `virtual` one without a monitor that is started for the session (Linux)."""
    apps: dict[Annotated[str, Field(pattern=AGENT_NAME)], Annotated[list[Word], Field(min_length=1)]] = {}
    """What the tool `launch` may start: name to program and arguments; no shell reads them. {} takes the tool away."""
    input: DesktopInput = "auto"
    """How keys and clicks are sent: `x11` (XTEST), `pyautogui`, or `auto` for what fits this system."""


class DefaultsSection(Section):
    """Values for every agent of the file; an agent's own values win."""

    model: Word | None = None
    """A name under `models`, or a keyless policy: heuristic, scripted, reference, replay, random, idle."""
    controller: ControllerSection = ControllerSection()
    """The device."""
    observers: list[str] | None = None
    """Names of the observers; [] for none, and so for no marks; null for the device's own (web_marks, atspi_marks)."""
    prompt: PromptSection = PromptSection()
    """The request."""
    context_management: ContextSection = ContextSection()
    """The history."""
    tools: ToolsSection = ToolsSection()
    """Tool results."""
    limits: LimitsSection = LimitsSection()
    """The end of a round."""
    web: WebSection = WebSection()
    """Web pages."""
    desktop: DesktopSection = DesktopSection()
    """Desktops."""
    strict: bool = True
    """Whether a part of the NexAU block that is not run yet is an error (true) or a warning (false)."""


class AgentSection(DefaultsSection):
    """One agent."""

    extends: Word | None = None
    """The agent whose values this one starts from: one of this file or a shipped one; null for none."""
    agent: dict[str, object] | None = None
    """An unmodified NexAU agent block; null for none."""
    config_path: Word | None = None
    """A file that holds a NexAU agent block, relative to this file; instead of `agent`."""


class ModelSection(Section):
    """A model that agents can name."""

    use: Word
    """The policy that talks to it, for example `heuristic`."""
    model: Word | None = None
    """The provider's name for the model; null where the policy needs none."""
    context_tokens: Count | None = None
    """Size of its context window in tokens; must be given unless the policy is keyless."""
    max_output_tokens: Count | None = None
    """Tokens reserved for one reply; null for the policy's own."""


class ConfigFile(Section):
    """A configuration file of Transom."""

    version: Literal[1]
    """Version of this format: 1."""
    models: dict[str, ModelSection] = {}
    """Models by name."""
    defaults: DefaultsSection = DefaultsSection()
    """Values for every agent of the file."""
    agents: dict[Annotated[str, Field(pattern=AGENT_NAME)], AgentSection] = {}
    """Agents by name: letters, digits, `.`, `_` and `-`, at most 64."""


def section_of(info: FieldInfo) -> type[Section] | None:
    """Return the section that a field holds, or None for a single value."""
    kind = info.annotation
    return kind if isinstance(kind, type) and issubclass(kind, Section) else None


def iterate_fields(section: type[Section], path: Path = ()) -> Iterator[tuple[Path, FieldInfo]]:
    """Yield every single value of a section with its path, in the order of the schema."""
    for name, info in section.model_fields.items():
        inner = section_of(info)
        if inner is None:
            yield (*path, name), info
        else:
            yield from iterate_fields(inner, (*path, name))
