"""Export of a session: plain files that need no Transom, and one page to look at."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from harness.errors import StorageError, UsageError
from harness.store.atomic import storage_errors
from harness.store.blobs import BlobStore
from harness.store.info import SessionInfo, encode_info
from harness.store.page import build_rounds
from harness.values.artifact import Artifact
from harness.values.event import ArtifactStored, Event, EventBody, UnknownEvent
from harness.values.note import Note

SCHEMA = "transom/export/1"
_SAFE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
_SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionContent:
    """Everything an export shows.

    Attributes:
        info: The session's entry.
        events: All events, oldest first.
        notes: The audit of the note store, oldest first.
        blobs: The session's blobs.
        requests: The stored parts by (step, attempt).
        encode: Turns an event's body into its JSON.
    """

    info: SessionInfo
    events: Sequence[Event]
    notes: Sequence[Note]
    blobs: BlobStore
    requests: Mapping[tuple[int, int], Sequence[bytes]]
    encode: Callable[[EventBody | UnknownEvent], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedArtifact:
    """One artifact in the manifest; `file` is None when its blob could not be read, and `problem` says why."""

    id: str
    kind: str
    step: int
    sha256: str
    file: str | None
    problem: str | None = None


def export_session(out: Path, content: SessionContent, *, as_zip: bool = False) -> Path:
    """Write manifest, events, requests, notes, images and `index.html` to a new directory or one zip file.

    A blob that is missing or damaged is named in the manifest and on the page; the rest is exported.

    Returns:
        `out`.

    Raises:
        UsageError: `out` exists already.
        StorageError: it can't be written; `out` was not made.
    """
    if out.exists():
        raise UsageError(f"{out}: it exists already; name a new path for the export")
    with storage_errors(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".transom-export-", dir=out.parent) as folder:
            root = Path(folder) / "session"
            root.mkdir()
            _write_all(root, content)
            if as_zip:
                _pack(root, Path(folder) / "session.zip").replace(out)
            else:
                root.replace(out)
    return out


def _write_all(root: Path, content: SessionContent) -> None:
    artifacts = _write_artifacts(root, content)
    manifest = {
        "schema": SCHEMA,
        "session": json.loads(encode_info(content.info)),
        "events": len(content.events),
        "notes": len(content.notes),
        "requests": len(content.requests),
        "artifacts": [asdict(item) for item in artifacts],
    }
    _write_json(root / "manifest.json", manifest)
    _write_lines(root / "events.jsonl", (_event_line(event, content.encode) for event in content.events))
    _write_lines(root / "notes.jsonl", (_dump(asdict(note)) for note in content.notes))
    for (step, attempt), parts in content.requests.items():
        target = root / "requests" / f"s{step:04d}-a{attempt}"
        target.mkdir(parents=True)
        for index, part in enumerate(parts):
            (target / f"{index:04d}.json").write_bytes(part)
    (root / "index.html").write_text(render_page(content, artifacts), encoding="utf-8", errors="replace")


def _write_artifacts(root: Path, content: SessionContent) -> list[ExportedArtifact]:
    stored = [event.body.artifact for event in content.events if isinstance(event.body, ArtifactStored)]
    return [_write_artifact(root, content.blobs, artifact, index) for index, artifact in enumerate(stored)]


def _write_artifact(root: Path, blobs: BlobStore, artifact: Artifact, index: int) -> ExportedArtifact:
    file, problem = _artifact_file(artifact, index), None
    try:
        data = blobs.get(artifact.blob)
    except (StorageError, ValueError) as exc:
        problem = str(exc)
    else:
        (root / file).parent.mkdir(exist_ok=True)
        (root / file).write_bytes(data)
    return ExportedArtifact(
        id=artifact.id,
        kind=artifact.kind,
        step=artifact.step,
        sha256=artifact.blob,
        file=None if problem else file,
        problem=problem,
    )


def _artifact_file(artifact: Artifact, index: int) -> str:
    """Return a path inside the export; a log from elsewhere may hold an id that is no file name."""
    name = artifact.id if _SAFE_NAME.fullmatch(artifact.id) else f"artifact-{index:05d}"
    if artifact.kind == "accessibility":
        return f"recordings/{name}.jsonl"
    suffix = _SUFFIXES.get(artifact.media_type)
    return f"records/{name}.txt" if suffix is None else f"images/{name}{suffix}"


def render_page(content: SessionContent, artifacts: Sequence[ExportedArtifact]) -> str:
    """Return `index.html`: every text escaped, no script, no remote load."""
    template = resources.files("harness.store").joinpath("page.html.j2").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    files = {item.id: item.file for item in artifacts if item.file is not None}
    rounds = build_rounds(content.events, files)
    return environment.from_string(template).render(info=content.info, rounds=rounds, notes=content.notes)


def _event_line(event: Event, encode: Callable[[EventBody | UnknownEvent], str]) -> str:
    kind = event.body.name if isinstance(event.body, UnknownEvent) else event.body.kind
    head = _dump({"seq": event.seq, "kind": kind, "step": event.step, "at_s": event.at_s})
    return f'{head[:-1]}, "body": {encode(event.body)}}}'


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", errors="replace")


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def _pack(root: Path, target: Path) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(root.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(root).as_posix())
    shutil.rmtree(root)
    return target
