// Role, name, value and states of an interactive element.

const NAME_CHARS = 100;
const VALUE_CHARS = 200;
const OPTIONS_CHARS = 300;
const SILENT = new Set("script style noscript template select datalist textarea title head iframe object".split(" "));
const FIELDS = new Set("textbox searchbox combobox listbox spinbutton slider checkbox radio switch file color".split(" "));
const TEXTUAL = new Set("date time month week datetime-local password email tel url".split(" "));
const INPUT_ROLES = {
  checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", search: "searchbox", file: "file",
  color: "color", button: "button", submit: "button", reset: "button", image: "button",
};
const TAG_ROLES = {
  a: "link", area: "link", button: "button", summary: "button", textarea: "textbox", option: "option", img: "img",
  td: "cell", th: "cell", tr: "row", li: "listitem", canvas: "canvas", video: "video", audio: "audio",
};
const COLOURS = {
  black: [0, 0, 0], white: [255, 255, 255], gray: [128, 128, 128], red: [255, 0, 0], green: [0, 160, 0],
  blue: [0, 0, 255], yellow: [255, 255, 0], orange: [255, 165, 0], purple: [128, 0, 128], magenta: [255, 0, 255],
  cyan: [0, 255, 255], pink: [255, 182, 193], brown: [139, 69, 19], lime: [0, 255, 0], aqua: [0, 200, 200],
};
const SHAPES = { rect: "rectangle", circle: "circle", ellipse: "ellipse", line: "line", path: "shape", polyline: "line" };

const wellFormed = (text) => text.toWellFormed?.() ?? text;
const flat = (text) => wellFormed(String(text)).replace(/\s+/g, " ").trim();
// By code points, so that no surrogate pair is cut in two.
const cut = (text, limit) => {
  const points = [...text.slice(0, 2 * limit)];
  return points.length <= limit ? wellFormed(text) : `${points.slice(0, limit - 1).join("").trimEnd()}…`;
};

// The text that an element shows, alternatives of images included; at most `limit` characters are gathered.
function contentText(element, limit = 400) {
  const pieces = [];
  let size = 0;
  const visit = (node) => {
    if (size >= limit) return;
    if (node.nodeType === 3) {
      pieces.push(node.data);
      size += node.data.length;
      return;
    }
    if (node.nodeType !== 1 || SILENT.has(node.localName)) return;
    const style = styleOf(node);
    if (style.display === "none" || opacityOf(node) <= 0.02) return;
    const spoken = node.getAttribute("aria-label") || (node.localName === "img" ? node.getAttribute("alt") : "");
    const isApart = !style.display.startsWith("inline") || style.display === "inline-block";
    if (isApart || node.localName === "br") pieces.push(" ");
    if (spoken && node !== element) pieces.push(spoken);
    else if (node.localName !== "input") for (const child of flatChildren(node)) visit(child);
    if (isApart) pieces.push(" ");
  };
  visit(element);
  return flat(pieces.join(""));
}

function referenced(element, attribute) {
  const root = element.getRootNode();
  return (element.getAttribute(attribute) ?? "").split(/\s+/).filter(Boolean).map((id) => root.getElementById?.(id)).filter(Boolean);
}

function roleOf(element) {
  const role = roleAttribute(element);
  if (ROLES.has(role) || (CONTAINERS.has(role) && !["presentation", "none"].includes(role))) return role;
  if (element.matches(".ui-slider-handle")) return "slider";
  const tag = element.localName;
  if (tag === "input") return element.list ? "combobox" : (INPUT_ROLES[element.type] ?? "textbox");
  if (tag === "select") return isListbox(element) ? "listbox" : "combobox";
  if (isEditingRoot(element)) return "textbox";
  if (tag === "label" && element.control) return roleOf(element.control);
  if (isShape(element)) return tag === "a" ? "link" : "graphic";
  return TAG_ROLES[tag] ?? "clickable";
}

// Texts that became a name are not repeated as visible text: element → the mark that speaks for it.
const spokenFor = new Map();

function authoredName(element, mark) {
  const references = referenced(element, "aria-labelledby");
  const byReference = flat(references.map((item) => contentText(item)).join(" "));
  if (byReference) {
    for (const item of references) spokenFor.set(item, mark);
    return byReference;
  }
  return flat(element.getAttribute("aria-label") ?? "");
}

function fieldName(element, mark) {
  for (const label of element.labels ?? []) {
    const text = contentText(label);
    if (text) {
      spokenFor.set(label, mark);
      return text;
    }
  }
  if (element.localName === "input") {
    if (["submit", "reset", "button"].includes(element.type)) {
      return element.value || { submit: "Submit", reset: "Reset", button: "" }[element.type];
    }
    if (element.type === "image") return element.getAttribute("alt") || element.value || "";
  }
  return element.getAttribute("title") || element.getAttribute("placeholder") || element.getAttribute("aria-placeholder") || "";
}

function shapeTitle(element) {
  const title = [...element.children].find((child) => child.localName === "title");
  return title ? title.textContent : "";
}

function nameOf(element, role, mark) {
  const authored = authoredName(element, mark);
  if (authored) return authored;
  const isField = ["input", "select", "textarea"].includes(element.localName) || (FIELDS.has(role) && isEditingRoot(element));
  if (isField) return flat(fieldName(element, mark));
  if (["img", "area"].includes(element.localName)) return flat(element.getAttribute("alt") || element.getAttribute("title") || "");
  const text = (isShape(element) && shapeTitle(element)) || (element.localName === "svg" ? "" : contentText(element));
  const title = element.getAttribute("title") || iconText(element);
  // A title says more than a symbol.
  return flat(/[\p{L}\p{N}]/u.test(text) ? text : title || text);
}

const iconText = (element) => {
  const title = element.querySelector("svg > title");
  return title ? title.textContent : (element.querySelector("[title]")?.getAttribute("title") ?? "");
};

function colourWord(colour) {
  const numbers = (colour.match(/[\d.]+/g) ?? []).map(Number);
  if (numbers.length < 3 || numbers[3] === 0) return "";
  const distance = ([r, g, b]) => (r - numbers[0]) ** 2 + (g - numbers[1]) ** 2 + (b - numbers[2]) ** 2;
  return Object.entries(COLOURS).reduce((best, item) => (distance(item[1]) < distance(best[1]) ? item : best))[0];
}

function shapeWord(element) {
  if (element.localName !== "polygon") return SHAPES[element.localName] ?? element.localName;
  const corners = element.points?.numberOfItems ?? 0;
  return corners === 3 ? "triangle" : corners === 4 ? "quadrilateral" : `polygon with ${corners} corners`;
}

const CHROME = /^ui-(corner|state|widget|button|icon|helper|front|resizable$|draggable$)/;

// Words of class and id that a person may have chosen; generated ones and a library's decoration are left out.
function styleWords(element) {
  const tokens = `${element.getAttribute("class") ?? ""} ${element.getAttribute("id") ?? ""}`.split(/\s+/);
  return tokens
    .filter((token) => token.length <= 24 && /^[a-z]+([_-]([a-z]+|\d{1,3}))*$/i.test(token) && !CHROME.test(token))
    .map((token) => token.replace(/^ui-/, "").replace(/[_-]+/g, " "));
}

// What a person would call an element that has no text at all: its colour and shape, else its style's words.
function describe(element) {
  if (isShape(element)) {
    if (element.localName === "svg" || element.localName === "g") return "drawing";
    const { fill, stroke } = styleOf(element);
    const colour = fill === "none" ? colourWord(stroke) : colourWord(fill);
    return flat(`${colour} ${shapeWord(element)}`);
  }
  const words = styleWords(element);
  const colour = styleOf(element).backgroundImage === "none" ? colourWord(styleOf(element).backgroundColor) : "";
  const isNeutral = colour === "" || colour === "white";
  return isNeutral ? words.slice(0, 3).join(" ") : colour;
}

function optionText(option) {
  return flat(option.label || option.text || "");
}

function valueOf(element, role) {
  switch (element.localName) {
    case "select":
      return cut([...element.selectedOptions].map(optionText).join(", "), VALUE_CHARS);
    case "textarea":
      return cut(element.value, VALUE_CHARS);
    case "input":
      if (["checkbox", "radio", "button", "submit", "reset", "image", "password"].includes(element.type)) return null;
      if (element.type === "file") return [...element.files].map((file) => file.name).join(", ").slice(0, VALUE_CHARS);
      return cut(element.value, VALUE_CHARS);
    default:
      if (isEditingRoot(element)) return cut(contentText(element), VALUE_CHARS);
      if (!["slider", "spinbutton", "scrollbar", "combobox"].includes(role)) return null;
      return element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow");
  }
}

function focused() {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at;
}

// The labels of a closed select, as many as fit; `optionCount` is how many there are.
function optionsOf(select) {
  if (select.localName !== "select" || isListbox(select)) return {};
  const labels = [];
  let size = 0;
  for (const option of select.options) {
    const label = cut(optionText(option), NAME_CHARS);
    size += label.length + 4;
    if (size > OPTIONS_CHARS) break;
    labels.push(label);
  }
  return { options: labels, optionCount: select.options.length };
}

function statesOf(element) {
  const control = element.localName === "label" ? element.control : element;
  const says = (name, value = "true") => control.getAttribute(name) === value;
  const isBox = control.localName === "input" && ["checkbox", "radio"].includes(control.type);
  const isOpen = control.localName === "summary" ? control.parentElement.open : null;
  const states = [
    [(isBox && control.checked && !control.indeterminate) || says("aria-checked"), "checked"],
    [(isBox && control.indeterminate) || says("aria-checked", "mixed"), "mixed"],
    [(control.localName === "option" && control.selected) || says("aria-selected"), "selected"],
    [says("aria-pressed"), "pressed"],
    [control === focused(), "focused"],
    [isOpen === true || says("aria-expanded"), "expanded"],
    [isOpen === false || says("aria-expanded", "false"), "collapsed"],
    [(control.readOnly === true && control.localName !== "button") || says("aria-readonly"), "readonly"],
    [control.required === true || says("aria-required"), "required"],
    [control.localName === "input" && TEXTUAL.has(control.type), control.type],
  ];
  return states.filter(([holds]) => holds).map(([, word]) => word);
}
