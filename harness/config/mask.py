"""Masks secrets in a configuration that is shown or stored."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from harness.config.problem import Path
from harness.config.yaml_reader import Data

MASK: Final = "***"
_SECRET_NAME: Final = re.compile(
    r"(^|[_-])(api[_-]?key|key|token|secret|password|passwd|passphrase|authorization|credentials?|cookie)$",
    re.IGNORECASE,
)
_SECRET_FOLDERS: Final = frozenset({"env", "headers"})
_SECRET_VALUE: Final = re.compile(
    r"\b(sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abprs]|hf|AKIA|AIza)[-_]?[A-Za-z0-9_-]{16,}|\bBearer\s+\S{8,}|://[^/\s:@]+:[^/\s@]+@"
)


def mask(data: Data, secret: Collection[Path] = (), path: Path = ()) -> Data:
    """Return a copy in which secrets are `***`.

    A secret is a value whose key is named like one (`api_key`, `token`, `password` …), a text that looks like a
    key, a text under `env` or `headers`, or a value at one of the paths in `secret`. Numbers under such a key stay.
    """
    if path in secret:
        return MASK
    if isinstance(data, dict):
        return {key: mask(value, secret, (*path, key)) for key, value in data.items()}
    if isinstance(data, list):
        return [mask(value, secret, (*path, index)) for index, value in enumerate(data)]
    if not isinstance(data, str) or not data:
        return data
    return MASK if _is_secret_name(path) else _SECRET_VALUE.sub(MASK, data)


def _is_secret_name(path: Path) -> bool:
    names = [part for part in path if isinstance(part, str)]
    return bool(names) and (_SECRET_NAME.search(names[-1]) is not None or not _SECRET_FOLDERS.isdisjoint(names))
