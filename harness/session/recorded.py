"""A recorded session, read from a private copy: events, the state at any step, exact requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from harness.errors import UsageError
from harness.session.fold import fold
from harness.session.log import EventLog, open_readonly
from harness.session.state import SessionState
from harness.store.info import SessionInfo
from harness.store.layout import SessionDirectory
from harness.values.event import Event, PrefixEdited, RequestBuilt


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRequest:
    """The request of one step as it was sent.

    Attributes:
        built: What the log says of it.
        edit: The prefix edit that came with it, or None.
        messages: Its parts in order, as JSON values; images are references.
    """

    built: RequestBuilt
    edit: PrefixEdited | None
    messages: tuple[object, ...]


class RecordedSession:
    """Everything a reader can know of a session; never touches the live files."""

    def __init__(self, directory: SessionDirectory, log: EventLog) -> None:
        self._log = log
        self.directory = directory
        self.info: SessionInfo = directory.read_info()
        self.events: tuple[Event, ...] = tuple(log.events())

    def state(self) -> SessionState:
        """Return the fold of all events."""
        return fold(self.events)

    def request(self, step: int) -> StepRequest:
        """Return the last request of a step.

        Raises:
            UsageError: the session has no such step.
            StorageDamaged: a part is missing or changed.
        """
        bodies = [event.body for event in self.events if event.step == step]
        built = [body for body in bodies if isinstance(body, RequestBuilt)]
        if not built:
            self._check_step(step)
            raise UsageError(f"step {step} of session {self.directory.id} sent no request; name another step")
        edits = [body for body in bodies if isinstance(body, PrefixEdited)]
        parts = self._log.request_parts(step)
        return StepRequest(
            built=built[-1], edit=edits[-1] if edits else None, messages=tuple(json.loads(part) for part in parts)
        )

    def _check_step(self, step: int) -> None:
        last = max((event.step for event in self.events), default=0)
        if not 0 <= step <= last:
            raise UsageError(f"session {self.directory.id} has no step {step}; its steps are 1 to {last}")


@contextmanager
def open_recorded(directory: SessionDirectory) -> Iterator[RecordedSession]:
    """Yield the recorded session of a directory, checked, whether or not it is still running.

    Raises:
        StorageError: the log can't be read or is damaged; the text names file and place.
    """
    with open_readonly(directory) as log:
        yield RecordedSession(directory, log)
