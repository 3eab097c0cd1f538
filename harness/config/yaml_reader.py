"""YAML files as plain data with the line of each value.

Read from events, not from Python objects: nothing is ever constructed but text, numbers, booleans, null, lists
and mappings. Size, depth, aliases and values are capped, so a hostile file ends in an error within a second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Final, NoReturn

import yaml

from harness.config.problem import Path, show
from harness.config.yaml_scalars import Scalar, resolve_scalar
from harness.errors import ConfigError

MAX_BYTES: Final = 1_000_000
MAX_DEPTH: Final = 50
MAX_ALIASES: Final = 100
MAX_VALUES: Final = 10_000

Data = Scalar | list["Data"] | dict[str, "Data"]
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlDocument:
    """A file as plain data.

    Attributes:
        file: The file as the user named it.
        data: Keys of mappings are always text.
        lines: The line of each value's key, or of a list item, from 1.
        quoted: Paths of quoted or block text: it is never read as a number or the like.
    """

    file: str
    data: Data
    lines: Mapping[Path, int]
    quoted: frozenset[Path]

    def line(self, path: Path) -> int | None:
        """Return the line of the value at `path`, or of the nearest value around it."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return None


def read_yaml(path: FilePath) -> YamlDocument:
    """Read one YAML file.

    Raises:
        ConfigError: it can't be read, is larger than 1 MB, not UTF-8 or not the YAML described above.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as exc:
        raise ConfigError(f"can't be read: {exc.strerror or exc}; check the path", file=str(path)) from exc
    if len(content) > MAX_BYTES:
        raise ConfigError(f"is larger than {MAX_BYTES:,} bytes; split or shorten it", file=str(path))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        line = content[: exc.start].count(b"\n") + 1
        raise ConfigError(
            f"is not UTF-8: byte {content[exc.start]:#04x}; save it as UTF-8", file=str(path), line=line
        ) from exc
    return parse_yaml(text, file=str(path))


def parse_yaml(text: str, *, file: str) -> YamlDocument:
    """Parse one YAML document; see `read_yaml`."""
    try:
        builder = _Builder(file=file, events=iter(yaml.parse(text, Loader=_LOADER)))
        root = builder.document()
    except yaml.YAMLError as exc:
        raise _syntax_error(exc, text, file) from exc
    flattener = _Flattener(file=file)
    data = flattener.plain(root, ())
    return YamlDocument(file=file, data=data, lines=flattener.lines, quoted=frozenset(flattener.quoted))


@dataclass(slots=True, kw_only=True)
class _Node:
    """A value with its line; `content` of a mapping holds the key's line beside each value."""

    line: int
    content: Scalar | list[_Node] | dict[str, tuple[int, _Node]] = None
    is_quoted: bool = False


@dataclass(slots=True, kw_only=True)
class _Builder:
    """Builds nodes from events; an alias is the anchored node itself."""

    file: str
    events: Iterator[yaml.Event]
    anchors: dict[str, _Node] = field(default_factory=dict)
    aliases: int = 0
    values: int = 0

    def document(self) -> _Node:
        root = _Node(line=1)
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.fail("holds a second document; keep one", event)
            elif isinstance(event, yaml.NodeEvent):
                root = self.node(event, 0)
        return root

    def node(self, event: yaml.Event, depth: int) -> _Node:
        if depth > MAX_DEPTH:
            self.fail(f"is nested deeper than {MAX_DEPTH} levels; flatten it", event)
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event)
        self.values += 1
        if self.values > MAX_VALUES:
            self.fail(f"holds more than {MAX_VALUES:,} values; shorten it", event)
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag not in (None, "!"):
            self.fail(f"has the tag {show(event.tag)}; tags are not allowed, delete it", event)
        node = _Node(line=_line(event))
        if isinstance(event, yaml.ScalarEvent):
            node.is_quoted = event.style is not None and event.style != ""
            node.content = event.value if node.is_quoted or event.tag == "!" else resolve_scalar(event.value)
        elif isinstance(event, yaml.SequenceStartEvent):
            node.content = self.items(depth)
        else:
            node.content = self.entries(depth)
        anchor = getattr(event, "anchor", None)
        if anchor is not None:
            self.anchors[anchor] = node
        return node

    def items(self, depth: int) -> list[_Node]:
        found = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            found.append(self.node(event, depth + 1))
        return found

    def entries(self, depth: int) -> dict[str, tuple[int, _Node]]:
        found: dict[str, tuple[int, _Node]] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                self.fail("has a key that is no plain text; write the key as a word", event)
            key, line = event.value, _line(event)
            if key in found:
                self.fail(
                    f"sets {show(key)} twice, first in line {found[key][0]} and again in line {line}; keep one", event
                )
            if key == "<<" and not event.style:
                self.fail(
                    "uses the merge key '<<', which YAML 1.2 doesn't have; use `extends` or repeat the values", event
                )
            found[key] = (line, self.node(next(self.events), depth + 1))
        return found

    def alias(self, event: yaml.AliasEvent) -> _Node:
        self.aliases += 1
        if self.aliases > MAX_ALIASES:
            self.fail(f"uses more than {MAX_ALIASES} aliases; write the values out", event)
        if event.anchor not in self.anchors:
            self.fail(f"uses the alias {show(event.anchor)} before its anchor is complete; define it earlier", event)
        return self.anchors[event.anchor]

    def fail(self, problem: str, event: yaml.Event) -> NoReturn:
        raise ConfigError(problem, file=self.file, line=_line(event))


@dataclass(slots=True, kw_only=True)
class _Flattener:
    """Turns nodes into plain data; an aliased value is written out at each place and counted each time."""

    file: str
    lines: dict[Path, int] = field(default_factory=dict)
    quoted: set[Path] = field(default_factory=set)

    def plain(self, node: _Node, path: Path, line: int | None = None) -> Data:
        if len(self.lines) >= MAX_VALUES:
            raise ConfigError(
                f"holds more than {MAX_VALUES:,} values once aliases are written out", file=self.file, line=node.line
            )
        if len(path) > MAX_DEPTH + 1:
            raise ConfigError(
                f"is nested deeper than {MAX_DEPTH} levels through aliases", file=self.file, line=node.line
            )
        self.lines[path] = line or node.line
        if isinstance(node.content, list):
            return [self.plain(item, (*path, index)) for index, item in enumerate(node.content)]
        if isinstance(node.content, dict):
            return {key: self.plain(item, (*path, key), at) for key, (at, item) in node.content.items()}
        if node.is_quoted:
            self.quoted.add(path)
        return node.content


def _line(event: yaml.Event) -> int:
    return 1 if event.start_mark is None else event.start_mark.line + 1


def _syntax_error(exc: yaml.YAMLError, text: str, file: str) -> ConfigError:
    """Return our error for a syntax error, without the file's content."""
    mark = getattr(exc, "problem_mark", None)
    position = getattr(exc, "position", None)
    line = mark.line + 1 if mark is not None else text[:position].count("\n") + 1 if isinstance(position, int) else None
    problem = getattr(exc, "problem", None) or getattr(exc, "reason", None) or "can't be parsed"
    return ConfigError(
        f"is not valid YAML: {problem}; check indentation, quotes and colons there", file=file, line=line
    )
