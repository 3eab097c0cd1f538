// The flat tree, what is visible of it, and hit tests. Everything here only reads the page.

const styles = new Map();
const opacities = new Map();
const inertness = new Map();
const innerClips = new Map();

function styleOf(element) {
  let style = styles.get(element);
  if (style === undefined) styles.set(element, (style = getComputedStyle(element)));
  return style;
}

function flatParent(node) {
  if (node.assignedSlot) return node.assignedSlot;
  const parent = node.parentNode;
  if (parent === null) return null;
  // Anchors and areas have a `host` of their own, so only the node type tells a shadow root.
  if (parent.nodeType === 11) return parent.host ?? null;
  return parent.nodeType === 1 ? parent : null;
}

function flatChildren(element) {
  if (element.shadowRoot) return element.shadowRoot.childNodes;
  if (element.localName === "slot") {
    const assigned = element.assignedNodes();
    if (assigned.length > 0) return assigned;
  }
  return element.childNodes;
}

function isWithin(node, ancestor) {
  for (let at = node; at !== null; at = flatParent(at)) if (at === ancestor) return true;
  return false;
}

function inherited(memo, element, own) {
  const known = memo.get(element);
  if (known !== undefined) return known;
  const parent = flatParent(element);
  const value = own(element, parent === null ? undefined : inherited(memo, parent, own));
  memo.set(element, value);
  return value;
}

const opacityOf = (element) =>
  inherited(opacities, element, (at, above = 1) => above * Number(styleOf(at).opacity));

const isInert = (element) => inherited(inertness, element, (at, above = false) => above || at.hasAttribute("inert"));

const isSeen = (element) => styleOf(element).visibility === "visible" && opacityOf(element) > 0.02;

function isDisabled(element) {
  return element.matches(":disabled") || isInert(element) || element.closest('[aria-disabled="true"]') !== null;
}

// Boxes are [left, top, right, bottom] in CSS pixels of this frame's viewport.
const boxOf = (rect) => [rect.left, rect.top, rect.right, rect.bottom];
const meet = (a, b) => [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])];
const isEmpty = (box, least = 0) => box[2] - box[0] <= least || box[3] - box[1] <= least;
const areaOf = (box) => (isEmpty(box) ? 0 : (box[2] - box[0]) * (box[3] - box[1]));
const hull = (boxes) =>
  boxes.reduce((a, b) => [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])]);

const viewport = meet([0, 0, innerWidth, innerHeight], options.clip ?? [0, 0, innerWidth, innerHeight]);

function isContaining(element) {
  const style = styleOf(element);
  return style.position !== "static" || style.transform !== "none" || style.filter !== "none";
}

// The part of the viewport in which `element` itself can show.
function clipOf(element) {
  const { position } = styleOf(element);
  let parent = flatParent(element);
  if (position === "absolute") while (parent !== null && !isContaining(parent)) parent = flatParent(parent);
  if (position === "fixed") while (parent !== null && styleOf(parent).transform === "none") parent = flatParent(parent);
  return parent === null ? viewport : clipInside(parent);
}

// The part of the viewport that `element` leaves to what it contains.
function clipInside(element) {
  const known = innerClips.get(element);
  if (known !== undefined) return known;
  let clip = clipOf(element);
  const style = styleOf(element);
  const isRoot = element === document.documentElement || element === document.body;
  const isClipping = style.overflowX !== "visible" || style.overflowY !== "visible" || /paint|strict|content/.test(style.contain);
  if (!isRoot && isClipping && style.display !== "inline" && style.display !== "contents") {
    clip = meet(clip, boxOf(element.getBoundingClientRect()));
  }
  innerClips.set(element, clip);
  return clip;
}

function areaBoxes(area) {
  const map = area.closest("map");
  const image = map && document.querySelector(`img[usemap="#${CSS.escape(map.name)}"]`);
  if (!image) return [];
  const { left, top } = image.getBoundingClientRect();
  const numbers = (area.getAttribute("coords") ?? "").split(",").map(Number);
  if (area.shape === "circle") {
    const [x, y, r] = numbers;
    return [[left + x - r, top + y - r, left + x + r, top + y + r]];
  }
  const xs = numbers.filter((_, i) => i % 2 === 0);
  const ys = numbers.filter((_, i) => i % 2 === 1);
  return [[left + Math.min(...xs), top + Math.min(...ys), left + Math.max(...xs), top + Math.max(...ys)]];
}

// The visible boxes of an element: one for a block, one a line for wrapped inline content.
function visibleBoxes(element) {
  if (element.localName === "area") return areaBoxes(element).map((box) => meet(box, viewport)).filter((box) => !isEmpty(box, 1));
  const clip = clipOf(element);
  const { display } = styleOf(element);
  let rects = [...element.getClientRects()];
  if (display === "contents" || (display === "inline" && element.firstElementChild !== null)) {
    const range = document.createRange();
    range.selectNodeContents(element);
    rects = rects.concat([...range.getClientRects()]);
  }
  return rects.map((rect) => meet(boxOf(rect), clip)).filter((box) => !isEmpty(box, 1.5));
}

function hitAt(x, y) {
  let root = document;
  let hit = null;
  for (;;) {
    const next = root.elementFromPoint(x, y);
    if (next === null || next === hit || next.getRootNode() !== root) return hit;
    hit = next;
    if (!hit.shadowRoot) return hit;
    root = hit.shadowRoot;
  }
}

// A click lands on the centre of a frame pixel, so only such points are tested.
function snap(value, scale, shift) {
  return (Math.floor(value * scale + shift) + 0.5 - shift) / scale;
}

function snapped(x, y) {
  const [scaleX, scaleY, shiftX, shiftY] = options.pixels;
  return [snap(x, scaleX, shiftX), snap(y, scaleY, shiftY)];
}

const inBox = ([x, y], box) => x >= box[0] && x < box[2] && y >= box[1] && y < box[3];

const EDGE = 2; // pixels inside the edge: what a cover leaves over is often a rim

function sharesOf(parts) {
  const shares = Array.from({ length: parts }, (_, i) => (i + 0.5) / parts);
  return shares.sort((a, b) => Math.abs(a - 0.5) - Math.abs(b - 0.5));
}

const spread = (from, to, parts) => sharesOf(parts).map((share) => from + share * (to - from));

// The middle, a coarse grid, the rim, a fine grid.
function* spotsIn(box) {
  const [left, top, right, bottom] = box;
  const middle = [(left + right) / 2, (top + bottom) / 2];
  const grids = [
    [[middle[0]], [middle[1]]],
    [spread(left, right, 3), spread(top, bottom, 3)],
    [[left + EDGE, middle[0], right - EDGE], [top + EDGE, middle[1], bottom - EDGE]],
    [spread(left, right, 7), spread(top, bottom, 7)],
  ];
  for (const [across, down] of grids) {
    for (const y of down) {
      for (const x of across) {
        const spot = snapped(x, y);
        if (inBox(spot, box)) yield spot;
      }
    }
  }
}

// Thin or hollow shapes are hit on their outline alone.
function* spotsOnOutline(element) {
  if (typeof element.getPointAtLength !== "function") return;
  const matrix = element.getScreenCTM();
  const length = element.getTotalLength();
  for (const share of [0.5, 0.25, 0.75, 0.1, 0.9]) {
    const point = element.getPointAtLength(length * share).matrixTransform(matrix);
    const spot = snapped(point.x, point.y);
    if (inBox(spot, viewport)) yield spot;
  }
}
