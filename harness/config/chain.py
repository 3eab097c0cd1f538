"""The extends chain of an agent."""

from __future__ import annotations

from harness.config.layer import Layer
from harness.config.loader import LoadedConfig
from harness.config.problem import Problem, suggest
from harness.config.schema import KEYLESS_POLICIES


def find_chain(loaded: LoadedConfig, name: str) -> tuple[list[Layer], list[Problem]]:
    """Find an agent with everything it extends.

    Returns:
        Its layers, the farthest ancestor first, none for a keyless policy; and what is wrong.
    """
    layer = _find(loaded, name, None)
    if layer is None:
        text = f"there is no agent {name!r}; {_hint(loaded, name)}"
        return [], [] if name in KEYLESS_POLICIES else [Problem(text=text, file=loaded.file)]
    chain, problems = [layer], list[Problem]()
    while not problems and layer.extends is not None:
        parent = _find(loaded, layer.extends, layer)
        if parent is None:
            text = f"there is no agent {layer.extends!r}; {_hint(loaded, layer.extends)}"
            problems.append(layer.problem(text, "extends"))
        elif any(parent is known for known in chain):
            names = " → ".join(str(item.path[-1]) for item in (*chain, parent))
            problems.append(layer.problem(f"agents extend each other in a circle: {names}; break it", "extends"))
        else:
            chain.append(parent)
            layer = parent
    return chain[::-1], problems


def entry_names(loaded: LoadedConfig, group: str) -> set[str]:
    """Return the names under `agents` or `models` in a file and in the shipped one."""
    files = [loaded, *([loaded.shipped] if loaded.shipped else [])]
    return {name for file in files for name in (file.agents if group == "agents" else file.models)}


def _find(loaded: LoadedConfig, name: str, child: Layer | None) -> Layer | None:
    """Return an agent's layer; what a shipped agent extends, or an agent under its own name, is a shipped one."""
    own = loaded.agents.get(name)
    shipped = loaded.shipped.agents.get(name) if loaded.shipped else None
    is_child_shipped = loaded.shipped is not None and child is not None and child in loaded.shipped.agents.values()
    if own is None or (shipped is not None and (is_child_shipped or own is child)):
        return shipped
    return own


def _hint(loaded: LoadedConfig, name: str) -> str:
    return suggest(name, entry_names(loaded, "agents") | set(KEYLESS_POLICIES))
