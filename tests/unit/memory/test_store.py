"""Which notes are active is a fold that no order of arrival changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.memory.store import select_active
from harness.values.note import Note

NOTES = st.lists(
    st.builds(
        Note,
        round=st.integers(1, 2),
        step=st.integers(1, 5),
        call_index=st.integers(0, 2),
        call_id=st.just("c"),
        text=st.text(max_size=3),
        kind=st.just("fact"),
        reason=st.just("r"),
        key=st.none() | st.sampled_from(["a", "b"]),
    ),
    max_size=12,
    unique_by=lambda note: (note.round, note.step, note.call_index),
)


@pytest.mark.req("R-MEM-3")
@given(notes=NOTES, data=st.data())
def test_any_order_of_arrival_gives_the_same_active_notes(notes: list[Note], data: st.DataObject) -> None:
    active = select_active(notes, 1)
    assert select_active(data.draw(st.permutations(notes)), 1) == active
    assert list(active) == sorted(active, key=lambda note: (note.step, note.call_index))
    keyed = [note for note in active if note.key is not None]
    assert len({note.key for note in keyed}) == len(keyed)
    for note in keyed:
        rivals = [other for other in notes if other.round == 1 and other.key == note.key]
        assert max(rivals, key=lambda other: (other.step, other.call_index)) is note


@pytest.mark.req("R-MEM-1")
@given(notes=NOTES)
def test_notes_without_a_key_all_stay_and_rounds_stay_apart(notes: list[Note]) -> None:
    active = select_active(notes, 2)
    assert all(note.round == 2 for note in active)
    assert sum(note.key is None for note in active) == sum(note.round == 2 and note.key is None for note in notes)
    assert {note.key for note in active} == {note.key for note in notes if note.round == 2}
