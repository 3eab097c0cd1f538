"""Tasks in dialogs that tell their answers on standard output."""

from __future__ import annotations

from typing import Final

from evals.suites.desktop.apps import open_dialog
from evals.suites.desktop.draw import Draw
from evals.suites.desktop.state import answer_problem, end_problem
from evals.suites.desktop.task import Assignment
from harness.protocols.suites import DesktopNeeds, SuiteDesktop
from harness.values.geometry import Size
from harness.values.run import RunResult

DOUBLE_SCALE: Final = DesktopNeeds(size=Size(width_px=2560, height_px=1600), environment={"GDK_SCALE": "2"})
_SEPARATOR: Final = "|"
_SLIDER_START: Final = 10


async def fill_form(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Fill in a form with a name and an e-mail address."""
    person, address = draw.people(1)[0], f"{draw.code().lower()}@example.org"
    output = desktop.home / "form.out"
    fields = ("--forms", "--text=Please fill in", "--add-entry=Name", "--add-entry=E-mail", "--separator=|")
    dialog = await open_dialog(desktop, "Registration", fields, output)

    async def check(run: RunResult) -> str | None:
        return await answer_problem(desktop, dialog, output, f"{person}|{address}")

    return Assignment(
        instruction=f'Fill in the form with the name "{person}" and the e-mail "{address}", then press OK.', check=check
    )


async def sign_in(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Type a password, which is shown as dots."""
    user, password = draw.people(1)[0].split()[0], draw.password()
    output = desktop.home / "sign-in.out"
    dialog = await open_dialog(desktop, "Sign in", ("--password", "--username"), output)

    async def check(run: RunResult) -> str | None:
        return await answer_problem(desktop, dialog, output, f"{user}|{password}")

    return Assignment(instruction=f'Sign in as user "{user}" with the password "{password}" and press OK.', check=check)


async def tick_names(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Tick three of seven rows."""
    people = draw.people(7)
    chosen = draw.sample(people, 3)
    guests = [person for person in people if person in chosen]
    output = desktop.home / "guests.out"
    rows = [item for person in people for item in ("FALSE", person)]
    columns = (
        "--list",
        "--checklist",
        "--text=Who comes?",
        "--column=",
        "--column=Name",
        "--separator=|",
        "--height=400",
    )
    dialog = await open_dialog(desktop, "Guests", (*columns, *rows), output)

    async def check(run: RunResult) -> str | None:
        return await answer_problem(desktop, dialog, output, _SEPARATOR.join(guests))

    named = ", ".join(f'"{person}"' for person in guests)
    return Assignment(instruction=f"Tick exactly these names and press OK: {named}.", check=check)


async def move_slider(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Set a slider to a high value."""
    least = draw.number(70, 80)
    output = desktop.home / "volume.out"
    options = ("--scale", "--text=Volume", f"--value={_SLIDER_START}")
    dialog = await open_dialog(desktop, "Volume", options, output)

    async def check(run: RunResult) -> str | None:
        ended = await end_problem(desktop, dialog, "the dialog")
        if ended is not None:
            return ended
        value = output.read_text(encoding="utf-8").strip()
        is_loud = value.isdecimal() and int(value) >= least
        return None if is_loud else f"the slider was set to {value!r}, wanted {least} or more"

    return Assignment(instruction=f"Set the slider to {least} or more and press OK.", check=check)
