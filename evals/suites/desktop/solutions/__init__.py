"""Reference solutions: they read the task text and act through the agent's tools and marks, nothing else."""

from __future__ import annotations

from evals.suites.desktop.solutions import dialogs, editing, folders, lookup, recovery, sheets, windows
from harness.protocols.policies import Solver

SOLUTIONS: dict[str, Solver] = {
    "calculate": windows.calculate,
    "close-windows": windows.close_windows,
    "copy-cell": sheets.copy_cell,
    "count-lines": windows.count_lines,
    "double-scale": dialogs.fill_form,
    "edit-text": editing.edit_text,
    "fill-form": dialogs.fill_form,
    "german-keyboard": editing.edit_text,
    "launch-calculator": windows.launch_calculator,
    "make-folder": folders.make_folder,
    "missing-number": lookup.look_up,
    "move-slider": dialogs.move_slider,
    "open-file": editing.open_file,
    "rename-file": folders.rename_file,
    "replace-all": editing.replace_all,
    "save-copy": editing.save_copy,
    "second-monitor": editing.edit_text,
    "sign-in": dialogs.sign_in,
    "sum-column": sheets.sum_column,
    "tick-names": dialogs.tick_names,
    "trash-file": folders.trash_file,
    "unsaved-changes": recovery.unsaved_changes,
}
