"""Colours that are readable as label fills and visible as outlines on light and dark pages alike."""

from __future__ import annotations

Colour = tuple[int, int, int]

WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)
# Each keeps 4.5:1 with white text and at least 3:1 as an outline on a black and on a white page.
PALETTE: tuple[Colour, ...] = (
    (200, 30, 30),
    (29, 100, 216),
    (20, 125, 60),
    (160, 60, 200),
    (176, 86, 0),
    (0, 120, 130),
    (200, 20, 120),
    (105, 105, 20),
    (90, 90, 220),
    (150, 75, 75),
)
ACTION: Colour = (214, 0, 60)


def luminance(colour: Colour) -> float:
    """Return the relative luminance of an sRGB colour, 0 to 1 (WCAG 2)."""
    linear = [
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in (value / 255 for value in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2)."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def mark_colour(mark_id: int) -> Colour:
    """Return the colour of a mark; neighbours in reading order differ."""
    return PALETTE[(mark_id - 1) % len(PALETTE)]
