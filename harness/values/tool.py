"""Tool declarations as the model sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ToolOwner = Literal["device", "harness"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDeclaration:
    """A tool's name, description and argument schema.

    Attributes:
        name: Stable name.
        description: What it does, for the model.
        parameters_json: JSON Schema of its arguments, canonical JSON.
        owner: Who runs it.
    """

    name: str
    description: str
    parameters_json: str
    owner: ToolOwner
