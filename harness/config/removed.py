"""Fields that no longer exist, and fields that don't exist yet; both are refused by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.config.problem import Path, Problem, dotted
from harness.config.yaml_reader import Data, YamlDocument

REMOVED: Final[Mapping[tuple[str, str], str]] = {
    (
        "observation",
        "policy",
    ): "there is one observation path now: every GUI action returns the frame that the next step sees",
    ("observation", "probe_chains"): "there is no probe of its own a step any more; a GUI action returns its own frame",
    ("desktop", "use_post_action_image_as_current"): "the frame after an action always is the current one",
    ("prompt", "image_window_policy"): "there is one image window; `prompt.screenshot_window_images` is its size",
    ("desktop", "action_post_wait_seconds"): "it had no effect; an action waits until the screen is quiet, up to a cap",
    ("desktop", "clipboard_first_typing"): "it had no effect; `type_text` types any Unicode text by itself",
}

NOT_YET: Final[frozenset[Path]] = frozenset(
    {
        ("safety",),
        ("context_management", "budget_tokens"),
        ("context_management", "preset"),
        ("context_management", "failure_policy"),
        ("context_management", "recover_overflow"),
        ("context_management", "summarizer"),
    }
)


def removed_text(section: str, key: str) -> str:
    """Return the message for a removed field."""
    return f"`{section}.{key}` was removed: delete it (`transom config migrate` does); {REMOVED[section, key]}"


def not_yet_text(path: Path) -> str:
    """Return the message for a field that a later version brings."""
    return f"`{dotted(path)}` is not available yet in this version; delete it"


def take_refused(
    section: dict[str, Data], path: Path, document: YamlDocument, *, with_planned: bool = True
) -> tuple[dict[str, Data], list[Problem]]:
    """Take the removed fields, and with `with_planned` those not available yet, out of the mapping at `path`.

    Returns:
        A copy without them, and without mappings that held nothing else; and a problem for each. Fields written
        as one dotted key (`observation.policy: x`) count as well.
    """
    problems: list[Problem] = []
    kept = {key: dict(value) if isinstance(value, dict) else value for key, value in section.items()}
    for (parent, key), spelled in ((field, form) for field in REMOVED for form in _spellings(field)):
        if _take(kept, spelled):
            problems.append(_problem(removed_text(parent, key), (*path, *spelled), document, is_removed=True))
    planned = [field for field in sorted(NOT_YET, key=dotted) if with_planned and _take(kept, field)]
    problems.extend(_problem(not_yet_text(field), (*path, *field), document) for field in planned)
    return kept, problems


def _spellings(field: tuple[str, str]) -> tuple[tuple[str, ...], ...]:
    return field, (".".join(field),)


def _take(section: dict[str, Data], field: Path) -> bool:
    """Remove `field` from a mapping in place, with its mapping when that is empty then."""
    *parents, key = [str(part) for part in field]
    parent = section.get(parents[0]) if parents else section
    if not isinstance(parent, dict) or key not in parent:
        return False
    del parent[key]
    if parents and not parent:
        del section[parents[0]]
    return True


def _problem(text: str, path: Path, document: YamlDocument, *, is_removed: bool = False) -> Problem:
    return Problem(text=text, file=document.file, line=document.line(path), path=dotted(path), is_removed=is_removed)
