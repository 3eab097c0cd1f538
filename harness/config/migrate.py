"""Deletes the removed fields from a file and touches nothing else: not a comment, not an order, not a quote.

Lines are cut out of the text itself. The result is parsed and compared with the old content before it counts.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Final

import yaml

from harness.config.problem import Path, dotted
from harness.config.removed import REMOVED
from harness.config.yaml_reader import Data, parse_yaml
from harness.errors import ConfigError

_LINE: Final = re.compile("[^\r\n\x85\u2028\u2029]*(?:\r\n|[\r\n\x85\u2028\u2029]|$)")
_Pair = tuple[yaml.ScalarNode, yaml.Node]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted:
    """A field that was deleted, and the line where it stood."""

    path: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """The new text of a file and what it lost; a mapping that held nothing else is gone with its fields."""

    text: str
    deleted: tuple[Deleted, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cut:
    """One entry to cut: its place, and the characters from `start` up to `end`."""

    path: Path
    start: int
    end: int
    line: int


def plan_migration(text: str, *, file: str) -> Migration:
    """Return the file without the removed fields.

    Raises:
        ConfigError: the text is no valid YAML, or a field can't be cut out safely; the text names its line.
    """
    data = parse_yaml(text, file=file).data
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode):
        return Migration(text=text, deleted=())
    starts = _line_starts(text)
    cuts = [cut for node, path in _sections(root) for cut in _section_cuts(node, path, text, starts)]
    new = _cut_out(text, cuts)
    _verify(new, data, cuts, file)
    return Migration(text=new, deleted=tuple(Deleted(path=dotted(cut.path), line=cut.line) for cut in cuts))


def replace_file(path: FilePath, text: str) -> None:
    """Replace a file's text in one go, keeping its permissions; a link stays a link.

    Raises:
        ConfigError: it can't be written; the old file is untouched then.
    """
    target = path.resolve()
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        draft = FilePath(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            draft.chmod(target.stat().st_mode & 0o7777 if target.exists() else 0o644)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as exc:
        raise ConfigError(f"can't be written: {exc.strerror or exc}; check the permissions", file=str(path)) from exc


def _sections(root: yaml.MappingNode) -> Iterator[tuple[yaml.MappingNode, Path]]:
    """Yield every mapping in which a removed field can stand: the file, `defaults`, each agent."""
    yield root, ()
    for key, value in root.value:
        if key.value == "defaults" and isinstance(value, yaml.MappingNode):
            yield value, ("defaults",)
        if key.value == "agents" and isinstance(value, yaml.MappingNode):
            for name, agent in value.value:
                if isinstance(agent, yaml.MappingNode):
                    yield agent, ("agents", str(name.value))


def _section_cuts(section: yaml.MappingNode, path: Path, text: str, starts: list[int]) -> Iterator[_Cut]:
    for pair in section.value:
        key, value = pair
        if key.value in {".".join(field) for field in REMOVED}:
            yield _cut(section, pair, (*path, key.value), text, starts)
        elif isinstance(value, yaml.MappingNode):
            inner = [item for item in value.value if (key.value, item[0].value) in REMOVED]
            if inner and len(inner) == len(value.value):
                whole = _cut(section, pair, (*path, key.value), text, starts)
                yield from (
                    _Cut(
                        path=(*path, key.value, item[0].value),
                        start=whole.start,
                        end=whole.end,
                        line=item[0].start_mark.line + 1,
                    )
                    for item in inner
                )
            else:
                yield from (_cut(value, item, (*path, key.value, item[0].value), text, starts) for item in inner)


def _cut(parent: yaml.MappingNode, pair: _Pair, path: Path, text: str, starts: list[int]) -> _Cut:
    """Return the span of an entry: whole lines in block style; up to the next entry, comma included, in flow style."""
    key, value = pair
    line = key.start_mark.line
    if not parent.flow_style:
        last = max(line, _last_line(value))
        return _Cut(path=path, start=starts[line], end=starts[last + 1], line=line + 1)
    index = parent.value.index(pair)
    if index + 1 < len(parent.value):
        end = parent.value[index + 1][0].start_mark.index
        return _Cut(path=path, start=key.start_mark.index, end=end, line=line + 1)
    start = parent.value[index - 1][1].end_mark.index if index else key.start_mark.index
    return _Cut(path=path, start=start, end=value.end_mark.index, line=line + 1)


def _cut_out(text: str, cuts: list[_Cut]) -> str:
    """Return the text without the spans, which may overlap."""
    kept, position = [], 0
    for cut in sorted(cuts, key=lambda item: item.start):
        kept.append(text[position : max(position, cut.start)])
        position = max(position, cut.end)
    return "".join([*kept, text[position:]])


def _last_line(node: yaml.Node) -> int:
    """Return the last line, from 0, that a value's own text reaches; block collections end at their last value."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return max(_last_line(last[1]), last[0].start_mark.line) if isinstance(last, tuple) else _last_line(last)
    end = node.end_mark
    return end.line - 1 if end.column == 0 and end.line > node.start_mark.line else end.line


def _line_starts(text: str) -> list[int]:
    starts = [match.start() for match in _LINE.finditer(text) if match[0]]
    return [*starts, len(text), len(text)]


def _verify(new: str, old_data: Data, cuts: list[_Cut], file: str) -> None:
    """Make sure that the new text says what the old one said, less the fields."""
    expected = _without(old_data, {cut.path for cut in cuts}, ())
    try:
        found = parse_yaml(new, file=file).data
    except ConfigError:
        found = None
    if cuts and _drop_empty(found) != _drop_empty(expected):
        first = cuts[0]
        raise ConfigError(
            "can't be cut out of this file safely; delete it by hand",
            file=file,
            line=first.line,
            path=dotted(first.path),
        )


def _without(data: Data, paths: set[Path], path: Path) -> Data:
    if isinstance(data, dict):
        return {key: _without(value, paths, (*path, key)) for key, value in data.items() if (*path, key) not in paths}
    return data


def _drop_empty(data: Data) -> Data:
    """Return data in which mappings without content count as absent, as they do for the schema."""
    if not isinstance(data, dict):
        return data
    kept = {key: _drop_empty(value) for key, value in data.items()}
    return {key: value for key, value in kept.items() if value not in (None, {})} or None
