"""The tasks of the suite, with their limits and reference solutions."""

from __future__ import annotations

from typing import Final

from evals.suites.desktop.solutions import SOLUTIONS
from evals.suites.desktop.task import DesktopTask, SetUp
from evals.suites.desktop.tasks import dialogs, editing, folders, lookup, monitors, recovery, sheets, windows
from harness.protocols.suites import DesktopNeeds, TaskSpec

_STEPS: Final = 40
_SECONDS: Final = 300.0
_PLAIN: Final = DesktopNeeds()


def _task(task_id: str, set_up: SetUp, *tags: str, desktop: DesktopNeeds = _PLAIN) -> DesktopTask:
    spec = TaskSpec(id=task_id, tags=frozenset(tags), max_steps=_STEPS, max_seconds=_SECONDS, desktop=desktop)
    return DesktopTask(spec=spec, set_up=set_up, solve=SOLUTIONS[task_id])


TASKS: Final = (
    _task("fill-form", dialogs.fill_form, "demo", "zenity"),
    _task("calculate", windows.calculate, "demo", "galculator"),
    _task("edit-text", editing.edit_text, "demo", "mousepad"),
    _task("sum-column", sheets.sum_column, "demo", "gnumeric"),
    _task("sign-in", dialogs.sign_in, "zenity", "password"),
    _task("tick-names", dialogs.tick_names, "zenity"),
    _task("move-slider", dialogs.move_slider, "zenity", "drag"),
    _task("double-scale", dialogs.fill_form, "zenity", "scale", desktop=dialogs.DOUBLE_SCALE),
    _task("launch-calculator", windows.launch_calculator, "galculator", "launch", desktop=windows.LAUNCHER),
    _task("close-windows", windows.close_windows, "windows", "galculator", "mousepad"),
    _task("count-lines", windows.count_lines, "xterm", "windows"),
    _task("save-copy", editing.save_copy, "mousepad", "dialog"),
    _task("open-file", editing.open_file, "mousepad", "dialog"),
    _task("replace-all", editing.replace_all, "mousepad", "dialog"),
    _task("german-keyboard", editing.german_keyboard, "featherpad", "keyboard", desktop=DesktopNeeds(keyboard="de")),
    _task("second-monitor", monitors.second_monitor, "mousepad", "monitors", desktop=monitors.TWO_MONITORS),
    _task("unsaved-changes", recovery.unsaved_changes, "mousepad", "dialog"),
    _task("rename-file", folders.rename_file, "pcmanfm"),
    _task("make-folder", folders.make_folder, "pcmanfm"),
    _task("trash-file", folders.trash_file, "pcmanfm", "menu"),
    _task("copy-cell", sheets.copy_cell, "gnumeric", "mousepad", "clipboard"),
    _task("missing-number", lookup.missing_number, "mousepad", "infeasible"),
)
