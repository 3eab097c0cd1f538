"""book-flight: choose two airports and a day, then book the cheapest or shortest flight."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date, datetime

from evals.suites.miniwob.solutions.reading import find_mark, text_of
from harness.protocols.policies import Act, LookAround, SeenMark, View

TASK = re.compile(r"Book the (cheapest|shortest) one-way flight from: (.+?) to: (.+?) on (\d\d/\d\d/\d{4})\.")
AIRPORT = re.compile(r"(.+) \(([A-Z]{3})\)")
AIRPORT_CODE = re.compile(r"[A-Z]{3}")
MONTH = re.compile(rf"({'|'.join(calendar.month_name[1:])})\s*(\d{{4}})")
PRICE = re.compile(r"Book flight for \$(\d+)")
DURATION = re.compile(r"(\d+)h (\d+)m")
LOOKS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Flight:
    """One offer; the price names its button."""

    price_usd: int
    minutes: int


async def solve(task: str, act: Act, look: LookAround) -> None:
    """Fill in the search, read all offers by scrolling, book the best one."""
    found = TASK.search(task)
    assert found is not None, f"not a flight task: {task!r}"
    wish, origin, destination, day = found.groups()
    view = await _choose_airport("From:", origin, act, look())
    view = await _choose_airport("To:", destination, act, view)
    view = await _choose_day(datetime.strptime(day, "%m/%d/%Y").date(), act, view)
    view = await act("click", mark=find_mark(view, role="button", name="Search").id)
    flights, view = await _read_flights(act, view)
    best = min(flights, key=lambda flight: flight.price_usd if wish == "cheapest" else flight.minutes)
    await _book(best, act, view)


async def _choose_airport(label: str, place: str, act: Act, view: View) -> View:
    """Type until only this airport or city matches, and take the exact entry: the list also matches parts of names.

    The list opens late and is built anew while the page still handles keys, so a click may miss.
    """
    typed = f"({place})" if AIRPORT_CODE.fullmatch(place) else f"{place} ("
    view = await act("type_text", mark=find_mark(view, role="textbox", name=label).id, text=typed)
    for _ in range(LOOKS):
        entry = _find_entry(view, place)
        if entry is not None:
            view = await act("click", mark=entry.id)
        elif _is_airport(find_mark(view, role="textbox", name=label).value or "", place):
            return view
        else:
            view = await act("wait", seconds=0.3)
    raise LookupError(f"the list offers no {place!r}: {text_of(view.lines)}")


def _find_entry(view: View, place: str) -> SeenMark | None:
    offered = (mark for mark in view.marks if mark.role not in {"textbox", "button"})
    return next((mark for mark in offered if _is_airport(mark.name, place)), None)


def _is_airport(entry: str, place: str) -> bool:
    found = AIRPORT.fullmatch(entry)
    return found is not None and place in found.groups()


async def _choose_day(day: date, act: Act, view: View) -> View:
    field = next(mark for mark in view.marks if mark.role == "textbox" and "readonly" in mark.states)
    view = await act("click", mark=field.id)
    while (shown := _month(view)) != (day.year, day.month):
        name = "Prev" if shown > (day.year, day.month) else "Next"
        view = await act("click", mark=find_mark(view, role="link", name=name).id)
    return await act("click", mark=find_mark(view, role="link", name=str(day.day)).id)


def _month(view: View) -> tuple[int, int]:
    found = MONTH.search(text_of(view.lines))
    assert found is not None, f"no calendar: {text_of(view.lines)}"
    return int(found[2]), list(calendar.month_name).index(found[1])


async def _read_flights(act: Act, view: View) -> tuple[list[Flight], View]:
    flights: dict[Flight, None] = {}
    while True:
        flights.update(dict.fromkeys(_visible_flights(view)))
        before = text_of(view.lines)
        view = await act("scroll", at=_middle(view), dy=1)
        if text_of(view.lines) == before:
            return list(flights), view


def _visible_flights(view: View) -> list[Flight]:
    """Return the offers whose duration and button are both in view; the duration stands above its button."""
    flights = []
    minutes: int | None = None
    for line in view.lines:
        if isinstance(line, str):
            for hours, rest in DURATION.findall(line):
                minutes = int(hours) * 60 + int(rest)
        elif (price := PRICE.fullmatch(line.name)) and minutes is not None:
            flights.append(Flight(price_usd=int(price[1]), minutes=minutes))
            minutes = None
    return flights


async def _book(flight: Flight, act: Act, view: View) -> None:
    """Scroll back up to the flight's button and press it."""
    while (button := _button(view, flight)) is None:
        before = text_of(view.lines)
        view = await act("scroll", at=_middle(view), dy=-1)
        assert text_of(view.lines) != before, f"the offer for ${flight.price_usd} is gone"
    await act("click", mark=button.id)


def _button(view: View, flight: Flight) -> SeenMark | None:
    name = f"Book flight for ${flight.price_usd}"
    return next((mark for mark in view.marks if mark.name == name), None)


def _middle(view: View) -> list[int]:
    """Return a point of the offers: the task fills the left half of the frame."""
    return [view.width_px // 4, view.height_px // 2]
