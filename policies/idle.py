"""The policy `idle` does nothing: each step it waits one second, until a limit ends the run."""

from __future__ import annotations

from harness.protocols import PolicySpec
from policies.keyless import Decision, KeylessPolicy
from policies.view import RequestView


def create(spec: PolicySpec) -> KeylessPolicy:
    """Return the policy; the spec changes nothing."""
    return KeylessPolicy("idle", decide)


def decide(view: RequestView) -> Decision:
    """Wait one second; a call, because a reply without one would end the run as `no_action`."""
    return Decision(tool="wait", arguments={"seconds": 1})
