"""Fences: text that is not the user's stands between two lines that it can't forge.

The token is random for each session, so no page can know it beforehand; a text that holds it all the same gets
it broken up. Fenced text is data, whatever it says.
"""

from __future__ import annotations

import re
import secrets

_FENCED = re.compile(r"^<<(?P<fence>[a-z]+ [0-9a-f]{12})>>$.*?^<</(?P=fence)>>$", re.MULTILINE | re.DOTALL)


def new_fence_token() -> str:
    """Return a fresh random token of 12 hexadecimal digits."""
    return secrets.token_hex(6)


def fence(text: str, *, source: str, token: str) -> str:
    """Return `text` between an opening and a closing line that name its source.

    Args:
        text: Any text; line breaks stay, the token inside it is broken up by a space.
        source: A harness word such as `page` or `notes`; never text from a page or model.
        token: The session's token.
    """
    safe = text.replace(token, f"{token[:6]} {token[6:]}")
    return f"<<{source} {token}>>\n{safe}\n<</{source} {token}>>"


def unfence(text: str, *, source: str) -> str | None:
    """Return what the last fence of that source in `text` holds, or None when there is none."""
    end = text.rfind(f"\n<</{source} ")
    if end < 0:
        return None
    token = text[end + len(f"\n<</{source} ") :].split(">>", 1)[0]
    opening = f"<<{source} {token}>>\n"
    start = text.rfind(opening, 0, end)
    return None if start < 0 else text[start + len(opening) : end]


def outside_fences(text: str) -> str:
    """Return `text` with each fence, and what it holds, blanked: what is left was written by the harness.

    Every other character keeps its place.
    """
    return _FENCED.sub(lambda found: "".join("\n" if char == "\n" else " " for char in found[0]), text)
