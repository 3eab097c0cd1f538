"""What one seed draws: fields, values, and which value belongs where."""

from __future__ import annotations

import random
import string
from dataclasses import dataclass

SOURCE_NAMES = (
    "Booking reference",
    "Customer number",
    "Delivery code",
    "Invoice number",
    "Locker code",
    "Order number",
    "Parcel number",
    "Policy number",
    "Seat number",
    "Ticket number",
)
INPUT_NAMES = (
    "Access word",
    "Case identifier",
    "Claim key",
    "Confirmation code",
    "File mark",
    "Proof of purchase",
    "Release key",
    "Verification word",
)
FIELDS = 5
INPUTS = 3
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without I and O, which look like digits in a screenshot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A named value of the first page."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One drawn task.

    Attributes:
        fields: The table of the first page.
        inputs: Labels of the form on the last page.
        source: The field whose value is wanted.
        target: The label of the input it belongs in.
    """

    fields: tuple[Field, ...]
    inputs: tuple[str, ...]
    source: Field
    target: str

    @property
    def instruction(self) -> str:
        """The task text."""
        return (
            f'Note the value of "{self.source.name}" on the first page. Then press Next until the last page, '
            f'type that value into "{self.target}" and press Submit.'
        )


def draw_assignment(seed: int) -> Assignment:
    """Return the task that `seed` draws; the same seed gives the same task, no two of its values are equal."""
    rng = random.Random(seed)
    names = rng.sample(SOURCE_NAMES, FIELDS)
    values: set[str] = set()
    while len(values) < FIELDS:
        values.add(_value(rng))
    fields = tuple(Field(name=name, value=value) for name, value in zip(names, sorted(values), strict=True))
    inputs = tuple(rng.sample(INPUT_NAMES, INPUTS))
    return Assignment(fields=fields, inputs=inputs, source=rng.choice(fields), target=rng.choice(inputs))


def _value(rng: random.Random) -> str:
    letters = "".join(rng.choices(LETTERS, k=2))
    digits = "".join(rng.choices(string.digits[2:], k=4))
    return f"{letters}-{digits}"
