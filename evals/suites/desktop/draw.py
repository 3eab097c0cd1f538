"""What a seed draws: names, numbers and texts that can't be learnt by heart."""

from __future__ import annotations

import random
import string
from collections.abc import Sequence
from typing import Final, TypeVar

T = TypeVar("T")

FIRST_NAMES: Final = ("Ada", "Amara", "Björn", "Chloé", "Dmitri", "Inês", "Jürgen", "Keiko", "Łukasz", "Noor", "Zoë")
LAST_NAMES: Final = ("Castillo", "Faulkner", "Grünwald", "Haddad", "Jóhannsson", "Lovelace", "Moreau", "Nakamura")
CITIES: Final = ("Köln", "Kraków", "Malmö", "Reykjavík", "São Paulo", "Århus", "Zürich", "İzmir")
NOUNS: Final = (
    *("agenda", "budget", "catalogue", "delivery", "estimate", "forecast", "inventory", "itinerary"),
    *("journal", "ledger", "minutes", "offer", "outline", "protocol", "recipe", "survey"),
)
SPELLINGS: Final = (
    ("centre", "center"),
    ("colour", "color"),
    ("grey", "gray"),
    ("honour", "honor"),
    ("jewellery", "jewelry"),
    ("theatre", "theater"),
)
# No 0, 1, i, l or o: they are easily taken for each other in a picture.
_CODE_LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ"
_CODE_DIGITS: Final = "23456789"


class Draw:
    """Draws the parameters of one task; the same task and seed draw the same."""

    def __init__(self, task_id: str, seed: int) -> None:
        self._random = random.Random(f"{task_id}:{seed}")

    def number(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both included."""
        return self._random.randint(low, high)

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return self._random.choice(items)

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """Return `count` different items in a drawn order."""
        return self._random.sample(items, count)

    def code(self) -> str:
        """Return something like `QX-4729`."""
        letters = "".join(self._random.choices(_CODE_LETTERS, k=2))
        return f"{letters}-{''.join(self._random.choices(_CODE_DIGITS, k=4))}"

    def file_names(self, count: int, *, ending: str = ".txt") -> list[str]:
        """Return `count` different file names, for example `budget-2031.txt`."""
        return [f"{noun}-{self.number(2020, 2039)}{ending}" for noun in self.sample(NOUNS, count)]

    def people(self, count: int) -> list[str]:
        """Return the full names of `count` people, no two of them with the same first name."""
        return [f"{first} {self.pick(LAST_NAMES)}" for first in self.sample(FIRST_NAMES, count)]

    def sentence(self) -> str:
        """Return one line with letters and signs that are not on every keyboard, and no double quotes."""
        low, high = sorted(self._random.sample(range(10, 100), 2))
        return f"Grüße aus {self.pick(CITIES)} – {low} < {high} & {self.code()} für {self.number(3, 99)} €"

    def password(self) -> str:
        """Return a password of 12 letters, digits and signs."""
        signs = string.ascii_letters + string.digits + "!#$%&*+-=?@_~"
        return "".join(self._random.choices(signs, k=12))
