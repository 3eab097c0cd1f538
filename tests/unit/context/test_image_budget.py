"""The image budget as public bug reports broke it elsewhere: counted in what is sent, whatever carries the image."""

from __future__ import annotations

import random

import pytest

from harness.context import HistorySelection, ProjectionInputs, Projector
from harness.testing.sessions import SessionBuilder, StepKind
from harness.values.projection import ImagePart, Projection
from harness.window import select_images


def _run(kinds: list[StepKind], *, budget: int) -> list[Projection]:
    """Return the projection of each request of a session with those steps."""
    builder = SessionBuilder(random.Random(8), screens=1000)
    builder.add_task()
    builder.add_capture()
    projector, shown, born_after = Projector(), (), 0
    projections = []
    for kind in (None, *kinds):
        if kind is not None:
            builder.add_step(kind)
        moment = builder.moment
        selection = select_images(
            moment.transcript.entries,
            previous=shown,
            budget=budget,
            low_water_divisor=3,
            last_step=moment.last_step,
            marks_image=True,
            born_after_seq=born_after,
        )
        inputs = ProjectionInputs(
            step=moment.last_step + 1,
            system="You act.",
            tools=(),
            history=HistorySelection(kept=moment.transcript.entries),
            selection=selection,
            image_budget=budget,
            note_view=None,
            fence_token="a1b2c3d4e5f6",
        )
        projections.append(projector.project(inputs))
        shown, born_after = selection.shown, moment.seq
    return projections


def _images(projection: Projection) -> list[tuple[str, str]]:
    return [
        (message.role, part.artifact)
        for message in projection.messages
        for part in message.parts
        if isinstance(part, ImagePart)
    ]


@pytest.mark.case("G01")
@pytest.mark.req("R-IMG-1")
def test_twelve_clicks_at_budget_3_never_send_a_fourth_image() -> None:
    counts = [len(_images(projection)) for projection in _run(["act"] * 12, budget=3)]
    assert max(counts) == 3
    assert min(counts[1:]) >= 2


@pytest.mark.case("G03")
@pytest.mark.req("R-IMG-1")
def test_every_carrier_of_an_image_is_counted_and_evicted() -> None:
    kinds: list[StepKind] = ["act", "recall", "blind", "zoom", "act", "lost", "recall", "act"]
    sent = [_images(projection) for projection in _run(kinds, budget=2)]
    assert {role for images in sent for role, _ in images} == {"user", "tool"}
    assert all(1 <= len(images) <= 2 for images in sent)
    assert sent[0][0] == ("user", "s0000-clean")
    assert ("user", "s0000-clean") not in sent[-1]


@pytest.mark.case("G03")
@pytest.mark.req("R-IMG-6")
def test_an_action_brings_one_clean_frame() -> None:
    for projection in _run(["act"] * 6, budget=10):
        clean = [name for _, name in _images(projection) if name.endswith("-clean")]
        assert len(clean) == len(set(clean))
