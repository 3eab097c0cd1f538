"""Pastes as browsers do: asks for the text, does other things for a while, and asks again. Run: FILE SECONDS."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from x_client import XClient, x_client
from Xlib import X
from Xlib.protocol import event
from Xlib.xobject.drawable import Window

TITLE = "two steps"
V_CODE = 55


def main() -> None:
    """Paste once, and write down what each question brought."""
    file, pause_s = Path(sys.argv[1]), float(sys.argv[2])
    with x_client(os.environ) as client:
        window = client.window((100, 100, 300, 200), title=TITLE)
        window.change_attributes(event_mask=X.KeyPressMask | X.StructureNotifyMask)
        while client.wait_for_event(event.KeyPress).detail != V_CODE:
            pass
        first = ask(client, window)
        time.sleep(pause_s)
        file.write_text(json.dumps([first, ask(client, window)]), encoding="utf-8")


def ask(client: XClient, window: Window) -> str:
    place = client.atom("HERE")
    window.convert_selection(client.atom("CLIPBOARD"), client.atom("UTF8_STRING"), place, X.CurrentTime)
    if client.wait_for_event(event.SelectionNotify).property == X.NONE:
        return ""
    found = window.get_full_property(place, X.AnyPropertyType)
    return str(found.value.decode())


if __name__ == "__main__":
    main()
