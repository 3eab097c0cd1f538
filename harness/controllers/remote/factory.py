"""The entry point of the remote controller."""

from __future__ import annotations

import os

from harness.controllers.device.proxy import ProxyController
from harness.controllers.remote.address import check_address, client_token
from harness.controllers.remote.client import HttpLink
from harness.protocols import ControllerSpec


def create(spec: ControllerSpec) -> ProxyController:
    """Return a remote controller that is not opened yet.

    Raises:
        UsageError: address or token are missing or wrong; the text says what to set.
    """
    return ProxyController(HttpLink(check_address(spec.address), client_token(spec.token, os.environ)))
