"""Tasks in text editors."""

from __future__ import annotations

from evals.suites.desktop.apps import open_featherpad, open_mousepad
from evals.suites.desktop.draw import SPELLINGS, Draw
from evals.suites.desktop.state import file_problem, first_problem, write_files
from evals.suites.desktop.task import Assignment
from harness.protocols.suites import SuiteDesktop
from harness.values.run import RunResult


async def edit_text(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Replace the whole text of a document by a line that no US keyboard has all signs of."""
    (name,) = draw.file_names(1)
    line = draw.sentence()
    document = desktop.home / name
    write_files(desktop.home, {name: f"{draw.code()}\nto be replaced\n"})
    await open_mousepad(desktop, document)

    async def check(run: RunResult) -> str | None:
        return file_problem(document, line)

    return Assignment(
        instruction=f'Replace the whole text of the open document "{name}" with this one line and save it: "{line}"',
        check=check,
    )


async def save_copy(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Save a document under another name and keep the original."""
    old, new = draw.file_names(2)
    text = f"{draw.sentence()}\n{draw.code()}\n"
    write_files(desktop.home, {old: text})
    await open_mousepad(desktop, desktop.home / old)

    async def check(run: RunResult) -> str | None:
        return first_problem(file_problem(desktop.home / new, text), file_problem(desktop.home / old, text))

    return Assignment(
        instruction=(
            f'Save the open document "{old}" under the new name "{new}" in the same folder; keep the original as it is.'
        ),
        check=check,
    )


async def replace_all(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Replace a word wherever it stands in a document longer than its window."""
    (name,) = draw.file_names(1)
    old, new = draw.pick(SPELLINGS)
    lines = [draw.code() for _ in range(60)]
    for index in draw.sample(range(60), 12):
        lines[index] = f"the {old} of {lines[index]}"
    text = "\n".join(lines) + "\n"
    write_files(desktop.home, {name: text})
    await open_mousepad(desktop, desktop.home / name)

    async def check(run: RunResult) -> str | None:
        return file_problem(desktop.home / name, text.replace(old, new))

    return Assignment(
        instruction=f'Replace every "{old}" with "{new}" in the open document "{name}" and save it.', check=check
    )


async def open_file(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Find a file in another folder through the file chooser."""
    shown, wanted, *others = draw.file_names(5)
    folder = draw.pick(("Archive", "Contracts", "Meetings", "Projects"))
    code = draw.code()
    write_files(desktop.home, {shown: "this is not the document\n"})
    write_files(desktop.home / folder, {wanted: f"{code}\n", **dict.fromkeys(others, "nor is this\n")})
    await open_mousepad(desktop, desktop.home / shown)

    async def check(run: RunResult) -> str | None:
        titles = [window.title for window in await desktop.windows()]
        if not any(wanted in title for title in titles):
            return f"no window shows {wanted}; the windows are {titles}"
        texts = await desktop.shown_texts("mousepad")
        return None if any(code in text for text in texts) else f"the content of {wanted} is not shown"

    return Assignment(
        instruction=f'Use the Open dialog of the editor to open the file "{wanted}" from the folder "{folder}".',
        check=check,
    )


async def german_keyboard(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Type signs that stand elsewhere, or only with AltGr, on a German keyboard."""
    (name,) = draw.file_names(1)
    parts = ("Straße", "süß", "Yoga & Zen", "<a href=x>", "ja|nein", "y@z.de", f"{draw.number(2, 99)} €", "{x}[y]~")
    line = " ".join(draw.sample(parts, len(parts)))
    write_files(desktop.home, {name: f"{draw.code()}\n"})
    await open_featherpad(desktop, desktop.home / name)

    async def check(run: RunResult) -> str | None:
        return file_problem(desktop.home / name, line)

    return Assignment(
        instruction=f'Replace the whole text of the open document "{name}" with this one line and save it: "{line}"',
        check=check,
    )
