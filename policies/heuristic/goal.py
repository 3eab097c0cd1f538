"""What a task text asks for, as a list of parts.

General rules of English instructions only: clauses that begin with a verb, quoted names, ordinals, lists. Texts that
fit no rule give no part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Source = Literal["text", "note", "page", "pattern"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """Click something.

    Attributes:
        names: What it may be called, best first; empty when only kind and ordinal tell.
        kinds: Nouns that say what it is, for example `button`.
        ordinal: Which of the fitting ones, from 1; -1 for the last; None when names tell.
        is_quoted: Whether the name stood in quotes, so it is exact.
    """

    names: tuple[str, ...]
    kinds: frozenset[str] = frozenset()
    ordinal: int | None = None
    is_quoted: bool = False
    kind: Literal["click"] = "click"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choose:
    """Make an option chosen: tick a checkbox or radio button, or select it in a list."""

    name: str
    is_from_list: bool = False
    kind: Literal["choose"] = "choose"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """Put a text into a field.

    Attributes:
        text: The text itself; for other sources the name of the value, or how it begins (`pattern`).
        source: `text` as written; `note` from the active notes; `page` from the visible page; `pattern` a suggestion
            that begins with `text` and ends with `end`.
        field: Words of the field's label; empty when the task doesn't say.
        is_field_quoted: Whether the label stood in quotes, so it is exact.
        ordinal: Which field, from 1; -1 for the last.
        is_everywhere: Whether all fields get the text.
        end: For `pattern`.
    """

    text: str
    source: Source = "text"
    field: str = ""
    is_field_quoted: bool = False
    ordinal: int | None = None
    is_everywhere: bool = False
    end: str = ""
    kind: Literal["fill"] = "fill"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember:
    """Note the value that stands beside a name."""

    field: str
    kind: Literal["remember"] = "remember"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reveal:
    """Open something that hides content; `kinds` are the nouns that name it."""

    kinds: frozenset[str] = frozenset()
    kind: Literal["reveal"] = "reveal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Wait for some seconds."""

    seconds: int
    kind: Literal["pause"] = "pause"


Part = Click | Choose | Fill | Remember | Reveal | Pause
