from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import evals.suites.miniwob.solutions as miniwob_solutions
import evals.suites.three_pages.solution as three_pages_solution
from evals.suites.miniwob.solutions import SOLUTIONS
from harness.protocols.policies import SeenMark, View

ALLOWED = (
    "__future__",
    "calendar",
    "collections",
    "dataclasses",
    "datetime",
    "evals.suites.miniwob.solutions",
    "harness.protocols",
    "harness.values",
    "re",
    "typing",
)
FILES = [
    *sorted(Path(miniwob_solutions.__file__).parent.glob("*.py")),
    Path(three_pages_solution.__file__),
]


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found


@pytest.mark.req("R-CLI-5")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_solution_imports_nothing_that_leads_to_page_seed_or_suite(path: Path) -> None:
    foreign = {name for name in imported(path) if not any(name == ok or name.startswith(f"{ok}.") for ok in ALLOWED)}

    assert not foreign


@pytest.mark.req("R-CLI-5")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_solution_opens_nothing_by_itself(path: Path) -> None:
    names = {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}

    assert not names & {"open", "eval", "exec", "__import__", "globals", "compile"}


@pytest.mark.req("R-CLI-5")
@pytest.mark.parametrize("solve", [*SOLUTIONS.values(), three_pages_solution.solve])
def test_a_solution_gets_task_act_and_look_only(solve: object) -> None:
    assert callable(solve)
    assert list(inspect.signature(solve).parameters) == ["task", "act", "look"]


class Desk:
    """Answers `act` from a list of views and remembers the calls."""

    def __init__(self, *views: View) -> None:
        self.views = list(views)
        self.current = self.views.pop(0)
        self.calls: list[tuple[str, dict[str, object]]] = []

    async def act(self, tool: str, /, **arguments: object) -> View:
        self.calls.append((tool, arguments))
        if self.views:
            self.current = self.views.pop(0)
        return self.current

    def look(self) -> View:
        return self.current


def view(*lines: SeenMark | str, notes: tuple[str, ...] = ()) -> View:
    marks = tuple(line for line in lines if isinstance(line, SeenMark))
    return View(marks=marks, lines=lines, notes=notes, width_px=640, height_px=480)


def mark(number: int, role: str, name: str, value: str | None = None) -> SeenMark:
    return SeenMark(id=number, role=role, name=name, value=value)


async def test_the_inbox_is_scrolled_until_a_row_begins_with_the_whole_sender() -> None:
    first = view(
        mark(1, "clickable", "open search"), mark(2, "clickable", "Anna-Lisa Hello"), mark(3, "clickable", "trash")
    )
    second = view(mark(4, "clickable", "Anna Lorem"), mark(5, "clickable", "trash"))
    opened = view(mark(6, "clickable", "close email"), mark(7, "clickable", "trash"), mark(8, "clickable", "star"))
    desk = Desk(first, second, opened)

    await SOLUTIONS["email-inbox"](
        "Find the email by Anna and click the star icon to mark it as important.", desk.act, desk.look
    )

    assert desk.calls == [("scroll", {"mark": 2, "dy": 1}), ("click", {"mark": 4}), ("click", {"mark": 8})]


async def test_a_noted_value_is_typed_from_the_note() -> None:
    desk = Desk(
        view("Seat number | AB-1234", "Order number | CD-5678", mark(1, "button", "Next")),
        view(mark(1, "button", "Next"), notes=("CD-5678",)),
        view(mark(1, "button", "Next"), notes=("CD-5678",)),
        view(mark(1, "textbox", "Claim key"), mark(2, "button", "Submit"), notes=("CD-5678",)),
    )

    await three_pages_solution.solve(
        'Note the value of "Order number" on the first page. Then press Next until the last page, '
        'type that value into "Claim key" and press Submit.',
        desk.act,
        desk.look,
    )

    assert [tool for tool, _ in desk.calls] == ["web_note", "click", "click", "type_text", "click"]
    assert desk.calls[0][1]["text"] == "CD-5678"
    assert desk.calls[3][1] == {"mark": 1, "text": "CD-5678"}
