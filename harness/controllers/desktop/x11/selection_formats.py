"""The forms in which text is offered by, and read from, the owner of an X selection. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

UTF8: Final = "UTF8_STRING"
LATIN: Final = "STRING"
MIME_UTF8: Final = "text/plain;charset=utf-8"
ANY_TEXT: Final = "TEXT"
# Clipboard managers keep out of their history what is marked so.
SECRET_MARK: Final = "x-kde-passwordManagerHint"  # noqa: S105  # the name of a mark
# Best first.
_READABLE: Final = (UTF8, MIME_UTF8, "text/plain", LATIN)
_ABOUT: Final = {"TARGETS", "MULTIPLE", "TIMESTAMP", "SAVE_TARGETS"}
# What owners of nothing but text offer; the last two are GTK's, and other programs never ask for them.
_TEXT_FORMS: Final = {
    *(UTF8, LATIN, ANY_TEXT, "COMPOUND_TEXT", "text/plain", "text/plain;charset=utf-8", "text/plain;charset=utf8"),
    *("gtk_text_buffer_contents", "application/x-gtk-text-buffer-rich-text"),
}
_PLAIN_FORMS: Final = {form.lower() for form in _TEXT_FORMS}


def encode_text(text: str, *, is_secret: bool) -> dict[str, tuple[str, bytes]]:
    """Return each form of a text by its target's name: the name of its type, and its bytes.

    Raises:
        UnicodeEncodeError: the text has halves of surrogate pairs.
    """
    data = text.encode()
    forms = {UTF8: (UTF8, data), MIME_UTF8: (MIME_UTF8, data), ANY_TEXT: (UTF8, data)}
    if all(char <= "\xff" for char in text):
        forms[LATIN] = (LATIN, text.encode("latin-1"))
    if is_secret:
        forms[SECRET_MARK] = (SECRET_MARK, b"secret")
    return forms


def readable_forms(targets: Iterable[str]) -> tuple[str, ...]:
    """Return the forms of text that an owner offers, best first; all that there are where it tells nothing."""
    offered = set(targets)
    return tuple(form for form in _READABLE if form in offered or not offered)


def decode_text(type_name: str, data: bytes) -> str:
    """Return the text in an answer; what can't be decoded becomes U+FFFD."""
    return data.decode("latin-1") if type_name == LATIN else data.decode(errors="replace")


def is_plain_text(targets: Iterable[str]) -> bool:
    """Return whether an owner offers text and nothing that would be lost with its text alone kept."""
    offered = {target.lower() for target in targets if target not in _ABOUT}
    return bool(offered) and offered <= _PLAIN_FORMS


def kinds_text(targets: Iterable[str]) -> str:
    """Return what an owner offers in words, for an error text; the first ten."""
    kinds = [target for target in targets if target not in _ABOUT]
    shown = ", ".join(repr(kind) for kind in kinds[:10])
    return f"{shown} and more" if len(kinds) > 10 else shown or "nothing"
