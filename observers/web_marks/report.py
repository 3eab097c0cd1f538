"""What the page's pass reports, checked: a page can meddle with its own world, so nothing is taken on trust."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from harness.values.mark import quote_page_text

NAME_CHARS = 100
VALUE_CHARS = 200
Word = Literal[
    "checked",
    "mixed",
    "selected",
    "pressed",
    "focused",
    "expanded",
    "collapsed",
    "readonly",
    "required",
    "date",
    "time",
    "month",
    "week",
    "datetime-local",
    "password",
    "email",
    "tel",
    "url",
]
Role = Annotated[str, StringConstraints(pattern=r"^[a-z]+$", max_length=20)]
Box = tuple[float, float, float, float]
Spot = tuple[float, float]


class _Reported(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class FoundMark(_Reported):
    """An interactive element: `box` and `spots` in CSS pixels of its page frame's viewport.

    `spots` are points at which a click reaches it, as far as its own page frame can tell.
    """

    box: Box
    spots: list[Spot]
    role: Role
    name: Annotated[str, StringConstraints(max_length=2 * NAME_CHARS)]
    value: Annotated[str, StringConstraints(max_length=2 * VALUE_CHARS)] | None
    states: list[Word]
    options: list[str] = Field(default_factory=list)
    option_count: int = Field(default=0, alias="optionCount")

    @property
    def words(self) -> tuple[str, ...]:
        """States in their fixed order; the options of a closed select come last."""
        if not self.option_count:
            return tuple(self.states)
        shown = [quote_page_text(label) for label in self.options]
        if len(shown) < self.option_count:
            shown.append(f"… ({self.option_count} in all)")
        return (*self.states, f"options: {', '.join(shown)}")


class FoundText(_Reported):
    """A run of visible text; `at` is the middle of it."""

    text: str
    at: Spot


class PageReport(_Reported):
    """What one page frame shows.

    Attributes:
        marks: In document order.
        texts: In document order; None where the text became a name.
        order: One letter for each item in document order: `m` mark, `t` text, `f` nested page frame.
    """

    marks: list[FoundMark]
    texts: list[FoundText | None]
    order: Annotated[str, StringConstraints(pattern=r"^[mtf]*$")]

    @model_validator(mode="after")
    def _counts_agree(self) -> PageReport:
        if (self.order.count("m"), self.order.count("t")) != (len(self.marks), len(self.texts)):
            raise ValueError(f"order {self.order[:40]!r} names other counts than the lists; read the page again")
        return self


class Placement(_Reported):
    """Where a nested page frame's viewport lies in its parent's: `parent = child * scale + origin`.

    Attributes:
        index: Its place among the parent's nested frames in document order.
        scale: Parent pixels per child pixel, horizontally and vertically.
        origin: The child's top-left corner in the parent.
        clip: The part of the parent's viewport in which it can show.
        problem: Why it can't be mapped, or None.
    """

    index: int
    scale: Spot = (1.0, 1.0)
    origin: Spot = (0.0, 0.0)
    clip: Box = (0.0, 0.0, 0.0, 0.0)
    problem: str | None = None
