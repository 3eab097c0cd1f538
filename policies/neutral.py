"""The dialect `neutral`, which every keyless policy renders; it lives with the values, as fakes speak it too."""

from harness.values.neutral import DIALECT, canonical_json, render

__all__ = ["DIALECT", "canonical_json", "render"]
