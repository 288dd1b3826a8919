// Drawing: elements, scales, axes, marks. Nothing here takes markup: texts are text nodes only.
// Colours are the variables of style.css, by the classes c0, c1, ... c7 (stroke and fill follow).

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "style") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return element;
}

// An element of HTML: h("p", {class: "note"}, "text", [more, children]).
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// An element of SVG, the same way.
export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// A picture of `width` × `height` units that takes the width it gets; `label` says what it shows.
export function picture(width, height, label, ...children) {
  return s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "picture" }, ...children);
}

// A linear scale with its inverse: scale(value) and scale.back(place).
export function linear([low, high], [from, to]) {
  const span = high - low || 1;
  const scale = (value) => from + ((value - low) / span) * (to - from);
  scale.back = (place) => low + ((place - from) / (to - from)) * span;
  scale.domain = [low, high];
  return scale;
}

// The same over logarithms; values at or below 0 are put at the low end.
export function logarithmic([low, high], [from, to]) {
  const inner = linear([Math.log10(low), Math.log10(high)], [from, to]);
  const scale = (value) => inner(Math.log10(Math.max(value, low)));
  scale.back = (place) => 10 ** inner.back(place);
  scale.domain = [low, high];
  return scale;
}

// Round numbers, about `count` of them, that cover a domain.
export function ticks([low, high], count = 5) {
  const rough = (high - low) / Math.max(1, count);
  if (!(rough > 0) || !Number.isFinite(rough)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((one) => one * power >= rough) * power;
  const marks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) marks.push(k * step);
  return marks;
}

// A number as people read it; a true minus sign.
export function shown(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  if (value === Infinity) return "∞";
  if (value === -Infinity) return "−∞";
  const size = Math.abs(value);
  let text;
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) {
    const [head, power] = value.toExponential(Math.max(0, digits - 1)).split("e");
    text = `${head}·10${superscript(Number(power))}`;
  } else text = String(Number(value.toPrecision(Math.max(digits, Number.isInteger(value) ? 6 : digits))));
  return text.replace(/^-/, "−");
}

export function superscript(number) {
  const digits = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  return Array.from(String(number), (one) => digits[one]).join("");
}

// A path through points [[x, y], ...] that are already places of the picture; null breaks it.
export function path(points) {
  let text = "", pen = "M";
  for (const one of points) {
    if (!one) { pen = "M"; continue; }
    text += `${pen}${one[0].toFixed(2)} ${one[1].toFixed(2)}`;
    pen = "L";
  }
  return text;
}

// Axes at the left and the bottom of a box {left, right, top, bottom}, with their names.
export function axes(box, x, y, { xname = "", yname = "", xticks, yticks, format = shown } = {}) {
  const parts = [];
  for (const value of xticks ?? ticks(x.domain)) {
    const at = x(value);
    parts.push(s("line", { x1: at, x2: at, y1: box.bottom, y2: box.top, class: "grid" }),
      s("text", { x: at, y: box.bottom + 14, class: "tick middle" }, format(value)));
  }
  for (const value of yticks ?? ticks(y.domain)) {
    const at = y(value);
    parts.push(s("line", { x1: box.left, x2: box.right, y1: at, y2: at, class: "grid" }),
      s("text", { x: box.left - 5, y: at + 3.5, class: "tick end" }, format(value)));
  }
  if (xname) parts.push(s("text", { x: (box.left + box.right) / 2, y: box.bottom + 30, class: "name middle" }, xname));
  if (yname) parts.push(s("text", { x: box.left, y: box.top - 6, class: "name" }, yname));
  return s("g", { class: "axes", "aria-hidden": "true" }, parts);
}

// The mark of class k: a circle, a triangle, a square, a diamond. Shape and colour say the same.
export function mark(k, x, y, size = 4, attributes = {}) {
  const place = { ...attributes, class: `mark c${k % 8} ${attributes.class ?? ""}` };
  const r = size;
  if (k % 4 === 0) return s("circle", { cx: x, cy: y, r, ...place });
  const corners = [
    null,
    [[0, -1.25], [1.15, 0.8], [-1.15, 0.8]],
    [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
    [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]],
  ][k % 4];
  return s("path", { d: `${path(corners.map(([a, b]) => [x + a * r, y + b * r]))}Z`, ...place });
}

// A key: marks with their names.
export function legend(entries) {
  return h("ul", { class: "legend" }, entries.map(([kind, name]) =>
    h("li", {}, s("svg", { viewBox: "0 0 20 12", width: 20, height: 12, "aria-hidden": "true" }, kind), name)));
}

// A bar with its value, for numbers that follow the steps: {name, value, share in 0..1, text, k}.
export function bar({ name, share, text, k = 0 }) {
  return h("div", { class: "bar" },
    h("span", { class: "bar-name" }, name),
    h("span", { class: "bar-track", "aria-hidden": "true" },
      h("span", { class: `bar-fill c${k}`, style: { width: `${100 * Math.min(1, Math.max(0, share))}%` } })),
    h("span", { class: "bar-value" }, text));
}

// A table: heads, rows of texts, numbers or nodes; numbers stand to the right, in so many digits.
export function table(heads, rows, { caption, digits = 5 } = {}) {
  return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": caption ?? "table" }, h("table", {},
    caption && h("caption", {}, caption),
    h("thead", {}, h("tr", {}, heads.map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) =>
      h("td", { class: typeof cell === "number" ? "number" : null }, typeof cell === "number" ? shown(cell, digits) : cell)))))));
}
