"""A resolved agent: values for the harness, and the configuration that every session stores."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.config.nexau import NexauAgent
from harness.config.yaml_reader import Data
from harness.protocols import ControllerSpec, ModelSpec
from harness.values.settings import SessionSettings

RESOLVED_SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfig:
    """An agent, ready to run.

    Attributes:
        name: As it was asked for.
        model: The model entry.
        controller: How to make the controller.
        observers: Entry-point names of the observers.
        settings: What loop, window and projection need.
        system: The system prompt of the NexAU block, or None.
        nexau: What was read of the NexAU block, or None.
        warnings: What a person should know before the run, for example parts of a NexAU block that are not run.
        origins: Where each value came from, by dotted path: `default`, `FILE:LINE`, `--set` or `--model`.
        values: Each value by dotted path, secrets masked; in the order of the schema.
    """

    name: str
    model: ModelSpec
    controller: ControllerSpec
    observers: tuple[str, ...]
    settings: SessionSettings
    system: str | None = None
    nexau: NexauAgent | None = None
    warnings: tuple[str, ...] = ()
    origins: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Data] = field(default_factory=dict)

    def to_json(self) -> str:
        """Return the resolved configuration as one line of JSON with its origins, secrets masked."""
        document = {
            "schema": RESOLVED_SCHEMA,
            "agent": self.name,
            "values": _nested(self.values),
            "nexau": None if self.nexau is None else dict(self.nexau.block),
            "warnings": list(self.warnings),
            "origins": dict(self.origins),
        }
        return json.dumps(document, ensure_ascii=False)


def _nested(values: Mapping[str, Data]) -> dict[str, Data]:
    nested: dict[str, Data] = {}
    for path, value in values.items():
        *parents, name = path.split(".")
        place = nested
        for parent in parents:
            inner = place.setdefault(parent, {})
            assert isinstance(inner, dict)
            place = inner
        place[name] = value
    return nested
