"""`session.json`: what a list of sessions shows, rewritten whole at each status change."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from harness.errors import StorageDamaged, StorageVersion
from harness.store.atomic import storage_errors, write_whole
from harness.values.run import RunStatus

SCHEMA: Literal["transom/session/1"] = "transom/session/1"
SessionStatus = Literal["running"] | RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """One line of the session list.

    Attributes:
        id: Session id.
        agent: The agent's name.
        task: The text of the current round's task.
        status: `running`, or how the last round ended; a killed session stays `running`.
        started_at: When the session began, with its time zone.
        ended_at: When the last round ended, or None while one runs.
        steps: Steps of the session so far.
        success: Whether the last round succeeded; None while one runs.
        answer: What `finish` said, or None.
        model: Name of the model.
        controller: Kind of the controller.
        round: The current round, from 1.
    """

    id: str
    agent: str
    task: str
    started_at: datetime
    model: str
    controller: str
    status: SessionStatus = "running"
    ended_at: datetime | None = None
    steps: int = 0
    success: bool | None = None
    answer: str | None = None
    round: int = 1


class _SessionFile(BaseModel):
    # A newer program may add fields to the same schema, so unknown ones are skipped here and nowhere else.
    model_config = ConfigDict(extra="ignore", serialize_by_alias=True)

    schema_name: Literal["transom/session/1"] = Field(alias="schema", default=SCHEMA)
    id: str
    agent: str
    task: str
    status: SessionStatus
    started_at: AwareDatetime
    ended_at: AwareDatetime | None
    steps: int
    success: bool | None
    answer: str | None
    model: str
    controller: str
    round: int


def save_info(path: Path, info: SessionInfo) -> None:
    """Write `session.json` whole.

    Raises:
        StorageError: it can't be written.
    """
    write_whole(path, encode_info(info))


def encode_info(info: SessionInfo) -> bytes:
    """Return the JSON of `session.json`; lone surrogates, which UTF-8 can't hold, become `?`."""
    fields = {name: _writable(value) for name, value in asdict(info).items()}
    return _SessionFile.model_validate(fields).model_dump_json(indent=1).encode() + b"\n"


def _writable(value: object) -> object:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def load_info(path: Path) -> SessionInfo:
    """Read `session.json`.

    Raises:
        StorageDamaged: it is missing, no JSON or lacks a field.
        StorageVersion: it has another schema.
        StorageError: it can't be read.
    """
    if not path.is_file():
        raise StorageDamaged(f"{path}: the file is missing; this is no session directory, or it was damaged")
    with storage_errors(path):
        data = path.read_bytes()
    try:
        read = _SessionFile.model_validate_json(data)
    except ValidationError as exc:
        first = exc.errors()[0]
        place = ".".join(str(item) for item in first["loc"]) or "the whole file"
        if first["loc"] == ("schema",):
            raise StorageVersion(
                f"{path}: schema {first['input']!r}, this program reads {SCHEMA!r}; use the Transom that wrote it"
            ) from exc
        raise StorageDamaged(f"{path}: {place}: {first['msg']}; restore the file from a copy") from exc
    return SessionInfo(**read.model_dump(exclude={"schema_name"}, by_alias=False))
