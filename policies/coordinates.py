"""Model coordinates to frame pixels. Each provider declares its space; nothing is guessed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import assert_never

from harness.values.geometry import FramePoint, Size
from harness.values.profile import CoordinateSpace


class CoordinateError(ValueError):
    """A point can't be used in the declared space; the text says what is valid."""


def to_frame_point(value: object, *, space: CoordinateSpace, size: Size) -> FramePoint:
    """Return the pixel of a frame of `size` that a model meant by `value`.

    Args:
        value: What the model wrote, parsed from JSON: `[x, y]`.
        space: `pixels` (integers of the frame), `unit` (0 to 1) or `thousand` (0 to 1000); the last two include
            both ends, and the far end is the frame's last pixel.
        size: The sent frame.

    Raises:
        CoordinateError: `value` is no pair of finite numbers, or lies outside the space. In `thousand` two fractions
            below 1 are refused as well: a model that answers from 0 to 1 would send every click to the corner.
    """
    x, y = _pair(value, space, size)
    match space:
        case "pixels":
            return _pixel_point(x, y, size, value)
        case "unit":
            return _scaled_point(x, y, 1, size, value)
        case "thousand":
            point = _scaled_point(x, y, 1000, size, value)
            if max(x, y) < 1 and not (float(x).is_integer() and float(y).is_integer()):
                raise _refused("the point looks like a fraction from 0 to 1", value, space, size)
            return point
        case _:
            assert_never(space)


def _pair(value: object, space: CoordinateSpace, size: Size) -> tuple[int | float, int | float]:
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise _refused("a point is a list of two numbers", value, space, size)
    if len(value) != 2:
        raise _refused(f"a point has two numbers, not {len(value)}", value, space, size)
    x, y = (_number(item, value, space, size) for item in value)
    return x, y


def _number(item: object, value: object, space: CoordinateSpace, size: Size) -> int | float:
    if isinstance(item, bool) or not isinstance(item, int | float):
        raise _refused("the point does not consist of numbers", value, space, size)
    if isinstance(item, float) and not math.isfinite(item):
        raise _refused("the point is not finite", value, space, size)
    if space == "pixels" and not isinstance(item, int):
        raise _refused("the point does not consist of integers", value, space, size)
    return item


def _pixel_point(x: float, y: float, size: Size, value: object) -> FramePoint:
    if not (0 <= x < size.width_px and 0 <= y < size.height_px):
        raise _refused("the point is outside the image", value, "pixels", size)
    return FramePoint(x_px=int(x), y_px=int(y))


def _scaled_point(x: float, y: float, limit: int, size: Size, value: object) -> FramePoint:
    if not (0 <= x <= limit and 0 <= y <= limit):
        raise _refused("the point is outside the image", value, "unit" if limit == 1 else "thousand", size)
    return FramePoint(
        x_px=min(int(x * size.width_px / limit), size.width_px - 1),
        y_px=min(int(y * size.height_px / limit), size.height_px - 1),
    )


def _refused(problem: str, value: object, space: CoordinateSpace, size: Size) -> CoordinateError:
    try:
        seen = repr(value)
    except ValueError:  # Python writes no integer of more than 4300 digits
        seen = "a number of thousands of digits"
    shown = seen if len(seen) <= 80 else f"{seen[:77]}..."
    return CoordinateError(f"{problem}: got {shown}; {_valid(space, size)}")


def _valid(space: CoordinateSpace, size: Size) -> str:
    match space:
        case "pixels":
            return f"give integers [x, y] with 0 <= x < {size.width_px} and 0 <= y < {size.height_px}"
        case "unit":
            return "give numbers [x, y] from 0 to 1, as fractions of the image's width and height"
        case "thousand":
            return "give numbers [x, y] from 0 to 1000, as thousandths of the image's width and height"
        case _:
            assert_never(space)
