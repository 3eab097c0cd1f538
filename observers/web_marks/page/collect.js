// One walk through the flat tree in document order: marks, the text between them, nested page frames.

const marks = [];
const runs = [];
const nested = [];
const elements = [];
const markIndex = new Map(); // element → index in marks
const frames = [];
const events = []; // "m", "t" or "f": what came next in reading order
const CELL = " | "; // between the cells of a row
let textBudget = options.textChars * 2; // twice: some of it turns out to be names

const BLOCKS_SKIPPED = new Set("script style noscript template select datalist textarea head title option".split(" "));

function blockOf(element) {
  let at = element;
  while (/^(inline|contents|ruby)/.test(styleOf(at).display)) {
    const parent = flatParent(at);
    if (parent === null) break;
    at = parent;
  }
  return at;
}

function rowOf(block) {
  const cell = block.closest("td, th, [role=gridcell], [role=cell], [role=columnheader]");
  const row = cell?.closest("tr, [role=row]") ?? null;
  return row === null ? { group: block, cell: block } : { group: row, cell };
}

const textRange = document.createRange();

function textBoxes(node, parent) {
  textRange.selectNodeContents(node);
  const clip = clipInside(parent);
  return [...textRange.getClientRects()].map((rect) => meet(boxOf(rect), clip)).filter((box) => !isEmpty(box, 1));
}

function isOpaque(element) {
  const style = styleOf(element);
  const alpha = (style.backgroundColor.match(/[\d.]+/g) ?? [])[3];
  const isPainted = style.backgroundColor !== "transparent" && (alpha === undefined || Number(alpha) > 0.9);
  return (isPainted || ["img", "video", "canvas", "iframe"].includes(element.localName)) && opacityOf(element) > 0.9;
}

// Text is hidden when something painted, outside its own ancestors, is hit where it stands.
function isTextCovered(parent, box) {
  let at = hitAt((box[0] + box[2]) / 2, (box[1] + box[3]) / 2);
  for (; at !== null && !isWithin(parent, at); at = flatParent(at)) if (!isWithin(at, parent) && isOpaque(at)) return true;
  return false;
}

// What a closed details or content-visibility leaves out still has boxes.
const isSkipped = (element) => typeof element.checkVisibility === "function" && !element.checkVisibility();

// Margins part words for the eye where the page has no white space between them.
const isApart = (before, box) => box[0] - before[2] > 1.5 || box[0] < before[0] || box[1] >= before[3];

function takeText(node, parent) {
  const text = flat(node.data);
  if (text === "" || textBudget <= 0 || !isSeen(parent) || isSkipped(parent)) return;
  const boxes = textBoxes(node, parent);
  const isThrough = styleOf(parent).pointerEvents === "none";
  if (boxes.length === 0 || (!isThrough && isTextCovered(parent, boxes[0]))) return;
  textBudget -= text.length;
  const { group, cell } = rowOf(blockOf(parent));
  const last = runs[runs.length - 1];
  const isSpaced = last && (/^\s/.test(node.data) || /\s$/.test(last.tail) || isApart(last.lastBox, boxes[0]));
  const part = { text, parent };
  if (last && last.group === group && events[events.length - 1] === "t") {
    const joint = last.cell !== cell ? CELL : isSpaced ? " " : "";
    last.parts.push({ ...part, joint });
    last.cell = cell;
    last.tail = node.data;
    last.box = hull([last.box, ...boxes]);
    last.lastBox = boxes[boxes.length - 1];
    return;
  }
  const lastBox = boxes[boxes.length - 1];
  runs.push({ group, cell, parts: [{ ...part, joint: "" }], tail: node.data, box: hull(boxes), lastBox, after: marks.length });
  events.push("t");
}

function takeMark(element) {
  const { box, spots } = clickable(element);
  if (box === null || spots.length === 0 || isBackdrop(element, box)) return;
  const role = roleOf(element);
  const name = nameOf(element, role, marks.length);
  markIndex.set(element, elements.length);
  elements.push(element);
  const options = optionsOf(element);
  marks.push({ box, spots, role, name, value: valueOf(element, role), states: statesOf(element), ...options, texts: runs.length });
  events.push("m");
}

function walk(element) {
  const tag = element.localName;
  if (tag === "script" || tag === "style" || tag === "template" || tag === "head") return;
  const { display } = styleOf(element);
  if (display === "none" && tag !== "area" && tag !== "map") return;
  if (opacityOf(element) <= 0.02) return;
  if (tag === "iframe" || tag === "frame") {
    frames.push(element);
    nested.push(marks.length);
    events.push("f");
    return;
  }
  if (kindOf(element) !== null) takeMark(element);
  if (BLOCKS_SKIPPED.has(tag) && !(tag === "select" && isListbox(element))) return;
  for (const child of flatChildren(element)) {
    if (child.nodeType === 3) takeText(child, element);
    else if (child.nodeType === 1) walk(child);
  }
}

const isBeside = (a, b) => Math.min(a[3], b[3]) - Math.max(a[1], b[1]) > 0.4 * Math.min(a[3] - a[1], b[3] - b[1]);

// Only what reads like a label: a few words, not a sentence.
const isLabelText = (text) => text.length <= 40 && text.split(" ").length <= 5 && !/[.!?]$/.test(text);

function isLabelFor(run, mark) {
  const [left, top, right] = mark.box;
  if (!isLabelText(lastCell(run))) return false;
  if (isBeside(run.box, mark.box)) return run.box[2] <= left + 2 && left - run.box[2] < 200;
  if (run.parts.some((part) => part.joint === CELL)) return false;
  return run.box[3] <= top + 2 && top - run.box[3] < 25 && run.box[0] < right && run.box[2] > left - 8;
}

const isLabelAfter = (run, mark) =>
  isBeside(run.box, mark.box) && run.box[0] >= mark.box[2] - 2 && run.box[0] - mark.box[2] < 100;

function lastCell(run) {
  const start = run.parts.findLastIndex((part) => part.joint === CELL);
  return run.parts.slice(Math.max(0, start)).map((part, i) => (i === 0 ? "" : part.joint) + part.text).join("");
}

const runText = (run) => run.parts.map((part) => part.joint + part.text).join("");

function isInMark(node) {
  for (let at = node; at !== null; at = flatParent(at)) if (markIndex.has(at)) return true;
  return false;
}

// A field without a name takes the visible text beside or above it; a box or radio the text behind it.
function nearbyName(mark, index) {
  const isChoice = ["checkbox", "radio", "switch"].includes(mark.role);
  const isFree = (run) => !run.parts.some((part) => isInMark(part.parent));
  const next = runs[mark.texts];
  if (isChoice && next && next.after === index + 1 && isFree(next) && isLabelAfter(next, mark)) return next;
  return runs.slice(Math.max(0, mark.texts - 3), mark.texts).reverse().find((run) => isFree(run) && isLabelFor(run, mark)) ?? null;
}

function finishNames() {
  const taken = new Set();
  marks.forEach((mark, index) => {
    if (mark.name === "" && FIELDS.has(mark.role)) {
      const run = nearbyName(mark, index);
      if (run !== null && !taken.has(run)) {
        mark.name = lastCell(run);
        if (mark.name === runText(run)) taken.add(run);
      }
    }
    if (mark.name === "" && !FIELDS.has(mark.role)) mark.name = flat(describe(elements[index]));
    mark.name = cut(mark.name, NAME_CHARS);
    delete mark.texts;
  });
  return taken;
}

function hasWords(name, text) {
  if (name.includes(text)) return true;
  const words = new Set(name.toLowerCase().split(" "));
  return !name.endsWith("…") && text.toLowerCase().split(" ").every((word) => words.has(word) || !/[\p{L}\p{N}]/u.test(word));
}

function isSpoken(part) {
  for (let at = part.parent; at !== null; at = flatParent(at)) {
    const mark = marks[spokenFor.get(at) ?? markIndex.get(at) ?? -1];
    if (mark && (hasWords(mark.name, part.text) || (mark.value ?? "").includes(part.text))) return true;
  }
  return false;
}

function finishTexts(taken) {
  const texts = [];
  for (const run of runs) {
    if (taken.has(run)) {
      texts.push(null);
      continue;
    }
    const kept = run.parts.filter((part) => !isSpoken(part));
    const text = kept.map((part, i) => (i === 0 ? "" : part.joint) + part.text).join("");
    const centre = [(run.box[0] + run.box[2]) / 2, (run.box[1] + run.box[3]) / 2];
    texts.push(text === "" ? null : { text, at: centre });
  }
  return texts;
}

// Later questions are about the page as it is then.
function forget() {
  for (const memo of [styles, opacities, inertness, innerClips, kinds, wards, delegations, clickables]) memo.clear();
}

function nodeLabel(element) {
  const text = cut(contentText(element, 80), 40);
  return `${element.localName}${text ? ` ${JSON.stringify(text)}` : ""}`;
}

// Why a click at a point no longer reaches element `index`; "" while it does.
function check([index, x, y]) {
  const element = elements[index];
  if (!element.isConnected) return "is gone";
  forget();
  if (isDisabled(element)) return "is disabled";
  const hit = hitAt(x, y);
  if (answers(element, ownerAt(x, y))) return "";
  if (hit === null || !inBox([x, y], element.getBoundingClientRect ? boxOf(element.getBoundingClientRect()) : viewport)) return "has moved";
  if (isWithin(hit, element)) return "is no longer interactive there";
  return `is covered by ${nodeLabel(hit)}`;
}

// Which of the points are hit on nested frame `index` itself, in this frame's viewport.
function reach([index, points]) {
  return points.map(([x, y]) => inBox([x, y], viewport) && hitAt(x, y) === frames[index]);
}

// Where a nested frame's viewport lies in this one, or why that can't be said; null when nothing of it shows.
function place([element, width, height]) {
  forget();
  const index = frames.indexOf(element);
  if (index < 0 && element.getRootNode().mode === "closed") return { index, problem: "stands in a closed shadow root" };
  if (index < 0 || !isSeen(element) || isInert(element)) return null;
  for (let at = element; at !== null; at = flatParent(at)) {
    const { transform } = styleOf(at);
    if (transform !== "none" && !isUpright(new DOMMatrix(transform))) return { index, problem: "is rotated or skewed" };
  }
  const rect = element.getBoundingClientRect();
  const style = styleOf(element);
  const side = (name) => parseFloat(style[`border${name}Width`]) + parseFloat(style[`padding${name}`]);
  const inner = [rect.width / element.offsetWidth, rect.height / element.offsetHeight];
  const across = element.offsetWidth - side("Left") - side("Right");
  const down = element.offsetHeight - side("Top") - side("Bottom");
  const scale = [(inner[0] * across) / width, (inner[1] * down) / height].map((value, i) =>
    Math.abs(value - inner[i]) < 0.02 * inner[i] ? inner[i] : value,
  );
  const origin = [rect.left + side("Left") * inner[0], rect.top + side("Top") * inner[1]];
  const content = [origin[0], origin[1], origin[0] + across * inner[0], origin[1] + down * inner[1]];
  const clip = meet(content, clipOf(element));
  return isEmpty(clip, 1) ? null : { index, scale, origin, clip };
}

const isUpright = (matrix) => matrix.is2D && Math.abs(matrix.b) < 1e-6 && Math.abs(matrix.c) < 1e-6 && matrix.a > 0 && matrix.d > 0;

if (document.body) walk(document.documentElement);
const texts = finishTexts(finishNames());
const report = JSON.stringify({ marks, texts, order: events.join("") });
return { elements, frames, report, check, reach, place };
