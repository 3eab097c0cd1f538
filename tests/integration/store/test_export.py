"""An export: plain files, one page, and nothing hostile gets out of its place."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from harness.errors import StorageError, UsageError
from harness.session.codec import decode, encode
from harness.store.blobs import BlobStore
from harness.store.export import SessionContent, export_session
from harness.store.info import SessionInfo
from harness.values.artifact import Artifact, ArtifactKind
from harness.values.event import (
    ArtifactStored,
    CallRefused,
    Event,
    EventBody,
    InstructionAdded,
    NoteIngested,
    OutcomeRecorded,
    PrefixEdited,
    ReplyReceived,
    RequestBuilt,
    RoundEnded,
    RoundStarted,
    StepValidated,
    ToolResultRecorded,
    UnknownEvent,
)
from harness.values.geometry import Size
from harness.values.message import AssistantMessage, ReasoningPart, Reply, TextPart, ToolCall, ToolResult, Usage
from harness.values.note import Note
from harness.values.observation import Observation, SettleReport
from harness.values.projection import ImagePart, SectionTokens
from harness.values.validation import Validation

HOSTILE = "<script>alert(1)</script>\"' onerror=alert(2) {{ 7*7 }} </title><img src=x>"
SIZE = Size(width_px=640, height_px=400)


def picture(label: str, spot: tuple[int, int] | None = None) -> bytes:
    image = Image.new("RGB", (SIZE.width_px, SIZE.height_px), "#fbfaf7")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 640, 46), fill="#27496d")
    draw.text((16, 16), label, fill="white")
    for row in range(4):
        draw.rectangle((40, 80 + row * 64, 420, 120 + row * 64), outline="#9aa5b6", fill="white")
        draw.text((52, 92 + row * 64), f"Field {row + 1} of {label}", fill="#333333")
    draw.rectangle((460, 80, 600, 120), fill="#2f5fd0")
    draw.text((500, 92), "Continue", fill="white")
    if spot is not None:
        x, y = spot
        draw.ellipse((x - 16, y - 16, x + 16, y + 16), outline="#e5484d", width=4)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


class MadeUp:
    """Collects the events of a session that never ran."""

    def __init__(self, blobs: BlobStore) -> None:
        self.blobs = blobs
        self.events: list[Event] = []
        self.notes: list[Note] = []

    def add(self, step: int, *bodies: EventBody | UnknownEvent) -> None:
        for body in bodies:
            self.events.append(Event(seq=len(self.events) + 1, step=step, at_s=1_770_000_000.5, body=body))

    def image(self, step: int, kind: ArtifactKind, data: bytes, *, name: str | None = None) -> Artifact:
        artifact = Artifact(
            id=name or f"s{step:04d}-{kind}",
            kind=kind,
            step=step,
            blob=self.blobs.put(data),
            media_type="image/png",
            size_bytes=len(data),
            width_px=SIZE.width_px,
            height_px=SIZE.height_px,
        )
        self.add(step, ArtifactStored(artifact=artifact))
        return artifact

    def request(self, step: int) -> None:
        sizes = {"system": 310, "tools": 540, "task": 42, "notes": 60 + 40 * step, "history": 350 * step}
        images = tuple(
            ImagePart(
                artifact=f"s{step - 1:04d}-{kind}",
                image_kind="clean" if kind == "clean" else "marks",
                step=step - 1,
                sha256="0" * 64,
                media_type="image/png",
                width_px=640,
                height_px=400,
                size_bytes=1000,
            )
            for kind in ("clean", "marks")
        )
        self.add(
            step,
            RequestBuilt(
                attempt=1,
                dialect="neutral",
                images=images,
                not_shown=(),
                sections=tuple(SectionTokens(name=name, tokens=size) for name, size in sizes.items()),  # type: ignore[arg-type]  # names of sections
                kept=(1,),
                estimated_tokens=sum(sizes.values()),
                size_bytes=18_000 + 900 * step,
                parts=4 + step,
                reused_parts=2 + step,
            ),
        )

    def step(self, step: int, title: str, calls: tuple[ToolCall, ...], results: tuple[ToolResult, ...]) -> None:
        self.request(step)
        parts = (
            ReasoningPart(
                text="The total stands in the second field; it is needed on the last page, so keep it first."
            ),
            TextPart(text="I note the total and go on."),
            *calls,
        )
        reply = Reply(
            message=AssistantMessage(parts=parts), finish="tool_calls", model="m", usage=Usage(input_tokens=1400)
        )
        self.add(step, ReplyReceived(reply=reply))
        self.image(step, "clean", picture(title))
        self.image(step, "marks", picture(f"{title} (marks)"))
        self.image(step, "action", picture(title, (530, 100)))
        seen = Observation(
            frame=None,
            screen=SIZE,
            title=title,
            url="https://shop.example/basket?step=2",
            settle=SettleReport(kind="settled", waited_s=0.42),
        )
        self.add(
            step, OutcomeRecorded(action_id=f"a{step}", status="done", calls=(), carrier=calls[0].id, observation=seen)
        )
        self.add(step, *(ToolResultRecorded(result=result) for result in results))

    def note(self, step: int, text: str) -> None:
        note = Note(
            round=1, step=step, call_index=0, call_id=f"n{step}", text=text, kind="fact", reason="page 3", key="total"
        )
        self.notes.append(note)
        self.add(step, NoteIngested(note=note, event_id=len(self.notes), chain="c" * 64, is_active=True))


def made_up(root: Path, *, hostile: str = "") -> SessionContent:
    """Return a session of two rounds with images, notes, a refused call and an unknown event."""
    made = MadeUp(BlobStore(root / "blobs"))
    task = f"Put the total of the basket into the last page of the form. {hostile}"
    made.add(0, RoundStarted(round=1, task=task, url="https://shop.example/"))
    made.image(0, "clean", picture("Shop"))
    click = ToolCall(id="c1", name="click", arguments_json=json.dumps({"mark": 4, "note": hostile}))
    wrote = ToolCall(id="c2", name="web_note", arguments_json='{"key":"total","text":"41,80","kind":"fact"}')
    ok = ToolResult(call_id="c1", name="click", status="ok", text=f'executed\n[1] button "Continue"\n{hostile}')
    noted = ToolResult(call_id="c2", name="web_note", status="ok", text="noted")
    made.step(1, f"Basket {hostile}", (click, wrote), (ok, noted))
    made.note(1, f"The total is 41,80 {hostile}")
    made.add(1, StepValidated(validation=Validation(is_executed=True, is_screen_changed=True)))
    bad = ToolCall(id="c3", name="click", arguments_json=f'{{"mark": 99, {hostile}')
    made.add(2, InstructionAdded(text=f"Use the shipping address. {hostile}"))
    made.step(
        2, "Address", (bad,), (ToolResult(call_id="c3", name="click", status="error", text="no mark 99: 1 to 12"),)
    )
    made.add(2, CallRefused(call_id="c3", reason=f"no mark 99 {hostile}"))
    made.add(
        2,
        PrefixEdited(
            cause="images",
            causes=("images", "note"),
            first_changed_index=3,
            evicted=("s0000-clean",),
            voided_reasoning=1,
            tokens_resent=812,
        ),
        StepValidated(validation=Validation(is_executed=False, is_screen_changed=False, repeats=2)),
        UnknownEvent(name="telepathy", body_json='{"x":  1}'),
        RoundEnded(
            status="finished", reason=f"The agent finished. {hostile}", answer="41,80", success=True, is_verified=True
        ),
    )
    info = SessionInfo(
        id="20260102-120000-abcdef",
        agent="web-demo",
        task=task,
        started_at=datetime(2026, 1, 2, 12, 0, 0, tzinfo=UTC),
        ended_at=datetime(2026, 1, 2, 12, 0, 31, tzinfo=UTC),
        model="heuristic",
        controller="web",
        status="finished",
        steps=2,
        success=True,
        answer=f"41,80 {hostile}",
    )
    requests = {(1, 1): (b'{"role":"system"}', b'{"n":1}'), (2, 1): (b'{"role":"system"}',)}
    return SessionContent(
        info=info, events=made.events, notes=made.notes, blobs=made.blobs, requests=requests, encode=encode
    )


class PageCheck(HTMLParser):
    """Collects what a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.extend(attrs)


@pytest.mark.req("R-IMG-10")
def test_a_recording_is_a_file_beside_the_step_of_its_frame(tmp_path: Path) -> None:
    content = made_up(tmp_path)
    tree = b'{"role": "button"}\n'
    recording = Artifact(
        id="s0001-accessibility",
        kind="accessibility",
        step=1,
        blob=content.blobs.put(tree),
        media_type="application/jsonl",
        size_bytes=len(tree),
        base="s0001-clean",
    )
    stored = Event(seq=len(content.events), step=2, at_s=1_770_000_000.5, body=ArtifactStored(artifact=recording))
    *before, end = content.events
    out = export_session(tmp_path / "out", replace(content, events=[*before, stored, replace(end, seq=end.seq + 1)]))
    assert (out / "recordings" / "s0001-accessibility.jsonl").read_bytes() == tree
    page = (out / "index.html").read_text(encoding="utf-8")
    first, second = page.split('id="r1-s2"')
    assert 'href="recordings/s0001-accessibility.jsonl"' in first
    assert "accessibility" not in second
    assert "<img" not in page[page.index("recordings/") :].split("</p>")[0]


def test_everything_lands_in_plain_files(tmp_path: Path) -> None:
    content = made_up(tmp_path)
    out = export_session(tmp_path / "deep" / "out", content)
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["schema"] == "transom/export/1"
    assert manifest["session"]["id"] == content.info.id
    assert (manifest["events"], manifest["notes"], manifest["requests"]) == (len(content.events), 1, 2)
    for item in manifest["artifacts"]:
        assert item["file"] == f"images/{item['id']}.png"
        assert (out / item["file"]).read_bytes() == content.blobs.get(item["sha256"])
    lines = [json.loads(line) for line in (out / "events.jsonl").read_text().splitlines()]
    assert [line["seq"] for line in lines] == list(range(1, len(content.events) + 1))
    assert [decode(line["kind"], json.dumps(line["body"])) for line in lines if line["kind"] != "telepathy"] == [
        event.body for event in content.events if not isinstance(event.body, UnknownEvent)
    ]
    assert json.loads((out / "notes.jsonl").read_text())["text"] == content.notes[0].text
    assert (out / "requests" / "s0001-a1" / "0001.json").read_bytes() == b'{"n":1}'
    assert sorted(path.name for path in (tmp_path / "deep").iterdir()) == ["out"]


def test_a_zip_holds_the_same_files(tmp_path: Path) -> None:
    content = made_up(tmp_path)
    folder = export_session(tmp_path / "out", content)
    packed = export_session(tmp_path / "out.zip", content, as_zip=True)
    with zipfile.ZipFile(packed) as archive:
        names = archive.namelist()
        assert sorted(names) == sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
        assert all(archive.read(name) == (folder / name).read_bytes() for name in names)


@pytest.mark.parametrize("as_zip", [True, False])
def test_nothing_is_overwritten(tmp_path: Path, *, as_zip: bool) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(UsageError, match="exists already"):
        export_session(out, made_up(tmp_path), as_zip=as_zip)
    assert list(out.iterdir()) == []


@pytest.mark.req("R-VIEW-2")
def test_the_page_escapes_everything_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    out = export_session(tmp_path / "out", made_up(tmp_path, hostile=HOSTILE))
    html = (out / "index.html").read_text()
    page = PageCheck()
    page.feed(html)
    assert not page.tags & {"script", "iframe", "object", "embed", "link", "form", "base"}
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    links = [value or "" for name, value in page.attributes if name in ("src", "href")]
    assert links
    assert all(re.fullmatch(r"images/[\w.-]+\.png|manifest\.json|events\.jsonl|notes\.jsonl", link) for link in links)
    assert ("content", "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'") in page.attributes
    assert html.count("&lt;script&gt;") >= 8
    assert "{{ 7*7 }}" in html


@pytest.mark.req("R-SAF-5")
@pytest.mark.parametrize("name", ["../../outside", "/etc/x", "a/b", "a\x00b", "con:x", "", ".hidden", "x" * 300])
def test_an_artifact_id_from_elsewhere_names_no_file(tmp_path: Path, name: str) -> None:
    content = made_up(tmp_path)
    made = MadeUp(content.blobs)
    made.add(0, RoundStarted(round=1, task="t"))
    made.image(0, "clean", picture("x"), name=name or " ")
    out = export_session(tmp_path / "out", replace(content, events=made.events))
    assert [path.name for path in (out / "images").iterdir()] == ["artifact-00000.png"]


@pytest.mark.req("R-PRO-2")
def test_a_missing_blob_is_named_and_the_rest_exported(tmp_path: Path) -> None:
    content = made_up(tmp_path)
    lost = next(event.body.artifact for event in content.events if isinstance(event.body, ArtifactStored))
    content.blobs.path(lost.blob).unlink()
    out = export_session(tmp_path / "out", content)
    first, *others = json.loads((out / "manifest.json").read_text())["artifacts"]
    assert first["file"] is None
    assert "missing" in first["problem"]
    assert all(item["file"] and item["problem"] is None for item in others)
    assert "image missing or damaged" in (out / "index.html").read_text()


def test_a_failed_export_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="file/out"):
        export_session(tmp_path / "file" / "out", made_up(tmp_path))
