// Which elements are interactive, and how strongly: "own" by their nature, "given" by what the page attached.

const kinds = new Map();
const wards = new Map();
const delegations = new Map();

const ROLES = new Set(
  ("button link checkbox radio switch tab textbox searchbox combobox spinbutton slider option menuitem " +
    "menuitemcheckbox menuitemradio treeitem scrollbar").split(" "),
);
const CONTAINERS = new Set(
  ("dialog alertdialog document main region article tabpanel group toolbar list listbox menu menubar tablist tree " +
    "grid table row rowgroup radiogroup navigation form application feed log presentation none").split(" "),
);
const EVENTS = ["click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick", "contextmenu"];
const HANDLES = ".ui-draggable, .ui-sortable-handle, .ui-resizable-handle, .ui-slider-handle";

const roleAttribute = (element) => (element.getAttribute("role") ?? "").trim().split(/\s+/)[0].toLowerCase();
const isEditingRoot = (element) => {
  const parent = flatParent(element);
  return element.isContentEditable === true && !(parent !== null && parent.isContentEditable === true);
};
const isShape = (element) => element.namespaceURI === "http://www.w3.org/2000/svg";
const isListbox = (select) => select !== null && (select.multiple || select.size > 1);

function isNative(element) {
  switch (element.localName) {
    case "input":
      return element.type !== "hidden";
    case "button":
    case "select":
    case "textarea":
      return true;
    case "a":
    case "area":
      return element.hasAttribute("href") || element.hasAttributeNS("http://www.w3.org/1999/xlink", "href");
    case "summary":
      return element.parentElement?.localName === "details" && element === element.parentElement.querySelector(":scope > summary");
    case "option":
      return isListbox(element.closest("select"));
    case "video":
    case "audio":
      return element.hasAttribute("controls");
    default:
      return false;
  }
}

// A label stands for its control when that control can't be clicked itself.
function labelledHidden(label) {
  const control = label.control;
  if (!control || control.type === "hidden" || isDisabled(control)) return null;
  return kindOf(control) !== null && clickable(control).spots.length > 0 ? null : control;
}

function jQueryHandlers(node) {
  const library = window.jQuery;
  if (typeof library?.hasData !== "function" || typeof library._data !== "function" || !library.hasData(node)) return [];
  const events = library._data(node, "events") ?? {};
  return EVENTS.flatMap((name) => [...(events[name] ?? [])]);
}

// Listeners as libraries record them on elements; reading them changes nothing.
function listens(element) {
  try {
    if (EVENTS.some((name) => typeof element[`on${name}`] === "function" || element[`__on${name}`])) return true;
    if (Array.isArray(element.__on) && element.__on.some((item) => EVENTS.includes(item.type))) return true;
    if (jQueryHandlers(element).some((handler) => !handler.selector)) return true;
    const props = Object.keys(element).find((key) => key.startsWith("__reactProps$"));
    if (props && ["onClick", "onMouseDown", "onPointerDown"].some((name) => element[props]?.[name])) return true;
    return Boolean(element._vei?.onClick);
  } catch {
    return false;
  }
}

function delegatedBy(node) {
  const known = delegations.get(node);
  if (known !== undefined) return known;
  let selectors = [];
  try {
    selectors = jQueryHandlers(node).map((handler) => handler.selector).filter((item) => typeof item === "string");
  } catch {
    selectors = [];
  }
  delegations.set(node, selectors);
  return selectors;
}

function isDelegated(element) {
  if (!window.jQuery) return false;
  for (let at = element.parentNode; at !== null; at = at.parentNode) {
    for (const selector of delegatedBy(at)) {
      try {
        if (element.matches(selector)) return true;
      } catch {
        continue; // a selector of the library's own kind
      }
    }
  }
  return false;
}

function pointerStarts(element) {
  if (styleOf(element).cursor !== "pointer") return false;
  const parent = flatParent(element);
  return parent === null || styleOf(parent).cursor !== "pointer";
}

function isGiven(element) {
  const role = roleAttribute(element);
  if (CONTAINERS.has(role) && !listens(element)) return false;
  if (element.tabIndex >= 0 && element.hasAttribute("tabindex")) return true;
  if (element.draggable === true && element.getAttribute("draggable") === "true") return true;
  return pointerStarts(element) || element.matches(HANDLES) || listens(element) || isDelegated(element);
}

// The nearest ancestor that is interactive by nature: what it contains belongs to it.
const wardOf = (element) =>
  inherited(wards, element, (at, above = null) => {
    const parent = flatParent(at);
    if (parent === null) return null;
    return parent.localName === "label" || isOwn(parent) ? parent : above;
  });

const isOwn = (element) => isNative(element) || ROLES.has(roleAttribute(element)) || isEditingRoot(element);

function kindOf(element) {
  const known = kinds.get(element);
  if (known !== undefined) return known;
  kinds.set(element, null);
  const kind = judge(element);
  kinds.set(element, kind);
  return kind;
}

function judge(element) {
  if (element === document.body || element === document.documentElement) return null;
  if (!isSeen(element) || styleOf(element).pointerEvents === "none" || isDisabled(element)) return null;
  if (isOwn(element)) return "own";
  if (element.localName === "label") return labelledHidden(element) === null ? null : "own";
  if (wardOf(element) !== null || ["iframe", "frame", "object", "embed"].includes(element.localName)) return null;
  return isGiven(element) ? "given" : null;
}

function ownerAt(x, y) {
  for (let at = hitAt(x, y); at !== null; at = flatParent(at)) if (kindOf(at) !== null) return at;
  return null;
}

// A list box is clicked on one of its options.
function answers(element, owner) {
  return owner === element || (element.localName === "select" && owner?.localName === "option" && element.contains(owner));
}

// Content that wraps to the next line would span the width of its paragraph: its largest line stands for it.
function outerBox(boxes) {
  const all = hull(boxes);
  const shown = boxes.reduce((sum, box) => sum + areaOf(box), 0);
  return areaOf(all) > 1.5 * shown ? boxes[0] : all;
}

const clickables = new Map();
let probesLeft = 20000; // hundreds of covered elements must not cost seconds

// The visible box of an element and points at which a click reaches it, the most central first.
function clickable(element) {
  const known = clickables.get(element);
  if (known !== undefined) return known;
  const boxes = visibleBoxes(element);
  boxes.sort((a, b) => areaOf(b) - areaOf(a));
  const found = { box: boxes.length > 0 ? outerBox(boxes) : null, spots: [] };
  if (boxes.length > 0) {
    const hollow = isShape(element) && styleOf(element).fill === "none" ? spotsOnOutline(element) : [];
    search: for (const spots of [hollow, ...boxes.map(spotsIn), isShape(element) ? spotsOnOutline(element) : []]) {
      for (const spot of spots) {
        if (probesLeft-- <= 0) break search;
        if (!answers(element, ownerAt(...spot))) continue;
        found.spots.push(spot);
        if (found.spots.length >= options.spots) break search;
      }
    }
  }
  clickables.set(element, found);
  return found;
}

// A listener on something that fills the screen and holds other elements is the page's own plumbing.
function isBackdrop(element, box) {
  if (kindOf(element) !== "given" || areaOf(box) < 0.7 * areaOf([0, 0, innerWidth, innerHeight])) return false;
  return element.querySelector("a[href], button, input, select, textarea, [role], [onclick]") !== null;
}
