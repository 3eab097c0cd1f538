"""The token estimate that works without any provider."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol

from harness.values.geometry import Size
from harness.values.message import ReasoningPart, TextPart, ToolCall
from harness.values.projection import ContentPart, ImagePart, ProjectedMessage
from harness.values.tool import ToolDeclaration

MESSAGE_OVERHEAD_TOKENS = 4
_IMAGE_PATCH_PX = 28
_MAX_IMAGE_TOKENS = 4784

# Tokens a character of each kind costs; measured against a real tokenizer, other text costs by its bytes.
_CJK_TOKENS = 0.85
_SIGN_TOKENS = 0.62
_EMOJI_TOKENS = 2.0
_BYTES_PER_TOKEN = 4.5

_CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
_EMOJI = re.compile("[\u2600-\u27bf\U0001f000-\U0001faff]")
_SIGNS = {code: None for code in range(0x21, 0x7F) if not chr(code).isalpha()}


class Counter(Protocol):
    """Estimates sizes before sending."""

    def count_text(self, text: str) -> int:
        """Return the estimated tokens of a text."""
        ...

    def count_image(self, size: Size) -> int:
        """Return the estimated tokens of an image."""
        ...


class SimpleCounter:
    """Estimates text by script and images by area; needs no tokenizer and no network."""

    def count_text(self, text: str) -> int:
        """Return the estimated tokens of a text; 0 only for the empty text."""
        return _count_text(text)

    def count_image(self, size: Size) -> int:
        """Return one token for each 28 px patch, at most 4,784 and never 0."""
        columns = math.ceil(size.width_px / _IMAGE_PATCH_PX)
        rows = math.ceil(size.height_px / _IMAGE_PATCH_PX)
        return max(1, min(columns * rows, _MAX_IMAGE_TOKENS))


@lru_cache(maxsize=4096)
def _count_text(text: str) -> int:
    if text.isascii():
        return math.ceil(_ascii_tokens(text))
    rest, cjk = _CJK.subn("", text)
    rest, emoji = _EMOJI.subn("", rest)
    plain = "".join(char for char in rest if char.isascii())
    other_bytes = len(rest.encode("utf-8", "surrogatepass")) - len(plain)
    return math.ceil(cjk * _CJK_TOKENS + emoji * _EMOJI_TOKENS + _ascii_tokens(plain) + other_bytes / _BYTES_PER_TOKEN)


def _ascii_tokens(text: str) -> float:
    other = len(text.translate(_SIGNS))
    return (len(text) - other) * _SIGN_TOKENS + other / _BYTES_PER_TOKEN


def count_message(message: ProjectedMessage, counter: Counter) -> int:
    """Return the estimated tokens of a message, its images and its framing included."""
    return MESSAGE_OVERHEAD_TOKENS + sum(_count_part(part, counter) for part in message.parts)


def _count_part(part: ContentPart, counter: Counter) -> int:
    match part:
        case TextPart():
            return counter.count_text(part.text)
        case ImagePart():
            return counter.count_image(Size(width_px=part.width_px, height_px=part.height_px))
        case ToolCall():
            return MESSAGE_OVERHEAD_TOKENS + counter.count_text(part.name) + counter.count_text(part.arguments_json)
        case ReasoningPart():
            # A provider's block is base64 where the text is hidden; its length is the only measure of it there is.
            return counter.count_text(part.text) if part.text else len(part.raw_json or "") // 4


def count_tools(tools: Iterable[ToolDeclaration], counter: Counter) -> int:
    """Return the estimated tokens of the tool declarations."""
    return sum(
        2 * MESSAGE_OVERHEAD_TOKENS
        + counter.count_text(tool.name)
        + counter.count_text(tool.description)
        + counter.count_text(tool.parameters_json)
        for tool in tools
    )
