"""Scripts: the tool calls that the policy `scripted` sends.

A script is a list of single-key mappings, tool name to arguments. Texts may hold `${task.NAME}` and nothing more;
the names are captures of the task text, given as `captures: {NAME: regular expression with one group}`, either
beside `steps:` or as the first item of the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from typing import Final

from harness.config.problem import Path, Problem, dotted, raise_problems, show, suggest
from harness.config.yaml_reader import Data, YamlDocument, read_yaml
from harness.protocols import ScriptedCall

CAPTURES: Final = "captures"
MAX_PATTERN_CHARS: Final = 200
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TOOL: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_PLACEHOLDER: Final = re.compile(r"\$\{([^}]*)\}?")


def load_script(path: FilePath) -> tuple[ScriptedCall, ...]:
    """Load a script.

    Returns:
        Its calls with their lines. Captures stand before them as one call named `captures`, which no tool has.

    Raises:
        ConfigError: the file can't be read or is no script; the text names every problem with its line.
    """
    reader = _Script(read_yaml(path))
    calls = reader.calls()
    raise_problems(reader.problems)
    return calls


class _Script:
    """Reads one document and collects what is wrong."""

    def __init__(self, document: YamlDocument) -> None:
        self.document = document
        self.problems: list[Problem] = []

    def calls(self) -> tuple[ScriptedCall, ...]:
        captures, captures_path, steps, steps_path = self._parts()
        named = self._captures(captures, captures_path)
        if not isinstance(steps, list):
            example = "- click: {mark: {role: button, name: OK}}"
            self._fail(f"must be a list of tool calls such as `{example}`, got {show(steps)}", steps_path)
            return ()
        first = 1 if captures_path == (0, CAPTURES) else 0
        calls = [self._call(item, (*steps_path, index), named) for index, item in enumerate(steps) if index >= first]
        head = (
            [ScriptedCall(tool=CAPTURES, arguments=named, line=self.document.line(captures_path) or 0)] if named else []
        )
        return tuple(head + [call for call in calls if call is not None])

    def _parts(self) -> tuple[Data, Path, Data, Path]:
        """Return captures and steps with their places."""
        root = self.document.data
        if isinstance(root, dict):
            for key in root.keys() - {CAPTURES, "steps"}:
                self._fail(f"is an unknown field; {suggest(key, (CAPTURES, 'steps'))}", (key,))
            return root.get(CAPTURES), (CAPTURES,), root.get("steps"), ("steps",) if "steps" in root else ()
        if isinstance(root, list) and root and isinstance(root[0], dict) and set(root[0]) == {CAPTURES}:
            return root[0][CAPTURES], (0, CAPTURES), root, ()
        return None, (), root, ()

    def _captures(self, data: Data, path: Path) -> dict[str, str]:
        named: dict[str, str] = {}
        if data is not None and not isinstance(data, dict):
            self._fail(f"must be a mapping of names to regular expressions, got {show(data)}", path)
        for name, pattern in data.items() if isinstance(data, dict) else ():
            problem = _pattern_problem(name, pattern)
            if problem:
                self._fail(problem, (*path, name))
            named[name] = str(pattern)
        return named

    def _call(self, item: Data, path: Path, named: Mapping[str, str]) -> ScriptedCall | None:
        if not isinstance(item, dict) or len(item) != 1:
            self._fail(f"must be one tool call, `tool: {{arguments}}`, got {show(item)}", path)
            return None
        tool, arguments = next(iter(item.items()))
        if not _TOOL.fullmatch(tool):
            self._fail(f"{show(tool)} is no tool name; use letters, digits and '_'", path)
        if arguments is not None and not isinstance(arguments, dict):
            self._fail(f"the arguments of {tool} must be a mapping or nothing, got {show(arguments)}", (*path, tool))
            return None
        for place, text in _texts(arguments, (*path, tool)):
            self._check_placeholders(text, place, named)
        return ScriptedCall(tool=tool, arguments=arguments or {}, line=self.document.line(path) or 0)

    def _check_placeholders(self, text: str, path: Path, named: Mapping[str, str]) -> None:
        for match in _PLACEHOLDER.finditer(text):
            kind, _, name = match[1].partition(".")
            if kind != "task" or not _NAME.fullmatch(name) or not match[0].endswith("}"):
                self._fail(f"holds {show(match[0])}; a script knows `${{task.NAME}}` and nothing more", path)
            elif name not in named:
                self._fail(f"uses the capture {name!r}, which `captures` doesn't define; {suggest(name, named)}", path)

    def _fail(self, text: str, path: Path) -> None:
        line = self.document.line(path)
        self.problems.append(Problem(text=text, file=self.document.file, line=line, path=dotted(path)))


def _pattern_problem(name: str, pattern: Data) -> str:
    """Return what is wrong with a capture, or nothing."""
    if not _NAME.fullmatch(name):
        return f"{show(name)} is no capture name; use letters, digits and '_'"
    if not isinstance(pattern, str) or len(pattern) > MAX_PATTERN_CHARS:
        return f"must be a regular expression of at most {MAX_PATTERN_CHARS} characters, got {show(pattern)}"
    try:
        groups = re.compile(pattern).groups
    except re.error as exc:
        return f"is no valid regular expression: {exc}, got {show(pattern)}"
    return "" if groups == 1 else f"must hold exactly one group in parentheses, got {groups} in {show(pattern)}"


def _texts(data: Data, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(data, str):
        yield path, data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _texts(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _texts(value, (*path, index))
