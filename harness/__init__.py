"""Transom's core: everything between a multimodal language model and a screen.

The core knows no provider, no screen and no browser by name; it works with the values in `harness.values`
and the protocols in `harness.protocols`. `harness.api` is the door for programs.
"""
