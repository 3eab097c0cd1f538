from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evals.suites.desktop.draw import Draw

SEEDS = st.integers(0, 10**9)


def everything(draw: Draw) -> tuple[object, ...]:
    return (draw.number(1, 10**6), draw.code(), draw.file_names(5), draw.people(8), draw.sentence(), draw.password())


@given(SEEDS)
def test_the_same_task_and_seed_draw_the_same(seed: int) -> None:
    assert everything(Draw("a", seed)) == everything(Draw("a", seed))


@given(SEEDS)
def test_other_seeds_and_other_tasks_draw_something_else(seed: int) -> None:
    drawn = everything(Draw("a", seed))

    assert drawn != everything(Draw("a", seed + 1))
    assert drawn != everything(Draw("b", seed))


@given(SEEDS)
def test_what_must_differ_differs(seed: int) -> None:
    draw = Draw("a", seed)
    names, people = draw.file_names(8), draw.people(8)

    assert len({name.split("-")[0] for name in names}) == 8
    assert len({person.split()[0] for person in people}) == 8


@given(SEEDS)
def test_nothing_drawn_breaks_the_quotes_of_an_instruction(seed: int) -> None:
    draw = Draw("a", seed)

    for text in (draw.sentence(), draw.password(), draw.code(), *draw.people(8), *draw.file_names(3)):
        assert '"' not in text
        assert text == text.strip()
        assert text.isprintable()
