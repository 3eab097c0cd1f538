"""Turns a validated section into the values that the harness works with."""

from __future__ import annotations

from harness.config.schema import DefaultsSection, LimitsSection, RecentExchanges, RecentTokens
from harness.protocols import ControllerSpec
from harness.values.geometry import Size
from harness.values.settings import HistoryPolicy, Limits, SessionSettings


def build_controller(section: DefaultsSection) -> ControllerSpec:
    """Return how to make the controller."""
    width_px, height_px = section.controller.viewport
    return ControllerSpec(
        kind=section.controller.kind,
        viewport=Size(width_px=width_px, height_px=height_px),
        device_scale=section.controller.device_scale,
        browser=section.controller.browser,
        page_text_chars=section.web.page_text_chars,
        monitor=section.controller.monitor,
        address=section.controller.address,
        display=section.desktop.display,
        apps={name: tuple(words) for name, words in section.desktop.apps.items()},
        desktop_input=section.desktop.input,
    )


def build_settings(section: DefaultsSection) -> SessionSettings:
    """Return the settings of a session."""
    return SessionSettings(
        image_budget=section.prompt.screenshot_window_images,
        note_view_chars=section.prompt.note_view_chars,
        mode=section.context_management.mode,
        history=_history(section.context_management.history),
        result_chars=section.tools.result_chars,
        marks_image=section.desktop.marks_image,
        limits=_limits(section.limits),
    )


def _history(history: str | RecentExchanges | RecentTokens) -> HistoryPolicy:
    match history:
        case RecentExchanges():
            return HistoryPolicy(kind="recent_exchanges", amount=history.recent_exchanges)
        case RecentTokens():
            return HistoryPolicy(kind="recent_tokens", amount=history.recent_tokens)
        case _:
            return HistoryPolicy()


def _limits(limits: LimitsSection) -> Limits:
    return Limits(
        steps=limits.steps,
        seconds=limits.seconds,
        cost_usd=limits.cost_usd,
        input_tokens=limits.input_tokens,
        idle_steps=limits.idle_steps,
        step_seconds=limits.step_seconds,
    )
