"""`${…}` inside parsed scalars: a value can never change the structure of the file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from harness.config.problem import Path, Problem, dotted
from harness.config.yaml_reader import Data, YamlDocument
from harness.config.yaml_scalars import resolve_scalar

_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]*"
_PLACEHOLDER: Final = re.compile(
    rf"\$\{{(?:env\.(?P<env>{_NAME})|variables\.(?P<variable>{_NAME}(?:\.{_NAME})*)|(?P<folder>this_file_dir))\}}"
)
_MISSING: Final = object()


@dataclass(slots=True, kw_only=True)
class Substitution:
    """Replaces placeholders in one document.

    Attributes:
        document: Where the data comes from; for lines and quoting.
        env: The environment.
        folder: For `${this_file_dir}`; None leaves it as it is.
        variables: For `${variables.a.b}`; None leaves them as they are.
        secret: Paths of values that came from the environment.
        problems: Placeholders without a value. The value that holds one is left out of the result.
    """

    document: YamlDocument
    env: Mapping[str, str]
    folder: str | None = None
    variables: Mapping[str, Data] | None = None
    secret: set[Path] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)

    def fill(self, data: Data, path: Path) -> Data:
        """Return a copy of `data`, which stands at `path`, with every placeholder replaced."""
        filled = self._fill(data, path)
        return None if filled is _MISSING else filled  # type: ignore[return-value]  # the marker is gone

    def _fill(self, data: Data, path: Path) -> object:
        if isinstance(data, dict):
            pairs = ((key, self._fill(item, (*path, key))) for key, item in data.items())
            return {key: item for key, item in pairs if item is not _MISSING}
        if isinstance(data, list):
            items = (self._fill(item, (*path, index)) for index, item in enumerate(data))
            return [item for item in items if item is not _MISSING]
        return self._scalar(data, path) if isinstance(data, str) and "${" in data else data

    def _scalar(self, text: str, path: Path) -> object:
        before = len(self.problems)
        filled = _PLACEHOLDER.sub(lambda match: self._value(match, path), text)
        if len(self.problems) > before:
            return _MISSING
        is_retyped = _PLACEHOLDER.fullmatch(text) is not None and path not in self.document.quoted
        return resolve_scalar(filled) if is_retyped and filled != text else filled

    def _value(self, match: re.Match[str], path: Path) -> str:
        if match["env"] is not None:
            return self._environment(match["env"], path)
        if match["folder"] is not None:
            return match[0] if self.folder is None else self.folder
        return match[0] if self.variables is None else self._variable(match["variable"], path)

    def _environment(self, name: str, path: Path) -> str:
        self.secret.add(path)
        if name not in self.env:
            self._fail(f"the environment variable {name!r} is not set; set it or delete the line", path)
        return self.env.get(name, "")

    def _variable(self, name: str, path: Path) -> str:
        current: object = self.variables
        for part in name.split("."):
            current = current.get(part, _MISSING) if isinstance(current, Mapping) else _MISSING
        if current is _MISSING:
            self._fail(f"the variable {name!r} is not defined; add it under `variables`", path)
        elif isinstance(current, list | dict):
            self._fail(f"the variable {name!r} is a list or mapping; only single values can stand in a text", path)
        return "null" if current is None else str(current)

    def _fail(self, text: str, path: Path) -> None:
        document = self.document
        self.problems.append(Problem(text=text, file=document.file, line=document.line(path), path=dotted(path)))
