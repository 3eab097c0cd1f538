"""Plain scalars of the YAML 1.2 core schema: `off`, `on`, `yes` and `no` are text."""

from __future__ import annotations

import math
import re
from typing import Final

Scalar = str | int | float | bool | None

_WORDS: Final[dict[str, Scalar]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,30}")
_OCTAL: Final = re.compile(r"0o[0-7]{1,30}")
_HEXADECIMAL: Final = re.compile(r"0x[0-9a-fA-F]{1,30}")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]{1,30}|[0-9]{1,30}(\.[0-9]{0,30})?)([eE][-+]?[0-9]{1,3})?")


def resolve_scalar(text: str) -> Scalar:
    """Return the value of an unquoted scalar; numbers of more than 30 digits stay text."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _OCTAL.fullmatch(text) or _HEXADECIMAL.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text
