"""What the pages do not say of themselves: tags and limits of each task."""

from __future__ import annotations

from collections.abc import Iterable

from harness.protocols.suites import TaskSpec
from harness.values.geometry import Size

VIEWPORT = Size(width_px=320, height_px=240)
FLIGHT_VIEWPORT = Size(width_px=560, height_px=680)
DEVICE_SCALE = 2.0
SECONDS_A_STEP = 15.0

# Tasks that can be read from text and marks and that hardly anybody solves by chance.
DEMO = frozenset(
    {
        "choose-list",
        "click-button-sequence",
        "click-checkboxes-large",
        "click-collapsible-2",
        "enter-date",
        "enter-password",
        "enter-text",
        "enter-text-2",
        "login-user",
        "login-user-popup",
        "search-engine",
        "use-autocomplete",
    }
)

CHANCE = frozenset(
    {
        "click-button",
        "click-dialog",
        "click-test",
        "click-test-2",
        "click-test-transfer",
        "focus-text",
    }
)

LONG_STEPS = {
    "book-flight": 40,
    "book-flight-nodelay": 40,
    "buy-ticket": 30,
    "choose-date": 30,
    "choose-date-nodelay": 30,
    "click-checkboxes-large": 30,
    "click-checkboxes-soft": 30,
    "email-inbox": 30,
    "guess-number": 30,
    "number-checkboxes": 40,
    "order-food": 40,
    "search-engine": 30,
    "simon-says": 30,
    "social-media-all": 30,
    "social-media-some": 30,
    "terminal": 30,
    "text-editor": 30,
}
FLIGHT_STEPS = 40
PLAIN_STEPS = 20


def build_catalog(task_ids: Iterable[str]) -> tuple[TaskSpec, ...]:
    """Return one task for each id, in the order given."""
    return tuple(_task(task_id) for task_id in task_ids)


def _task(task_id: str) -> TaskSpec:
    is_flight = task_id.startswith("flight/")
    steps = FLIGHT_STEPS if is_flight else LONG_STEPS.get(task_id, PLAIN_STEPS)
    return TaskSpec(
        id=task_id,
        tags=_tags(task_id, is_flight=is_flight),
        max_steps=steps,
        max_seconds=steps * SECONDS_A_STEP,
        viewport=FLIGHT_VIEWPORT if is_flight else VIEWPORT,
        device_scale=1.0 if is_flight else DEVICE_SCALE,
    )


def _tags(task_id: str, *, is_flight: bool) -> frozenset[str]:
    tags = {"flight"} if is_flight else set()
    if task_id in DEMO:
        tags.add("demo")
    if task_id in CHANCE:
        tags.add("chance")
    return frozenset(tags)
