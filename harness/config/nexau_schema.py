"""The NexAU agent block, as NexAU itself validates it: keys it would refuse are refused here too."""

from __future__ import annotations

from typing import Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

Mapping = dict[str, object]


class NexauSection(BaseModel):
    """A mapping that takes no other keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())


class NexauPrompt(NexauSection):
    """One part of a system prompt."""

    content: str
    cache: bool = True


class NexauTool(NexauSection):
    """An entry under `tools`."""

    name: str
    yaml_path: str
    binding: str | None = None
    lazy: bool = False
    as_skill: bool = False
    defer_loading: bool = False
    extra_kwargs: Mapping = {}
    source_id: str | None = None


class NexauSkill(NexauSection):
    """An entry under `skills` that is no plain path."""

    name: str | None = None
    path: str
    source_id: str | None = None


class NexauSubAgent(NexauSection):
    """An entry under `sub_agents`."""

    name: str
    config_path: str
    source_id: str | None = None


class NexauImport(NexauSection):
    """A hook, middleware or tracer with parameters."""

    import_path: str = Field(alias="import")
    params: Mapping | None = None


class NexauPlugin(NexauSection):
    """An entry under `plugins`."""

    use: str
    config: Mapping = {}


Hook = str | NexauImport


class NexauBlock(NexauSection):
    """A whole agent block, after `variables` was taken out."""

    type: Literal["agent"] | None = None
    name: str | None = None
    description: str | None = None
    source_id: str | None = None
    system_prompt: str | list[str | NexauPrompt] | None = None
    system_prompt_type: Literal["string", "file", "jinja"] = "string"
    system_prompt_suffix: str | None = None
    tools: list[NexauTool] = []
    sub_agents: list[NexauSubAgent] | None = None
    skills: list[str | NexauSkill] = []
    llm_config: Mapping
    stop_tools: list[str] | None = None
    initial_state: Mapping | None = None
    initial_config: Mapping | None = None
    initial_context: Mapping | None = Field(default=None, validation_alias=AliasChoices("context", "initial_context"))
    mcp_servers: list[Mapping] = []
    after_model_hooks: list[Hook] | None = None
    after_tool_hooks: list[Hook] | None = None
    before_model_hooks: list[Hook] | None = None
    before_tool_hooks: list[Hook] | None = None
    middlewares: list[Hook] | None = None
    error_handler: Hook | None = None
    token_counter: Hook | None = None
    global_storage: Mapping = {}
    max_context_tokens: int = Field(default=128_000, ge=1)
    max_running_subagents: int = Field(default=5, ge=0)
    max_iterations: int = Field(default=100, ge=1)
    tool_call_mode: str = "structured"
    retry_attempts: int = Field(default=5, ge=0)
    retry_backoff_max_seconds: float = Field(default=30, ge=0)
    timeout: float = Field(default=300, gt=0)
    tracers: list[Hook] = []
    sandbox_config: Mapping | None = None
    plugins: list[NexauPlugin] = []
    skipped_components: list[object] | Mapping | None = None
