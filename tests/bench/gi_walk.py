"""Run with the system's gi on the path: times gi's walk from node to node over one application, and prints JSON.

It asks every node for what a list of marks needs: name, role, states, box, children.
"""

from __future__ import annotations

import json
import sys
import time
import warnings

warnings.simplefilter("ignore")

import gi  # noqa: E402  # warnings are off before it is loaded

gi.require_version("Atspi", "2.0")

from gi.repository import Atspi  # noqa: E402  # gi wants its version first


def walk(node: Atspi.Accessible) -> int:
    """Return how many nodes there are below and with `node`."""
    node.get_name()
    node.get_role_name()
    node.get_state_set().contains(Atspi.StateType.SHOWING)
    component = node.get_component_iface()
    if component is not None:
        component.get_extents(Atspi.CoordType.SCREEN)
    children = [node.get_child_at_index(index) for index in range(node.get_child_count())]
    return 1 + sum(walk(child) for child in children if child is not None)


def main() -> None:
    process_id, runs = int(sys.argv[1]), int(sys.argv[2])
    Atspi.init()
    desktop = Atspi.get_desktop(0)
    found = [desktop.get_child_at_index(index) for index in range(desktop.get_child_count())]
    (application,) = [app for app in found if app is not None and app.get_process_id() == process_id]
    times_ms = []
    nodes = 0
    for _ in range(runs):
        application.clear_cache()
        started_s = time.perf_counter()
        nodes = walk(application)
        times_ms.append((time.perf_counter() - started_s) * 1000)
    sys.stdout.write(json.dumps({"nodes": nodes, "times_ms": times_ms}))


main()
