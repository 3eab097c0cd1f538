"""A device that writes down what is done to it, in a file, so that its effects can be counted from outside."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.errors import ActionUnknown, ControllerError, EmergencyStop, ObservationError
from harness.protocols import ControllerSpec, DeviceStart
from harness.testing.fakes import FakeController
from harness.values.action import DeviceCall, TypeText
from harness.values.frame import Frame
from harness.values.observation import Sight
from harness.values.outcome import Outcome
from harness.values.recording import Recording

JOURNAL = "FAKE_DEVICE_JOURNAL"
FACTORY = "fake_devices:create"
SUPPORT = Path(__file__).parent
FOREVER_S = 3600.0
LINGER_S = 0.8


def typed(text: str, call_id: str = "c1") -> DeviceCall:
    """Return a call that tells the device what to do: the first word of the text is an order of `JournalDevice`."""
    return DeviceCall(call_id=call_id, action=TypeText(text=text))


def fake_environment(journal: Path) -> dict[str, str]:
    """Return the whole environment of a device process that runs `create`."""
    paths = os.pathsep.join([str(SUPPORT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {"PATH": os.environ["PATH"], "PYTHONPATH": paths, JOURNAL: str(journal)}


def read_journal(journal: Path) -> list[str]:
    """Return what was done to the device, in order."""
    return journal.read_text().splitlines() if journal.exists() else []


def effects(journal: Path) -> list[str]:
    """Return the action ids that had an effect, once for each time."""
    return [line.removeprefix("act ") for line in read_journal(journal) if line.startswith("act ")]


class JournalDevice(FakeController):
    """A fake device that obeys orders in typed text, each after its effect was written down.

    Orders: `hang` (never ends), `freeze` (never ends and blocks the event loop), `die` (ends the process), `crash` (an
    error nobody meant), `stop` (a person takes the device back), `cut` (lost in the middle), `lose` (lost before: no
    effect), `slow S`, `launch` (a program that lists the files it inherited), `record` (a recording comes with the
    outcome). Observers name what `open` does: `die`, `hang`, `refuse`; with `linger`, `close` takes most of its time.
    """

    def __init__(self, journal: Path) -> None:
        super().__init__()
        self._journal = journal
        self._unfetched: list[Recording] = []
        self._is_lingering = False

    def _write(self, line: str) -> None:
        with self._journal.open("a") as file:
            file.write(f"{line}\n")

    async def open(self, start: DeviceStart, observers: Sequence[str]) -> Sight:
        self._write(f"open {' '.join(observers)}".rstrip())
        if "die" in observers:
            os.write(2, b"first line\nno display ':99'; set DISPLAY\n")
            os._exit(3)
        if "hang" in observers:
            await asyncio.sleep(FOREVER_S)
        if "refuse" in observers:
            raise ControllerError("no display; set DISPLAY")
        self._is_lingering = "linger" in observers
        return await super().open(start, observers)

    async def capture(self, deadline_s: float) -> Sight:
        if self.captures and deadline_s == 0.25:
            raise ObservationError("the capture is damaged")
        return await super().capture(deadline_s)

    async def perform(
        self, calls: Sequence[DeviceCall], *, action_id: str, decision_frame: Frame | None, deadline_s: float
    ) -> Outcome:
        order = calls[0].action.text if isinstance(calls[0].action, TypeText) else ""
        if order == "lose":
            raise ControllerError("the display was lost before")
        self._write(f"act {action_id}")
        await self._obey(order)
        outcome = await super().perform(
            calls, action_id=action_id, decision_frame=decision_frame, deadline_s=deadline_s
        )
        self._write(f"end {action_id}")
        return outcome

    async def _obey(self, order: str) -> None:
        match order.split():
            case ["hang"]:
                await asyncio.sleep(FOREVER_S)
            case ["freeze"]:
                time.sleep(FOREVER_S)  # noqa: ASYNC251  # blocking the loop is the point
            case ["die"]:
                os._exit(3)
            case ["crash"]:
                raise RuntimeError("nobody meant this")
            case ["stop"]:
                raise EmergencyStop("a person pressed the hotkey")
            case ["cut"]:
                raise ActionUnknown("the display was lost in the middle")
            case ["launch"]:
                self._write(_list_inherited())
            case ["slow", seconds]:
                await asyncio.sleep(float(seconds))
            case ["record"]:
                self._unfetched.append(Recording(kind="accessibility", frame_sha256="0" * 64, body=b'{"a":1}\n\xff'))

    async def collect_recordings(self, deadline_s: float) -> tuple[Recording, ...]:
        taken, self._unfetched = tuple(self._unfetched), []
        return taken

    async def release_all(self) -> None:
        self._write("release")

    async def close(self) -> None:
        self._write("close")
        if self._is_lingering:
            await asyncio.sleep(LINGER_S)
            self._write("closed")


def _list_inherited() -> str:
    command = ["ls", "-l", "/proc/self/fd"]
    return subprocess.run(command, close_fds=False, capture_output=True, text=True, check=True).stdout


def create(spec: ControllerSpec) -> JournalDevice:
    """Return a device whose journal the environment names."""
    environment: Mapping[str, str] = spec.environment or {}
    return JournalDevice(Path(environment[JOURNAL]))
