"""What is wrong with a configuration, collected so that one run reports everything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from harness.errors import ConfigError, RemovedField

Path = tuple[str | int, ...]
_SHOWN_CHARS = 60
_SHOWN_NAMES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        text: What is wrong, the value seen, what to do.
        file: The file as the user named it, or None for the command line.
        line: Line in that file, from 1, or None.
        path: Dotted path of the value.
        is_removed: Whether a field that no longer exists is still set.
    """

    text: str
    file: str | None = None
    line: int | None = None
    path: str = ""
    is_removed: bool = False

    def to_error(self, *others: Problem) -> ConfigError:
        """Return the error for this problem; the text of `others` follows, a line each."""
        kind = RemovedField if self.is_removed else ConfigError
        rest = "".join(f"\n{other.to_error()}" for other in others)
        return kind(self.text + rest, file=self.file, line=self.line, path=self.path)


def raise_problems(problems: Sequence[Problem]) -> None:
    """Raise one error for all problems, each once, in the order of their lines; do nothing without any.

    Raises:
        ConfigError: with the place of the first problem and one line of text for each.
    """
    if problems:
        first, *others = sort_problems(problems)
        raise first.to_error(*others)


def sort_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return each problem once, ordered by file and line; those of the command line come first."""
    return tuple(sorted(dict.fromkeys(problems), key=lambda item: (item.file or "", item.line or 0)))


def dotted(path: Path) -> str:
    """Return a path as text: `agents.demo.observers[0]`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def suggest(name: str, valid: Iterable[str]) -> str:
    """Return what to write instead of `name`: the nearest valid name, else all of them."""
    names = sorted(valid)
    near = get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]!r}?"
    if not names:
        return "there is none to choose from"
    more = f" and {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else ""
    return f"valid here: {', '.join(names[:_SHOWN_NAMES])}{more}"


def show(value: object) -> str:
    """Return a value for an error message: its source form, cut to 60 characters."""
    text = (
        {True: "true", False: "false", None: "null"}[value]
        if value is None or value is True or value is False
        else repr(value)
    )
    return text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…"
