"""Fields and select elements of a page: what has the focus, what it holds, which options there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from playwright.async_api import ElementHandle, Frame, JSHandle, Page

from harness.values.geometry import DevicePoint

FieldKind = Literal["text", "password", "other", "nothing"]
_MAX_DEPTH: Final = 8

_FOCUSED_JS: Final = """() => {
  let element = document.activeElement;
  while (element && element.shadowRoot && element.shadowRoot.activeElement) element = element.shadowRoot.activeElement;
  return element;
}"""

_READ_JS: Final = """element => {
  const none = ["button", "checkbox", "color", "file", "hidden", "image", "radio", "range", "reset", "submit"];
  const isOneLine = element.localName === "input";
  if (element === document.body || element === document.documentElement) return {kind: "nothing", value: "", isOneLine};
  if (element.isContentEditable) return {kind: "text", value: element.innerText, isOneLine};
  const isText = element.localName === "textarea" || (element.localName === "input" && !none.includes(element.type));
  if (!isText) return {kind: "other", value: "", isOneLine};
  const isSecret = element.type === "password" || /password|one-time-code/.test(element.autocomplete || "")
    || (getComputedStyle(element).webkitTextSecurity || "none") !== "none";
  return isSecret ? {kind: "password", value: "", isOneLine} : {kind: "text", value: element.value, isOneLine};
}"""

_CARET_TO_END_JS: Final = """element => {
  try {
    element.setSelectionRange(element.value.length, element.value.length);
  } catch {
    const selection = element.ownerDocument.getSelection();
    if (element.isContentEditable) { selection.selectAllChildren(element); selection.collapseToEnd(); }
    else if (selection.modify) selection.modify("move", "forward", "documentboundary");
  }
}"""

_AT_POINT_JS: Final = """([x, y]) => {
  let root = document, element = null;
  while (root) {
    const next = root.elementFromPoint(x, y);
    if (!next || next === element) break;
    element = next;
    root = element.shadowRoot;
  }
  return element;
}"""

_INSIDE_FRAME_JS: Final = """(element, [x, y]) => {
  const rect = element.getBoundingClientRect(), style = getComputedStyle(element);
  const scaleX = element.offsetWidth ? rect.width / element.offsetWidth : 1;
  const scaleY = element.offsetHeight ? rect.height / element.offsetHeight : 1;
  return [(x - rect.left) / scaleX - element.clientLeft - parseFloat(style.paddingLeft),
          (y - rect.top) / scaleY - element.clientTop - parseFloat(style.paddingTop)];
}"""

_SELECT_OF_JS: Final = """element => {
  const label = element.closest("label");
  const found = element.closest("select") || (label && label.control);
  return found && found.localName === "select" ? found : null;
}"""

_OPTIONS_JS: Final = """select => Array.from(select.options, option => ({
  label: option.label.replace(/\\s+/g, " ").trim(), value: option.value, selected: option.selected,
  disabled: option.disabled || select.disabled
    || (option.parentElement.localName === "optgroup" && option.parentElement.disabled)}))"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """The element that has the focus.

    Attributes:
        kind: `text` for what can be read back, `password` for what must not be, `other` for an element that
            holds no text, `nothing` when no element has the focus.
        value: What a `text` field holds; page text.
        is_one_line: Whether it can't hold a line break and would take one for Enter.
    """

    kind: FieldKind
    value: str = ""
    is_one_line: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of a select element; label and value are page text."""

    index: int
    label: str
    value: str
    is_selected: bool
    is_disabled: bool


async def read_focused(page: Page) -> Field:
    """Return what the focused element is and holds, through frames and open shadow roots."""
    element = await _focused(page)
    if element is None:
        return Field(kind="nothing")
    read = await element.evaluate(_READ_JS)
    return Field(kind=read["kind"], value=read["value"], is_one_line=read["isOneLine"])


async def move_caret_to_end(page: Page) -> None:
    """Put the caret behind what the focused field holds; other elements are left alone."""
    element = await _focused(page)
    if element is not None:
        await element.evaluate(_CARET_TO_END_JS)


async def find_select(page: Page, point: DevicePoint) -> ElementHandle | None:
    """Return the select element at a point of the viewport, or None when another element is there."""
    element = await _element_at(page, point)
    if element is None:
        return None
    return (await element.evaluate_handle(_SELECT_OF_JS)).as_element()


async def list_options(select: ElementHandle) -> tuple[Option, ...]:
    """Return the options of a select element in their order."""
    listed = await select.evaluate(_OPTIONS_JS)
    return tuple(
        Option(
            index=index,
            label=item["label"],
            value=item["value"],
            is_selected=item["selected"],
            is_disabled=item["disabled"],
        )
        for index, item in enumerate(listed)
    )


def match_option(options: tuple[Option, ...], wanted: str) -> Option | None:
    """Return the option with that label, else with that value; a label may differ in white space and case."""
    flat = " ".join(wanted.split())
    by_label = [option for option in options if option.label == flat]
    by_value = [option for option in options if option.value == wanted]
    by_folded_label = [option for option in options if option.label.casefold() == flat.casefold()]
    return next(iter(by_label + by_value + by_folded_label), None)


async def _focused(page: Page) -> ElementHandle | None:
    frame: Frame | None = page.main_frame
    element: ElementHandle | None = None
    for _ in range(_MAX_DEPTH):
        if frame is None:
            break
        handle: JSHandle = await frame.evaluate_handle(_FOCUSED_JS)
        inner = handle.as_element()
        if inner is None:
            break
        element = inner
        frame = await inner.content_frame()
    return element


async def _element_at(page: Page, point: DevicePoint) -> ElementHandle | None:
    frame: Frame = page.main_frame
    at = [point.x, point.y]
    for _ in range(_MAX_DEPTH):
        element = (await frame.evaluate_handle(_AT_POINT_JS, at)).as_element()
        if element is None:
            return None
        inner = await element.content_frame()
        if inner is None:
            return element
        at = await element.evaluate(_INSIDE_FRAME_JS, at)
        frame = inner
    return None
