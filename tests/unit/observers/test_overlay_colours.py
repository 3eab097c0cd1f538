"""Labels can be read, outlines can be seen."""

from __future__ import annotations

import pytest

from observers.overlays.colours import ACTION, BLACK, PALETTE, WHITE, Colour, contrast, mark_colour


@pytest.mark.req("R-IMG-4")
@pytest.mark.parametrize("colour", [*PALETTE, ACTION])
def test_white_text_is_readable_on_every_fill(colour: Colour) -> None:
    assert contrast(WHITE, colour) >= 4.5


@pytest.mark.parametrize("colour", PALETTE)
def test_outlines_show_on_dark_pages(colour: Colour) -> None:
    assert contrast(BLACK, colour) >= 3.0


def test_the_contrast_ratio_is_the_standard_one() -> None:
    assert contrast(BLACK, WHITE) == pytest.approx(21.0)
    assert contrast(WHITE, (118, 118, 118)) == pytest.approx(4.54, abs=0.01)


def test_neighbours_differ_in_colour() -> None:
    assert len(set(PALETTE)) == len(PALETTE)
    assert all(mark_colour(number) != mark_colour(number + 1) for number in range(1, 40))
