"""Make docs/images/run.png from a recorded session: what the model saw, what it did, what came of it.

    python scripts/make_readme_picture.py EXPORT STEP

EXPORT is a directory that `transom export` wrote; STEP is the step to show.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

OUT = Path(__file__).resolve().parent.parent / "docs" / "images" / "run.png"
GAP_PX = 24
HEAD_PX = 44
PANELS = (
    ("marks", -1, "what it saw: numbered marks"),
    ("action", 0, "what it did, on that frame"),
    ("clean", 0, "the next clean frame"),
)


def load_panels(export: Path, step: int) -> list[tuple[Image.Image, str]]:
    """Return the three images with their captions."""
    images = []
    for kind, offset, caption in PANELS:
        path = export / "images" / f"s{step + offset:04d}-{kind}.png"
        images.append((Image.open(path).convert("RGB"), caption))
    return images


def draw(panels: list[tuple[Image.Image, str]], crop: tuple[int, int]) -> Image.Image:
    """Return the panels side by side, each cropped to its top left corner."""
    width_px, height_px = crop
    canvas = Image.new(
        "RGB", (len(panels) * (width_px + GAP_PX) + GAP_PX, height_px + HEAD_PX + GAP_PX), (244, 245, 247)
    )
    pen = ImageDraw.Draw(canvas)
    font = ImageFont.load_default(size=20)
    for index, (image, caption) in enumerate(panels):
        left = GAP_PX + index * (width_px + GAP_PX)
        pen.text((left, 10), caption, fill=(30, 41, 59), font=font)
        canvas.paste(image.crop((0, 0, width_px, height_px)), (left, HEAD_PX))
        pen.rectangle((left - 1, HEAD_PX - 1, left + width_px, HEAD_PX + height_px), outline=(203, 213, 225))
    return canvas


def main() -> int:
    """Write the picture."""
    panels = load_panels(Path(sys.argv[1]), int(sys.argv[2]))
    OUT.parent.mkdir(parents=True, exist_ok=True)
    draw(panels, (560, 400)).save(OUT, optimize=True)
    print(f"wrote {OUT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
