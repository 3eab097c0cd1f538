from __future__ import annotations

import pytest

from harness.controllers.desktop.launch import without_secrets


@pytest.mark.req("R-SAF-2")
def test_an_application_gets_no_key_of_the_session() -> None:
    environment = {
        "DISPLAY": ":0",
        "PATH": "/bin",
        "SSH_AUTH_SOCK": "/run/ssh",
        "XKB_KEYMAP": "us",
        "MONKEY": "1",
        "OPENAI_API_KEY": "x",
        "ANTHROPIC_APIKEY": "x",
        "TRANSOM_DEVICE_TOKEN": "x",
        "aws_secret_access_key": "x",
        "DB_PASSWORD": "x",
        "GOOGLE_APPLICATION_CREDENTIALS": "x",
    }
    assert set(without_secrets(environment)) == {"DISPLAY", "PATH", "SSH_AUTH_SOCK", "XKB_KEYMAP", "MONKEY"}
