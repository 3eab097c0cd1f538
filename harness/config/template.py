"""The agents.yaml that `transom init` writes."""

from __future__ import annotations

import json
from typing import Final

from harness.config.schema import KEYLESS_POLICIES

_TEXT: Final = """\
# Agents of this project. Check this file with `transom config check`; print every value and where it comes from
# with `transom config show {agent}`. Delete what you don't need: all values below have defaults.
version: 1
{models}
agents:
  # transom run {agent} "Click the button named OK" --url https://example.com
  {agent}:
    model: {model}
    controller:
      kind: web
      viewport: [1280, 800]          # CSS pixels
    prompt:
      screenshot_window_images: 3    # all images of a request; 1 is the current frame alone, 0 is none
    context_management:
      mode: off                      # off keeps the whole history
    limits:                          # null switches one off
      steps: 100                     # model steps
      seconds: 1800                  # wall time
"""
_MODEL: Final = """
models:
  main:
    use: {use}
    model: {model}
    context_tokens: {context_tokens}          # the model's window, as its provider states it
"""


def starter_text(provider: str, *, model: str = "", context_tokens: int = 0) -> str:
    """Return a commented file with one agent, `web`.

    Args:
        provider: A policy; keyless ones need no more.
        model: The provider's name for the model.
        context_tokens: The model's window.
    """
    if provider in KEYLESS_POLICIES:
        return _TEXT.format(agent="web", model=provider, models="")
    models = _MODEL.format(use=provider, model=json.dumps(model, ensure_ascii=False), context_tokens=context_tokens)
    return _TEXT.format(agent="web", model="main", models=models)
