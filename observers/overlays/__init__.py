"""Overlays: numbered marks and executed actions, drawn on a copy of a frame."""

from observers.overlays.layout import Label, place_labels
from observers.overlays.painter import Overlays
from observers.overlays.strokes import drawn_region

__all__ = ["Label", "Overlays", "drawn_region", "place_labels"]
