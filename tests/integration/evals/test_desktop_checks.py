"""Checks of the desktop suite against states that are made by hand, without any application."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_suite_desktop import FakeSuiteDesktop
from run_results import ended

from evals.suites.desktop import create
from evals.suites.desktop.catalog import TASKS
from evals.suites.desktop.draw import Draw
from evals.suites.desktop.task import AssignedEpisode
from harness.errors import InfrastructureError
from harness.values.run import RunResult

IDS = [task.spec.id for task in TASKS]
BY_ID = {task.spec.id: task for task in TASKS}
State = Callable[[FakeSuiteDesktop, list[str]], RunResult | None]


async def start(task_id: str, home: Path, seed: int = 0) -> tuple[FakeSuiteDesktop, AssignedEpisode]:
    desktop = FakeSuiteDesktop.at(home)
    return desktop, AssignedEpisode(await BY_ID[task_id].set_up(desktop, Draw(task_id, seed)))


def quoted(episode: AssignedEpisode) -> list[str]:
    return re.findall(r'"([^"]*)"', episode.instruction)


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def answer(desktop: FakeSuiteDesktop, text: str, *, code: int = 0) -> None:
    process_id = desktop.process_of("zenity")
    output = desktop.outputs[process_id]
    assert output is not None
    write(output, f"{text}\n")
    desktop.codes[process_id] = code


def only_folder(desktop: FakeSuiteDesktop) -> Path:
    return Path(desktop.started[desktop.process_of("pcmanfm")][1])


def edited(desktop: FakeSuiteDesktop, words: list[str]) -> None:
    write(desktop.home / words[0], words[1] + "\n")


def saved_as(desktop: FakeSuiteDesktop, words: list[str]) -> None:
    shutil.copy(desktop.home / words[0], desktop.home / words[1])


def moved(desktop: FakeSuiteDesktop, words: list[str]) -> None:
    (desktop.home / words[0]).rename(desktop.home / words[1])


def edited_both(desktop: FakeSuiteDesktop, words: list[str]) -> None:
    for document in desktop.home.glob("*.txt"):
        write(document, words[1])


def replaced(desktop: FakeSuiteDesktop, words: list[str]) -> None:
    document = desktop.home / words[2]
    write(document, document.read_text(encoding="utf-8").replace(words[0], words[1]))


def replaced_once(desktop: FakeSuiteDesktop, words: list[str]) -> None:
    document = desktop.home / words[2]
    write(document, document.read_text(encoding="utf-8").replace(words[0], words[1], 1))


def opened(desktop: FakeSuiteDesktop, words: list[str]) -> None:
    desktop.titles = [f"/home/{words[1]}/{words[0]} - Mousepad"]
    desktop.texts["mousepad"] = ((desktop.home / words[1] / words[0]).read_text(encoding="utf-8"),)


def opened_another(desktop: FakeSuiteDesktop, words: list[str]) -> None:
    desktop.titles = [f"/home/{words[1]}/{words[0]} - Mousepad"]
    desktop.texts["mousepad"] = ("nor is this\n",)


def restored(desktop: FakeSuiteDesktop, words: list[str], *, kept: int = 0, code: int = 0) -> None:
    copies = desktop.home / ".local/share/Mousepad"
    names = re.findall(r"home/([^/']+)'", (desktop.home / ".config/glib-2.0/settings/keyfile").read_text())
    assert sorted(names) == sorted(words)
    shutil.copy(copies / f"autosave-{names.index(words[kept]) + 1}", desktop.home / words[kept])
    desktop.codes[desktop.process_of("mousepad")] = code


def summed(desktop: FakeSuiteDesktop, words: list[str], formula: str = "=sum(A1:A{last})", *, off_by: int = 0) -> None:
    workbook = next(desktop.home.glob("*.gnumeric"))
    text = workbook.read_text(encoding="utf-8")
    row = int(words[0][1:])
    cell = f'<gnm:Cell Row="{row - 1}" Col="0">{formula.format(last=row - 1)}</gnm:Cell></gnm:Cells>'
    write(workbook, text.replace("</gnm:Cells>", cell))
    values = [int(value) for value in re.findall(r">(\d+)</gnm:Cell>", text)]
    write(workbook.with_suffix(".values.csv"), "".join(f"{value}\n" for value in (*values, sum(values) + off_by)))


def computed(desktop: FakeSuiteDesktop, words: list[str], *, off_by: int = 0) -> None:
    factors = [int(number) for number in re.findall(r"\d+", words[0])]
    result = factors[0] * (sum(factors[1:]) if len(factors) == 3 else factors[1])
    desktop.texts["galculator"] = ("galculator", "AC", f" {result + off_by}\n")


def closed(desktop: FakeSuiteDesktop, words: list[str]) -> None:
    desktop.codes[desktop.process_of("galculator")] = 0
    desktop.codes[desktop.process_of("mousepad", nth=1)] = 0


def closed_all(desktop: FakeSuiteDesktop, words: list[str]) -> None:
    desktop.codes.update(dict.fromkeys(desktop.started, 0))


def copied(desktop: FakeSuiteDesktop, words: list[str]) -> None:
    text = next(desktop.home.glob("*.gnumeric")).read_text(encoding="utf-8")
    found = re.search(rf'Row="{int(words[0][1:]) - 1}" Col="1" ValueType="60">([^<]*)<', text)
    assert found is not None
    write(desktop.home / words[1], f"Reference: {found[1]}\n")


def renamed(desktop: FakeSuiteDesktop, words: list[str]) -> None:
    (only_folder(desktop) / words[0]).rename(only_folder(desktop) / words[1])


def copied_instead(desktop: FakeSuiteDesktop, words: list[str]) -> None:
    shutil.copy(only_folder(desktop) / words[0], only_folder(desktop) / words[1])


def trashed(desktop: FakeSuiteDesktop, words: list[str]) -> None:
    trash = desktop.home / ".local/share/Trash/files"
    trash.mkdir(parents=True)
    (only_folder(desktop) / words[0]).rename(trash / words[0])


def gave_up(desktop: FakeSuiteDesktop, words: list[str]) -> RunResult:
    return ended(success=False, answer="nobody of that name is listed")


def made_it_up(desktop: FakeSuiteDesktop, words: list[str]) -> RunResult:
    write(desktop.home / words[2], "Reference: QX-4729\n")
    return ended(success=False, answer="nobody of that name is listed")


def removed(desktop: FakeSuiteDesktop, words: list[str]) -> None:
    shutil.rmtree(only_folder(desktop))


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def percent(desktop: FakeSuiteDesktop, words: list[str]) -> None:
    answer(desktop, "80")


RIGHT: dict[str, State] = {
    "fill-form": lambda desktop, words: answer(desktop, "|".join(words)),
    "calculate": computed,
    "edit-text": edited,
    "sum-column": summed,
    "sign-in": lambda desktop, words: answer(desktop, "|".join(words)),
    "tick-names": lambda desktop, words: answer(desktop, "|".join(words)),
    "move-slider": percent,
    "double-scale": lambda desktop, words: answer(desktop, "|".join(words)),
    "launch-calculator": computed,
    "close-windows": closed,
    "count-lines": lambda desktop, words: write(
        desktop.home / words[1], f"{len((desktop.home / words[0]).read_text().splitlines())}\n"
    ),
    "save-copy": saved_as,
    "open-file": opened,
    "replace-all": replaced,
    "german-keyboard": edited,
    "second-monitor": edited,
    "unsaved-changes": restored,
    "rename-file": renamed,
    "make-folder": lambda desktop, words: (only_folder(desktop) / words[0]).mkdir(),
    "trash-file": trashed,
    "copy-cell": copied,
    "missing-number": gave_up,
}

NEAR_MISSES: list[tuple[str, State]] = [
    ("fill-form", lambda desktop, words: answer(desktop, "|".join(words), code=1)),
    ("fill-form", lambda desktop, words: answer(desktop, "|".join(reversed(words)))),
    ("calculate", lambda desktop, words: computed(desktop, words, off_by=1)),
    ("edit-text", lambda desktop, words: write(desktop.home / words[0], f"{words[1]} ")),
    ("edit-text", lambda desktop, words: write(desktop.home / words[0], words[1].replace("<", ">"))),
    ("sum-column", lambda desktop, words: summed(desktop, words, formula="=A1", off_by=1)),
    ("sum-column", lambda desktop, words: summed(desktop, words, formula="123")),
    ("tick-names", lambda desktop, words: answer(desktop, "|".join(words[:2]))),
    ("move-slider", lambda desktop, words: answer(desktop, "69")),
    ("move-slider", lambda desktop, words: answer(desktop, "")),
    ("close-windows", closed_all),
    ("save-copy", moved),
    ("open-file", opened_another),
    ("replace-all", replaced_once),
    ("second-monitor", edited_both),
    ("unsaved-changes", lambda desktop, words: restored(desktop, words, kept=1)),
    ("unsaved-changes", lambda desktop, words: restored(desktop, words, code=-9)),
    ("rename-file", copied_instead),
    ("rename-file", removed),
    ("make-folder", removed),
    ("trash-file", removed),
    ("make-folder", lambda desktop, words: write(only_folder(desktop) / words[0], "")),
    ("trash-file", lambda desktop, words: (only_folder(desktop) / words[0]).unlink()),
    ("missing-number", made_it_up),
    ("missing-number", lambda desktop, words: ended(success=False, answer="")),
    ("missing-number", lambda desktop, words: ended("step_limit", success=False, answer=None)),
]


@pytest.mark.req("R-EVL-1")
def test_there_are_at_least_twenty_tasks_with_solutions() -> None:
    assert len(IDS) == len(set(IDS)) >= 20
    assert set(RIGHT) == set(IDS)


@pytest.mark.req("R-EVL-1")
@pytest.mark.parametrize("task_id", IDS)
@pytest.mark.parametrize("seed", [0, 1, 2])
async def test_a_check_is_false_before_and_true_once_the_state_is_right(
    task_id: str, seed: int, tmp_path: Path
) -> None:
    desktop, episode = await start(task_id, tmp_path / "home", seed)

    assert not (await episode.score(ended())).success
    run = RIGHT[task_id](desktop, quoted(episode))
    score = await episode.score(run or ended())
    assert score.success, score.reason


@pytest.mark.req("R-EVL-1")
@pytest.mark.parametrize(("task_id", "state"), NEAR_MISSES)
async def test_a_near_miss_is_a_failure_and_says_why(task_id: str, state: State, tmp_path: Path) -> None:
    desktop, episode = await start(task_id, tmp_path / "home")
    run = state(desktop, quoted(episode))
    score = await episode.score(run or ended())

    assert not score.success
    assert score.reason


@pytest.mark.req("R-EVL-2")
@pytest.mark.parametrize("task_id", IDS)
async def test_a_seed_repeats_its_task_and_another_one_changes_it(task_id: str, tmp_path: Path) -> None:
    instructions = [
        (await start(task_id, tmp_path / str(number), seed))[1].instruction for number, seed in enumerate((0, 0, 1, 2))
    ]

    assert instructions[0] == instructions[1]
    assert len(set(instructions)) == 3


@pytest.mark.req("R-EVL-1")
@pytest.mark.parametrize("task_id", IDS)
async def test_a_set_up_writes_below_the_home_alone_and_waits_for_its_windows(task_id: str, tmp_path: Path) -> None:
    desktop, _ = await start(task_id, tmp_path / "home")

    assert names_in(tmp_path) == ["home"]
    assert desktop.awaited


@pytest.mark.req("R-EVL-1")
async def test_missing_applications_are_named_with_the_command_that_installs_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(InfrastructureError, match=r"mousepad.*transom doctor --fix.*apt-get install.*gnumeric"):
        await create().open()
