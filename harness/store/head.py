"""`session.head`: the anchor that shows when events are missing from the end of a log."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import StorageDamaged
from harness.store.atomic import storage_errors, write_whole

_SCHEMA: Literal["transom/head/1"] = "transom/head/1"
_CHAIN = r"^([0-9a-f]{64})?$"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogHead:
    """Where a log stood when its head was written.

    Attributes:
        seq: Sequence number of the newest event, 0 without one.
        chain: Head of the event chain, empty without an event.
        requests: Number of stored requests.
        requests_chain: Head of the request chain, empty without a request.
    """

    seq: int
    chain: str
    requests: int
    requests_chain: str


class _HeadFile(BaseModel):
    model_config = ConfigDict(extra="forbid", serialize_by_alias=True)

    schema_name: Literal["transom/head/1"] = Field(alias="schema", default=_SCHEMA)
    seq: int = Field(ge=0)
    chain: str = Field(pattern=_CHAIN)
    requests: int = Field(ge=0)
    requests_chain: str = Field(pattern=_CHAIN)


def save_head(path: Path, head: LogHead) -> None:
    """Write `session.head` whole.

    Raises:
        StorageError: it can't be written; the old head stands.
    """
    file = _HeadFile.model_validate(asdict(head))
    # The log may be ahead of its head, so a power cut that brings the old head back does no harm.
    write_whole(path, file.model_dump_json().encode() + b"\n", is_name_durable=False)


def load_head(path: Path) -> LogHead:
    """Read `session.head`.

    Raises:
        StorageDamaged: it is missing or no head.
        StorageError: it can't be read.
    """
    if not path.is_file():
        raise StorageDamaged(f"{path}: the anchor of the event log is missing; restore the file from a copy")
    with storage_errors(path):
        data = path.read_bytes()
    try:
        read = _HeadFile.model_validate_json(data)
    except ValidationError as exc:
        raise StorageDamaged(f"{path}: not a head ({exc.errors()[0]['msg']}); restore the file from a copy") from exc
    return LogHead(seq=read.seq, chain=read.chain, requests=read.requests, requests_chain=read.requests_chain)
