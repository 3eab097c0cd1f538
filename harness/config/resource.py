"""Files that a configuration names: absolute, `package:resource`, or relative to the file that names them."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from harness.errors import ConfigError

MAX_TEXT_BYTES: Final = 1_000_000
_PACKAGE: Final = re.compile(r"(?P<package>[A-Za-z_]\w+)(?P<inner>(?:\.\w+)*):(?P<resource>[^:]+)")


def find_resource(name: str, folder: Path) -> Path | None:
    """Return the file that `name` means, or None when there is none.

    Args:
        name: The path as written. The package of `package:resource` is looked up, never imported: no code runs.
        folder: Where relative paths start.
    """
    match = _PACKAGE.fullmatch(name)
    path = _in_package(match) if match else folder / name
    return path if path is not None and path.is_file() else None


def _in_package(match: re.Match[str]) -> Path | None:
    try:
        spec = find_spec(match["package"])
    except ValueError:
        return None
    if spec is None or not spec.submodule_search_locations:
        return None
    root = Path(next(iter(spec.submodule_search_locations)))
    return root.joinpath(*match["inner"].split(".")[1:], match["resource"])


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file.

    Raises:
        ConfigError: it can't be read, is larger than 1 MB or not UTF-8.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_TEXT_BYTES + 1)
    except OSError as exc:
        raise ConfigError(f"can't be read: {exc.strerror or exc}; check the path", file=str(path)) from exc
    if len(content) > MAX_TEXT_BYTES:
        raise ConfigError(f"is larger than {MAX_TEXT_BYTES:,} bytes; shorten it", file=str(path))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise ConfigError("is not UTF-8; save it as UTF-8", file=str(path)) from exc
