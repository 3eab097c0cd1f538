"""What server and client agree on beside the messages: paths, headers, times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

CONTENT_TYPE: Final = "application/vnd.transom.device"
TOKEN_VARIABLE: Final = "TRANSOM_DEVICE_TOKEN"  # noqa: S105  # a name, not a token
# The client makes up an id for its session; a server that was restarted knows neither it nor its own old instance id.
SESSION_HEADER: Final = "transom-session"
INSTANCE_HEADER: Final = "transom-instance"
CLIENT_HEADER: Final = "transom-client"
STATUS_PATH: Final = "/status"
PATHS: Final[Mapping[str, str]] = {
    "open": "/open",
    "perform": "/act",
    "capture": "/capture",
    "collect": "/recordings",
    "release": "/release",
    "close": "/close",
}
DEFAULT_PORT: Final = 8765
SIGN_OF_LIFE_S: Final = 10.0
IDLE_S: Final = 45.0
KEEP_ALIVE_S: Final = 60.0
