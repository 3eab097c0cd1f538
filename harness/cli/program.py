"""How a person calls this program from where they are."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def program_name() -> str:
    """Return `transom` where the shell would find this very program, else the path that works from here."""
    called = Path(sys.argv[0])
    found = shutil.which("transom")
    if called.stem != "transom" or (found is not None and Path(found).resolve() == called.resolve()):
        return "transom"
    absolute, here = called.absolute(), Path.cwd()
    return os.path.relpath(absolute, here) if absolute.is_relative_to(here) else str(absolute)
