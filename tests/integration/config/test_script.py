from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.config import load_script
from harness.errors import ConfigError
from harness.protocols import ScriptedCall

Write = Callable[..., Path]

STEPS = """\
- click: {mark: {role: button, name: OK}}
- type_text: {text: "${task.user} ok"}
- look:
- wait: {seconds: 1.5}
"""
CALLS = (
    ScriptedCall(tool="click", arguments={"mark": {"role": "button", "name": "OK"}}, line=1),
    ScriptedCall(tool="type_text", arguments={"text": "${task.user} ok"}, line=2),
    ScriptedCall(tool="look", arguments={}, line=3),
    ScriptedCall(tool="wait", arguments={"seconds": 1.5}, line=4),
)


@pytest.mark.req("R-CLI-5")
def test_a_list_of_calls_is_read_with_lines(write: Write) -> None:
    steps = STEPS.replace("${task.user} ", "")
    calls = load_script(write(steps, "s.yaml"))
    assert [call.tool for call in calls] == ["click", "type_text", "look", "wait"]
    assert [call.line for call in calls] == [1, 2, 3, 4]
    assert calls[0] == CALLS[0]


@pytest.mark.req("R-CLI-5")
def test_captures_stand_first_and_their_placeholders_stay(write: Write) -> None:
    head = "- captures: {user: 'user \"(.+?)\"'}\n"
    listed = load_script(write(head + STEPS, "s.yaml"))
    mapped = load_script(write("captures: {user: 'user \"(.+?)\"'}\nsteps:\n" + STEPS, "s.yaml"))
    expected = ScriptedCall(tool="captures", arguments={"user": 'user "(.+?)"'}, line=1)
    assert listed[0] == mapped[0] == expected
    assert [(call.tool, dict(call.arguments)) for call in listed[1:]] == [(c.tool, dict(c.arguments)) for c in CALLS]
    assert listed[1].line == 2
    assert mapped[1].line == 3


@pytest.mark.req("R-CLI-5")
@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "must be a list of tool calls"),
        ("click: {}\n", 1, "is an unknown field"),
        ("- click\n", 1, "must be one tool call"),
        ("- look:\n- {click: {}, look: {}}\n", 2, "must be one tool call"),
        ("- click: [1]\n", 1, "the arguments of click must be a mapping or nothing"),
        ("- 'rm -rf': {}\n", 1, "is no tool name"),
        ("- look:\n- type_text:\n    text: ${env.HOME}\n", 3, r"holds '\$\{env.HOME\}'; a script knows"),
        ("- type_text: {text: '${HOME}'}\n", 1, "a script knows"),
        ("- type_text: {text: '${task.a'}\n", 1, "a script knows"),
        ("- drag: {path: [{name: '${task.}'}]}\n", 1, "a script knows"),
        ("- type_text: {text: '${task.user}'}\n", 1, "uses the capture 'user', which `captures` doesn't define"),
        ("- captures: {user: '(a)'}\n- type_text: {text: '${task.usr}'}\n", 2, "did you mean 'user'"),
        ("- captures: {user: 'a'}\n", 1, "exactly one group in parentheses, got 0"),
        ("- captures: {user: '(a)(b)'}\n", 1, "exactly one group in parentheses, got 2"),
        ("- captures: {user: '(a'}\n", 1, "is no valid regular expression"),
        ("- captures: {user: 3}\n", 1, "must be a regular expression"),
        (f"- captures: {{user: '({'a' * 300})'}}\n", 1, "at most 200 characters"),
        ("- captures: {'a b': '(a)'}\n", 1, "is no capture name"),
        ("- captures: [a]\n", 1, "must be a mapping of names"),
        ("captures: {}\nsteps: 3\n", 2, "must be a list of tool calls"),
        ("- a: 1\n- a: !!python/name:os.system x\n", 2, "tags are not allowed"),
    ],
)
def test_a_wrong_script_is_explained_with_its_line(write: Write, text: str, line: int, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem) as caught:
        load_script(write(text, "s.yaml"))
    assert (caught.value.file, caught.value.line) == ("s.yaml", line)
