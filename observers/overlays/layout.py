"""Places number labels: inside the image, over no other label, and where there is room over no text. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from harness.values.geometry import FrameBox, Size

LabelSize = Callable[[int], Size]
_CELL_PX = 32
_RANK_COST = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A label for box `index`; `is_detached` when a line must tie it to its box."""

    index: int
    box: FrameBox
    is_detached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ink:
    """How much there is to read in each square of an image: rows of one byte a square, 0 is flat."""

    cells: bytes = b""
    columns: int = 0
    cell_px: int = 2

    def under(self, box: FrameBox) -> float:
        """Return the mean ink under a box, 0 to 255; 0 without a map."""
        if not self.cells:
            return 0.0
        left, right = box.x_px // self.cell_px, -(-box.right_px // self.cell_px)
        rows = range(box.y_px // self.cell_px, -(-box.bottom_px // self.cell_px))
        found = b"".join(
            self.cells[row * self.columns + left : row * self.columns + min(right, self.columns)] for row in rows
        )
        return sum(found) / len(found) if found else 0.0


@dataclass(slots=True)
class _Grid:
    """Boxes by the squares they touch, so that neighbours are found without looking at all."""

    squares: dict[tuple[int, int], list[FrameBox]] = field(default_factory=lambda: defaultdict(list))

    def add(self, box: FrameBox) -> None:
        for key in _keys(box):
            self.squares[key].append(box)

    def near(self, box: FrameBox) -> Iterator[FrameBox]:
        for key in _keys(box):
            yield from self.squares.get(key, ())

    def hits(self, box: FrameBox) -> bool:
        return any(box.overlaps(other) for other in self.near(box))


def _keys(box: FrameBox) -> Iterator[tuple[int, int]]:
    for column in range(box.x_px // _CELL_PX, (box.right_px - 1) // _CELL_PX + 1):
        for row in range(box.y_px // _CELL_PX, (box.bottom_px - 1) // _CELL_PX + 1):
            yield column, row


def outline_boxes(boxes: Sequence[FrameBox], image: Size) -> tuple[FrameBox, ...]:
    """Return where to draw outlines: around each box, so that none of its text is covered, where neighbours allow."""
    grid = _Grid()
    for box in boxes:
        grid.add(box)
    return tuple(_outline(box, grid, image) for box in boxes)


def _outline(box: FrameBox, grid: _Grid, image: Size) -> FrameBox:
    for by_px in (2, 1):
        grown = _grown(box, by_px, image)
        if all(_holds(other, box) or _holds(box, other) for other in grid.near(grown) if other.overlaps(grown)):
            return grown
    return box


def _grown(box: FrameBox, by_px: int, image: Size) -> FrameBox:
    left, top = max(0, box.x_px - by_px), max(0, box.y_px - by_px)
    right, bottom = min(image.width_px, box.right_px + by_px), min(image.height_px, box.bottom_px + by_px)
    return FrameBox(x_px=left, y_px=top, width_px=max(1, right - left), height_px=max(1, bottom - top))


def _holds(outer: FrameBox, inner: FrameBox) -> bool:
    return (
        outer.x_px <= inner.x_px
        and outer.y_px <= inner.y_px
        and outer.right_px >= inner.right_px
        and outer.bottom_px >= inner.bottom_px
    )


def place_labels(
    boxes: Sequence[FrameBox], image: Size, label_size: LabelSize, ink: Ink | None = None
) -> tuple[Label, ...]:
    """Place a label for each box.

    Args:
        boxes: Boxes to label, in pixels of the image; may overlap each other and leave the image.
        image: Size of the image.
        label_size: Size of the label of box `index`.
        ink: Where text is; labels avoid it.

    Returns:
        Labels in the order of the boxes. No two overlap and all lie inside the image; a box whose label finds no
        free place, not even detached, gets none.
    """
    taken = _Grid()
    others = _Grid()
    for box in boxes:
        others.add(box)
    labels: dict[int, Label] = {}
    # Small boxes have the fewest places to choose from.
    for index in sorted(range(len(boxes)), key=lambda at: boxes[at].width_px * boxes[at].height_px):
        label = _place(index, boxes[index], label_size(index), image, (taken, others, ink or Ink()))
        if label is not None:
            labels[index] = label
            taken.add(label.box)
    return tuple(labels[index] for index in sorted(labels))


def _place(index: int, box: FrameBox, size: Size, image: Size, ground: tuple[_Grid, _Grid, Ink]) -> Label | None:
    taken, others, ink = ground
    if size.width_px > image.width_px or size.height_px > image.height_px:
        return None
    best: tuple[float, FrameBox] | None = None
    for rank, place in enumerate(_attached(box, size)):
        if best is not None and rank * _RANK_COST >= best[0]:
            break  # what follows can't be cheaper
        spot = _inside(place, image)
        if taken.hits(spot) or not _touches(spot, box):
            continue
        cost = rank * _RANK_COST + ink.under(spot) + _covered(spot, box, others)
        if best is None or cost < best[0]:
            best = (cost, spot)
    if best is not None:
        return Label(index=index, box=best[1])
    for spot in _detached(box, size, image):
        if not taken.hits(spot):
            return Label(index=index, box=spot, is_detached=True)
    return None


def _attached(box: FrameBox, size: Size) -> Iterator[FrameBox]:
    """Yield places at the box, the best first: outside along its edges, then inside its corners."""
    width, height = size.width_px, size.height_px
    left, right = box.x_px, box.right_px - width
    top, bottom = box.y_px, box.bottom_px - height
    middle_x, middle_y = box.x_px + (box.width_px - width) // 2, box.y_px + (box.height_px - height) // 2
    places = (
        (left, box.y_px - height),
        (box.x_px - width, top),
        (box.right_px, top),
        (right, box.y_px - height),
        (box.x_px - width, middle_y),
        (box.right_px, middle_y),
        (middle_x, box.y_px - height),
        (left, box.bottom_px),
        (right, box.bottom_px),
        (middle_x, box.bottom_px),
        (right, top),
        (left, top),
        (right, middle_y),
        (left, middle_y),
        (right, bottom),
        (left, bottom),
        (middle_x, top),
        (middle_x, middle_y),
        (box.x_px - width, box.y_px - height),
        (box.right_px, box.y_px - height),
    )
    for x, y in places:
        yield FrameBox(x_px=x, y_px=y, width_px=width, height_px=height)


def _inside(box: FrameBox, image: Size) -> FrameBox:
    x = min(max(box.x_px, 0), image.width_px - box.width_px)
    y = min(max(box.y_px, 0), image.height_px - box.height_px)
    return FrameBox(x_px=x, y_px=y, width_px=box.width_px, height_px=box.height_px)


def _touches(spot: FrameBox, box: FrameBox) -> bool:
    return (
        spot.x_px <= box.right_px
        and box.x_px <= spot.right_px
        and spot.y_px <= box.bottom_px
        and box.y_px <= spot.bottom_px
    )


def _covered(spot: FrameBox, own: FrameBox, others: _Grid) -> float:
    """Return how much a label hides of marked elements, its own included, and how easily it is taken for another's."""
    area = spot.width_px * spot.height_px
    reach = FrameBox(x_px=spot.x_px - 1, y_px=spot.y_px - 1, width_px=spot.width_px + 2, height_px=spot.height_px + 2)
    rivals = [other for other in set(others.near(reach)) if other != own and not _holds(other, own)]
    hidden = sum(_shared(spot, other) for other in rivals)
    touched = sum(other.overlaps(reach) for other in rivals)
    return 40 * min(1.0, hidden / area) + 6 * touched + 12 * _shared(spot, own) / area


def _shared(one: FrameBox, other: FrameBox) -> int:
    width = min(one.right_px, other.right_px) - max(one.x_px, other.x_px)
    height = min(one.bottom_px, other.bottom_px) - max(one.y_px, other.y_px)
    return max(0, width) * max(0, height)


def _detached(box: FrameBox, size: Size, image: Size) -> Iterator[FrameBox]:
    """Yield places in growing rings around the box."""
    for ring in range(1, 9):
        step_x, step_y = ring * (size.width_px + 2), ring * (size.height_px + 2)
        for along in range(-ring, ring + 1):
            shift_x, shift_y = along * (size.width_px + 2), along * (size.height_px + 2)
            for x, y in (
                (box.x_px + shift_x, box.y_px - step_y),
                (box.x_px + shift_x, box.bottom_px + step_y - size.height_px),
                (box.x_px - step_x, box.y_px + shift_y),
                (box.right_px + step_x - size.width_px, box.y_px + shift_y),
            ):
                yield _inside(FrameBox(x_px=x, y_px=y, width_px=size.width_px, height_px=size.height_px), image)
