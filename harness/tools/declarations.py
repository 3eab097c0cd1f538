"""The neutral tools by name, in their fixed order, and their declarations for the model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

from harness.tools import desktop_arguments as desktop
from harness.tools import device_arguments as device
from harness.tools import harness_arguments as own
from harness.tools.arguments import Arguments
from harness.values.tool import ToolDeclaration

DEVICE_TOOLS: Final[dict[str, type[Arguments]]] = {
    "click": device.ClickArguments,
    "move": device.MoveArguments,
    "drag": device.DragArguments,
    "scroll": device.ScrollArguments,
    "type_text": device.TypeTextArguments,
    "press_keys": device.PressKeysArguments,
    "wait": device.WaitArguments,
    "look": device.LookArguments,
    "navigate": device.NavigateArguments,
    "go_back": device.GoBackArguments,
    "go_forward": device.GoForwardArguments,
    "hover": device.HoverArguments,
    "select_option": device.SelectOptionArguments,
    "launch": desktop.LaunchArguments,
    "list_windows": desktop.ListWindowsArguments,
    "focus_window": desktop.FocusWindowArguments,
    "read_clipboard": desktop.ReadClipboardArguments,
    "write_clipboard": desktop.WriteClipboardArguments,
}
HARNESS_TOOLS: Final[dict[str, type[Arguments]]] = {
    "zoom": own.ZoomArguments,
    "note": own.NoteArguments,
    "web_note": own.NoteArguments,
    "read_record": own.ReadRecordArguments,
    "ask_user": own.AskUserArguments,
    "finish": own.FinishArguments,
}
TOOLS: Final = {**DEVICE_TOOLS, **HARNESS_TOOLS}


def declare(names: Iterable[str], *, apps: Sequence[str] = ()) -> tuple[ToolDeclaration, ...]:
    """Return the declarations of `names` in the fixed order of `TOOLS`, each once.

    Args:
        names: Names of neutral tools.
        apps: What `launch` may start; its declaration lists them.

    Raises:
        ValueError: a name is no neutral tool; only a wrong controller can cause it.
    """
    wanted = frozenset(names)
    for name in sorted(wanted - TOOLS.keys()):
        close = get_close_matches(name, TOOLS, n=1)
        raise ValueError(f"{name!r} is no neutral tool; the tools are {', '.join(TOOLS)}; closest: {close}")
    return tuple(_declare_one(name, apps) for name in TOOLS if name in wanted)


def _declare_one(name: str, apps: Sequence[str]) -> ToolDeclaration:
    model = TOOLS[name]
    schema = _plain_schema(model.model_json_schema(by_alias=True))
    assert isinstance(schema, dict)
    if name == "launch" and apps:
        schema["properties"]["app"]["enum"] = list(apps)
    description = str(schema.pop("description"))
    return ToolDeclaration(
        name=name,
        description=description,
        parameters_json=json.dumps(schema, ensure_ascii=False, sort_keys=True, separators=(",", ":")),
        owner="device" if name in DEVICE_TOOLS else "harness",
    )


def _plain_schema(node: object) -> object:
    """Drop what pydantic adds for people: titles, and null as a way to leave an argument out."""
    if isinstance(node, list):
        return [_plain_schema(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: value for key, value in node.items() if not (key == "title" and isinstance(value, str))}
    if kept.get("default", 0) is None:
        del kept["default"]
    variants = [item for item in kept.pop("anyOf", ()) if item != {"type": "null"}]
    plain = {key: _plain_schema(value) for key, value in kept.items()}
    if len(variants) == 1:
        inner = _plain_schema(variants[0])
        assert isinstance(inner, dict)
        return {**inner, **plain}
    return {**plain, "anyOf": _plain_schema(variants)} if variants else plain
