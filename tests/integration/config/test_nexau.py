from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.config import AgentConfig, load_config, resolve_agent
from harness.config.nexau_schema import NexauBlock
from harness.errors import ConfigError

Write = Callable[..., Path]

OWN = "version: 1\nagents:\n  a:\n    model: idle\n    config_path: agent.yaml\n"
LENIENT = OWN + "    strict: false\n"
WHOLE = """\
type: agent
name: helper
description: Helps.
source_id: s1
variables: {who: {name: World}}
system_prompt: "Hello ${variables.who.name}"
system_prompt_type: string
system_prompt_suffix: Bye.
llm_config: {model: gpt, base_url: http://x, temperature: 0.5, anything: else, api_type: openai_responses}
max_iterations: 12
tools:
  - {name: t, yaml_path: t.yaml, binding: "m:f", lazy: true, as_skill: true, extra_kwargs: {a: 1}}
skills: [skills/a, {name: b, path: skills/b, source_id: s}]
sub_agents: [{name: s, config_path: s.yaml}]
stop_tools: [finish]
initial_state: {a: 1}
initial_config: {a: 1}
context: {a: 1}
mcp_servers: [{name: m, type: stdio, command: c, args: [x], env: {K: v}}]
after_model_hooks: ["m:f"]
after_tool_hooks: [{import: "m:f", params: {a_path: x}}]
before_model_hooks: ["m:f"]
before_tool_hooks: ["m:f"]
middlewares: [{import: "m:C"}]
error_handler: "m:f"
token_counter: "m:f"
global_storage: {a: 1}
max_context_tokens: 100000
max_running_subagents: 2
tool_call_mode: xml
retry_attempts: 2
retry_backoff_max_seconds: 10
timeout: 100
tracers: ["m:T"]
sandbox_config: {type: local}
plugins: [{use: p, config: {a: 1}}]
skipped_components: [x]
"""
NOT_RUN = [
    "tools",
    "skills",
    "sub_agents",
    "stop_tools",
    "initial_state",
    "initial_config",
    "context",
    "mcp_servers",
    "after_model_hooks",
    "after_tool_hooks",
    "before_model_hooks",
    "before_tool_hooks",
    "middlewares",
    "error_handler",
    "token_counter",
    "global_storage",
    "max_context_tokens",
    "max_running_subagents",
    "tool_call_mode",
    "retry_attempts",
    "retry_backoff_max_seconds",
    "timeout",
    "tracers",
    "sandbox_config",
    "plugins",
    "skipped_components",
]


def resolve(write: Write, block: str, own: str = OWN) -> AgentConfig:
    write(block, "agent.yaml")
    return resolve_agent(load_config(write(own)), "a")


@pytest.mark.req("R-CFG-3")
def test_a_whole_block_is_read_and_every_part_that_is_not_run_is_named(write: Write) -> None:
    config = resolve(write, WHOLE, LENIENT)
    assert config.nexau is not None
    assert config.nexau.not_run == tuple(NOT_RUN)
    assert (config.nexau.name, config.nexau.description) == ("helper", "Helps.")
    assert config.system == "Hello World\n\nBye."
    for name in NOT_RUN:
        assert any(f"`{name}` of the NexAU block is not run" in warning for warning in config.warnings), name
    assert any("`llm_config`" in warning for warning in config.warnings)
    run = set(NexauBlock.model_fields) - set(NOT_RUN) - {"initial_context"}
    assert run == {
        "type",
        "name",
        "description",
        "source_id",
        "system_prompt",
        "system_prompt_type",
        "system_prompt_suffix",
        "llm_config",
        "max_iterations",
    }


@pytest.mark.req("R-CFG-3")
@pytest.mark.parametrize("name", NOT_RUN)
def test_strict_refuses_each_part_by_name_and_line(write: Write, name: str) -> None:
    line = next(item for item in WHOLE.splitlines() if item.startswith(f"{name}:"))
    more = WHOLE.splitlines()[WHOLE.splitlines().index(line) + 1] if line == "tools:" else ""
    with pytest.raises(
        ConfigError, match=f"`{name}` of the NexAU block is not run by this version; delete it, or set"
    ) as caught:
        resolve(write, f"llm_config: {{}}\n{line}\n{more}\n")
    assert (caught.value.file, caught.value.line, caught.value.path) == ("agent.yaml", 2, name)


def test_parts_without_content_ask_for_nothing(write: Write) -> None:
    text = (
        "llm_config: {}\ntools: []\nskills: []\nsandbox_config: null\nglobal_storage: {}\ntool_call_mode: structured\n"
    )
    config = resolve(write, text)
    assert config.nexau is not None
    assert config.nexau.not_run == ()


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        (
            "llm_config: {}\nsystem_promt: x\n",
            r"agent\.yaml:2: system_promt: is an unknown field; did you mean 'system_prompt'",
        ),
        ("name: x\n", "llm_config: is missing"),
        ("llm_config: {}\nskills: [{paht: x}]\n", r"skills\[0\]\.paht: is an unknown field; did you mean 'path'"),
        ("llm_config: {}\ntools: [{name: x}]\n", r"tools\[0\]\.yaml_path: is missing"),
        ("llm_config: {}\ntype: tool\n", "must be one of 'agent'"),
        ("llm_config: {}\nprompt: {screenshot_window_images: 3}\n", "prompt: is an unknown field"),
        ("llm_config: {}\nmax_iterations: 0\n", "must be at least 1, got 0"),
        ("llm_config: {api_key: '${env.TRANSOM_TEST_NONE}'}\n", r"agent\.yaml:1: llm_config\.api_key: .* not set"),
        ("llm_config: {}\nname: '${variables.x}'\n", "the variable 'x' is not defined"),
        ("llm_config: {}\nvariables: [a]\n", "`variables` must be a mapping"),
        ("- a\n", "must hold a NexAU agent as a mapping"),
        ("a: 1\na: 2\n", "twice"),
        (
            "llm_config: {}\nsystem_prompt: none.md\nsystem_prompt_type: file\n",
            "names the file 'none.md', which doesn't exist",
        ),
        (
            "llm_config: {}\nsystem_prompt: 'x'\nsystem_prompt_type: jinja\n",
            "`system_prompt_type` of the NexAU block is not run",
        ),
    ],
)
def test_a_wrong_block_is_explained(write: Write, block: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        resolve(write, block)


def test_a_broken_block_does_not_hinder_other_agents(write: Write) -> None:
    write("nothing: 1\n", "agent.yaml")
    loaded = load_config(write(OWN + "  b: {model: idle}\n"))
    assert resolve_agent(loaded, "b").nexau is None


def test_a_missing_file_is_named(write: Write) -> None:
    with pytest.raises(
        ConfigError, match=r"agents\.yaml:5: agents\.a\.config_path: names 'agent\.yaml', which doesn't exist"
    ):
        resolve_agent(load_config(write(OWN)), "a")


@pytest.mark.parametrize(
    ("defaults", "own", "steps"), [("", "", 12), ("limits: {steps: 5}", "", 12), ("", "limits: {steps: 7}", 7)]
)
def test_max_iterations_stands_below_the_agents_own_steps(write: Write, defaults: str, own: str, steps: int) -> None:
    text = OWN.replace("agents:", f"defaults: {{{defaults}}}\nagents:") + f"    {own}\n"
    assert resolve(write, "llm_config: {}\nmax_iterations: 12\n", text).settings.limits.steps == steps


def test_a_child_inherits_the_block_and_may_replace_it(write: Write) -> None:
    write("llm_config: {}\nsystem_prompt: one\n", "agent.yaml")
    text = OWN + "  b: {extends: a}\n  c: {extends: a, agent: {llm_config: {}, system_prompt: two}}\n"
    loaded = load_config(write(text))
    assert [resolve_agent(loaded, name).system for name in "bc"] == ["one", "two"]


def test_prompts_from_files_lists_and_packages(write: Write) -> None:
    write("From a file.", "prompts/p.md")
    Path("prompts/q.md").write_bytes("\ufeffWith a mark.".encode())
    block = "llm_config: {}\nsystem_prompt_type: file\nsystem_prompt: [prompts/p.md, {content: prompts/q.md}]\n"
    assert resolve(write, block).system == "From a file.\n\nWith a mark."
    packaged = "llm_config: {}\nsystem_prompt_type: file\nsystem_prompt: 'harness.config:agents.yaml'\n"
    system = resolve(write, packaged).system
    assert system is not None
    assert system.startswith("# The agents of Transom")


def test_a_package_resource_is_found_without_importing_the_package(
    write: Write, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("raise SystemExit('imported')\n", "hostile_package/__init__.py")
    write("text", "hostile_package/sub/p.md")
    monkeypatch.syspath_prepend(str(folder))
    block = "llm_config: {}\nsystem_prompt_type: file\nsystem_prompt: 'hostile_package.sub:p.md'\n"
    assert resolve(write, block).system == "text"


def test_this_file_dir_is_the_folder_of_the_blocks_own_file(write: Write, folder: Path) -> None:
    write("llm_config: {}\nsystem_prompt: '${this_file_dir}/x'\n", "sub/agent.yaml")
    config = resolve_agent(load_config(write(OWN.replace("agent.yaml", "sub/agent.yaml"))), "a")
    assert config.system == f"{folder.as_posix()}/sub/x"


def test_a_part_that_must_not_be_cached_is_named(write: Write) -> None:
    block = "llm_config: {}\nsystem_prompt: [a, {content: b, cache: false}]\n"
    with pytest.raises(ConfigError, match=r"`system_prompt\[1\]\.cache` of the NexAU block is not run"):
        resolve(write, block)
