"""A click that opens a menu, to the settled PNG in hand: ours, the peers, and the same through a remote device."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from desktop.ours import Ours
from desktop.peers import Clicker, PeerMissing, cua_server, demo_recipe
from desktop.screen_truth import ScreenTruth

from harness.controllers.desktop import create
from harness.protocols import ControllerSpec

ROUNDS_OURS = 30
ROUNDS_CUA = 15
ROUNDS_DEMO = 8


@dataclass
class Clicks:
    """What one way of clicking took, in seconds, and how often the menu was in its picture."""

    name: str
    seconds: list[float] = field(default_factory=list)
    correct: int = 0
    missing: str = ""

    @property
    def median_ms(self) -> float:
        """The median in milliseconds."""
        return statistics.median(self.seconds) * 1000

    @property
    def p90_ms(self) -> float:
        """The ninth decile in milliseconds."""
        return statistics.quantiles(self.seconds, n=10)[-1] * 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Menu:
    """Where the menu is that every way of clicking opens, in pixels of the screen."""

    x: int
    y: int


def desktop_spec(environment: Mapping[str, str]) -> ControllerSpec:
    """Return how our controller joins the desktop of the benchmark."""
    return ControllerSpec(kind="desktop", display="virtual", environment=environment)


async def find_menu(environment: Mapping[str, str]) -> Menu:
    """Return the place of the editor's first menu, from its mark."""
    ours = await Ours.open(create(desktop_spec(environment)), ["atspi_marks"])
    try:
        mark = next(mark for mark in ours.observation.marks if mark.name == "File")
        return Menu(x=mark.click.x_px, y=mark.click.y_px)
    finally:
        await ours.controller.close()


async def time_ours(environment: Mapping[str, str], menu: Menu, *, name: str, observers: tuple[str, ...]) -> Clicks:
    """Time our controller in its own device process."""
    ours = await Ours.open(create(desktop_spec(environment)), observers)
    try:
        return await time_controller(ours, environment, menu, name=name, rounds=ROUNDS_OURS)
    finally:
        await ours.controller.close()


async def time_controller(ours: Ours, environment: Mapping[str, str], menu: Menu, *, name: str, rounds: int) -> Clicks:
    """Time an opened controller, local or remote."""
    clicks, truth = Clicks(name), ScreenTruth(environment)
    for _ in range(rounds):
        begun_s = time.perf_counter()
        png = await ours.click(menu.x, menu.y)
        clicks.seconds.append(time.perf_counter() - begun_s)
        clicks.correct += truth.is_settled(png)
        await ours.reset()
    truth.close()
    return clicks


def time_cua(environment: Mapping[str, str], menu: Menu) -> Clicks:
    """Time the first peer, or say why it could not be set up."""
    clicks = Clicks("cua-computer-server")
    try:
        with cua_server(environment) as server:
            _time_peer(server, clicks, ScreenTruth(environment), menu, ROUNDS_CUA)
    except PeerMissing as exc:
        clicks.missing = str(exc)
    return clicks


def time_demo(environment: Mapping[str, str], menu: Menu, folder: Path) -> Clicks:
    """Time the second peer, or say why it could not be set up."""
    clicks = Clicks("Anthropic's demo recipe")
    try:
        _time_peer(demo_recipe(environment, folder), clicks, ScreenTruth(environment), menu, ROUNDS_DEMO)
    except PeerMissing as exc:
        clicks.missing = str(exc)
    return clicks


def _time_peer(peer: Clicker, clicks: Clicks, truth: ScreenTruth, menu: Menu, rounds: int) -> None:
    for _ in range(rounds):
        begun_s = time.perf_counter()
        png = peer.click(menu.x, menu.y)
        clicks.seconds.append(time.perf_counter() - begun_s)
        clicks.correct += truth.is_settled(png)
        peer.reset()
        time.sleep(0.3)  # the peers do not wait for the menu to close
    truth.close()
