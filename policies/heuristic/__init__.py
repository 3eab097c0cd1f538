"""The policy `heuristic` acts by general rules on the words of the task and of the screen.

It is a demonstration that needs no key and a floor for evals. It knows no task and no site; it reads the task text, the
marks, the visible text and the active notes in its request, and its own earlier calls there.
"""

from __future__ import annotations

from harness.protocols import PolicySpec
from policies.heuristic.act import decide
from policies.keyless import KeylessPolicy


def create(spec: PolicySpec) -> KeylessPolicy:
    """Return the policy; the spec changes nothing."""
    return KeylessPolicy("heuristic", decide)
