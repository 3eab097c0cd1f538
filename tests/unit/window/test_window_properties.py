"""What holds for the window in every session."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.testing.sessions import Moment, grow_session
from harness.values.artifact import REQUESTED_KINDS, Artifact
from harness.values.projection import ImagePart
from harness.values.transcript import Exchange, Instruction, RuntimeCapture
from harness.values.window import placed_images
from harness.window import WindowSelection, select_images

_many = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
_seeds = st.integers(min_value=0, max_value=2**32)
_budgets = st.integers(min_value=0, max_value=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """One request of a session and what the window said."""

    moment: Moment
    before: tuple[ImagePart, ...]
    born_after: int
    selection: WindowSelection


def _ask_all(seed: int, *, budget: int, divisor: int, marks_image: bool) -> Iterator[_Asked]:
    shown: tuple[ImagePart, ...] = ()
    born_after = 0
    for moment in grow_session(random.Random(seed), steps=25):
        selection = select_images(
            moment.transcript.entries,
            previous=shown,
            budget=budget,
            low_water_divisor=divisor,
            last_step=moment.last_step,
            marks_image=marks_image,
            born_after_seq=born_after,
        )
        yield _Asked(moment=moment, before=shown, born_after=born_after, selection=selection)
        shown, born_after = selection.shown, moment.seq


def _sight(moment: Moment) -> Exchange | RuntimeCapture:
    return next(
        entry
        for entry in reversed(moment.transcript.entries)
        if not isinstance(entry, Instruction) and entry.observation is not None and entry.observation.frame is not None
    )


def _claims(moment: Moment, *, marks_image: bool) -> list[Artifact]:
    """The claims of the current step in their order, worked out anew and plainly."""
    sight = _sight(moment)
    entries = [entry for entry in moment.transcript.entries if not isinstance(entry, Instruction)]
    clean = [item for item in sight.images if item.kind == "clean"]
    last = [entry for entry in entries if isinstance(entry, Exchange) and entry.step == moment.last_step]
    requested = [
        image.artifact for entry in last for image in placed_images(entry) if image.artifact.kind in REQUESTED_KINDS
    ]
    first_two = list(dict.fromkeys(item.blob for item in requested))[:2]
    marks = [item for item in sight.images if item.kind == "marks" and marks_image]
    overlay = [item for entry in entries if entry.step == sight.step for item in entry.images if item.kind == "action"]
    return [*clean, *(item for item in requested if item.blob in first_two), *marks, *overlay]


@pytest.mark.req("R-IMG-1")
@_many
@given(seed=_seeds, budget=_budgets, divisor=st.integers(1, 5), marks_image=st.booleans())
def test_never_more_images_than_the_budget_and_no_blob_twice(
    seed: int, budget: int, divisor: int, marks_image: bool
) -> None:
    for asked in _ask_all(seed, budget=budget, divisor=divisor, marks_image=marks_image):
        shown = asked.selection.shown
        blobs = [part.sha256 for part in shown]
        assert len(shown) <= budget
        assert len(set(blobs)) == len(blobs)
        if not marks_image:
            assert all(part.image_kind != "marks" for part in shown)


@pytest.mark.req("R-IMG-3")
@_many
@given(seed=_seeds, divisor=st.integers(1, 5))
def test_at_budget_1_the_image_is_the_current_clean_frame(seed: int, divisor: int) -> None:
    for asked in _ask_all(seed, budget=1, divisor=divisor, marks_image=True):
        frame = _sight(asked.moment).observation
        assert frame is not None
        assert frame.frame is not None
        assert [part.sha256 for part in asked.selection.shown] == [frame.frame.sha256]


@pytest.mark.req("R-IMG-2")
@_many
@given(seed=_seeds, budget=st.integers(1, 10), marks_image=st.booleans())
def test_new_claims_get_their_slots_in_order(seed: int, budget: int, marks_image: bool) -> None:
    for asked in _ask_all(seed, budget=budget, divisor=3, marks_image=marks_image):
        standing = {part.sha256 for part in asked.before}
        new = {
            item.id
            for entry in asked.moment.transcript.entries
            if not isinstance(entry, Instruction) and entry.seq > asked.born_after
            for item in entry.images
        }
        claims = [
            item.blob
            for item in _claims(asked.moment, marks_image=marks_image)
            if item.id in new or item.blob in standing
        ]
        first = list(dict.fromkeys(claims))[:budget]
        assert set(first) <= {part.sha256 for part in asked.selection.shown}


@pytest.mark.req("R-IMG-5")
@_many
@given(seed=_seeds, budget=_budgets)
def test_a_step_without_images_changes_neither_window_nor_slots(seed: int, budget: int) -> None:
    for asked in _ask_all(seed, budget=budget, divisor=3, marks_image=True):
        if asked.moment.last_kind in {"note", "text", "refused"}:
            assert asked.selection.shown == asked.before
            assert asked.selection.evicted == ()


@pytest.mark.req("R-IMG-11")
@_many
@given(seed=_seeds, budget=_budgets, divisor=st.integers(1, 5))
def test_nothing_comes_back_and_nothing_leaves_without_need(seed: int, budget: int, divisor: int) -> None:
    past: set[str] = set()
    for asked in _ask_all(seed, budget=budget, divisor=divisor, marks_image=True):
        before = {name for part in asked.before for name in (part.artifact, *part.also)}
        covered = asked.selection.covered
        assert not (covered - before) & past, "an image came back"
        assert set(asked.selection.evicted) == before - covered
        new_blobs = {
            image.artifact.blob
            for entry in asked.moment.transcript.entries
            if entry.seq > asked.born_after
            for image in placed_images(entry)
        }
        if len({part.sha256 for part in asked.before} | new_blobs) <= budget:
            assert asked.selection.evicted == ()
        if asked.selection.evicted:
            current = len({item.blob for item in _claims(asked.moment, marks_image=True)})
            assert len(asked.selection.shown) <= max(current, budget // divisor)
        past |= {
            item.id
            for entry in asked.moment.transcript.entries
            if not isinstance(entry, Instruction)
            for item in entry.images
        }


@pytest.mark.req("R-IMG-11")
@_many
@given(seed=_seeds, budget=_budgets)
def test_images_stay_at_their_place_in_the_order_of_the_session(seed: int, budget: int) -> None:
    for asked in _ask_all(seed, budget=budget, divisor=3, marks_image=True):
        order = [image.artifact.id for entry in asked.moment.transcript.entries for image in placed_images(entry)]
        shown = [part.artifact for part in asked.selection.shown]
        assert shown == [name for name in order if name in shown]
        kept = {part.artifact for part in asked.before}
        moved = {part.sha256 for part in asked.before if part.artifact not in shown} & {
            part.sha256 for part in asked.selection.shown
        }
        assert not moved, f"{moved} left its place among {kept}"
        for part in asked.selection.shown:
            assert list(part.also) == sorted(part.also, key=order.index)
