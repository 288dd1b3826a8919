// The plane: points, learners that divide them, and their steps.

import { bar, h, legend, linear, mark, path, picture, s, shown, ticks } from "lab/draw.js";
import { button, checklist, moved, number, select, slider, stepper } from "lab/controls.js";
import { contour, cutLine, halfPlane, positive } from "lab/contour.js";

export const title = "Learners in the plane";
export const docs = [
  ["docs: perceptron", "docs/perceptron.md"], ["MIRA", "docs/mira.md"], ["maximum entropy", "docs/maxent.md"],
  ["SVM", "docs/svm.md"], ["plots", "docs/plots.md"], ["Exercise 1.8", "docs/exercises/x08_comparison.py"],
  ["reference: perceptron", "reference/perceptron"], ["MIRA", "reference/mira"],
  ["MaxEnt", "reference/maxent"], ["SVM", "reference/svm"],
];
export const defaults = {
  data: "clouds", n: 100, variance0: 1, variance1: 1, balance: 0.5, seed: 0, moved: [], added: [],
  learners: ["perceptron", "svm"], C: 1, rate: 1, k: 5, gamma: 0.5, depth: 4, step: -1, pen: "move",
};

const ASKED = ["data", "n", "variance0", "variance1", "balance", "seed", "moved", "added", "learners", "C", "rate", "k", "gamma", "depth"];
const NAMES = [
  ["perceptron", "perceptron"], ["mira", "MIRA"], ["maxent", "maximum entropy"], ["maxent_sgd", "MaxEnt, online"],
  ["svm", "SVM"], ["naive_bayes", "Gaussian naive Bayes"], ["neighbours", "nearest neighbours"], ["tree", "decision tree"],
  ["kernel_svm", "kernel SVM"],
];
const DATA = [["clouds", "two clouds"], ["inside", "one cloud inside another"], ["xor", "four clouds, crosswise"], ["none", "nothing: draw them"]];
const PENS = [["move", "drag moves a point"], ["add0", "click adds a ●"], ["add1", "click adds a ▲"]];
const NEEDS = {
  C: ["mira", "maxent", "maxent_sgd", "svm", "kernel_svm"], rate: ["perceptron", "maxent_sgd"], k: ["neighbours"],
  gamma: ["kernel_svm"], depth: ["tree"],
};
const LOSS = { perceptron: "Σ max(0, −m)", hinge: "Σ max(0, 1 − m)", logistic: "Σ ln(1 + e⁻ᵐ)" };
const SIZE = 360, HIT = 14, MOST_MOVED = 300;
const percent = (share) => (share === null ? "–" : `${(100 * share).toFixed(1)} %`);
const round = (value) => Math.round(100 * value) / 100;

export async function mount(root, context) {
  const { set } = context;
  const redraw = (partial) => set({ ...partial, moved: [], step: -1 });
  const controls = {
    data: select({ label: "Points", options: DATA, value: "clouds", onchange: (data) => redraw({ data }) }),
    n: slider({ label: "How many", min: 4, max: 2000, step: 0.01, log: true, value: 100, oninput: (n) => redraw({ n: Math.round(n) }) }),
    variance0: slider({ label: "Variance of ●", min: 0.05, max: 8, step: 0.01, log: true, value: 1, format: shown, oninput: (variance0) => redraw({ variance0 }) }),
    variance1: slider({ label: "Variance of ▲", min: 0.05, max: 8, step: 0.01, log: true, value: 1, format: shown, oninput: (variance1) => redraw({ variance1 }) }),
    balance: slider({ label: "Share of ●", min: 0.03, max: 0.97, step: 0.01, value: 0.5, format: percent, oninput: (balance) => redraw({ balance }) }),
    seed: number({ label: "Seed", value: 0, min: 0, max: 9999, step: 1, onchange: (seed) => redraw({ seed }) }),
    learners: checklist({ label: "Learners, one to four side by side", options: NAMES, value: ["perceptron"], most: 4, onchange: (learners) => set({ learners, step: -1 }) }),
    C: slider({ label: "C", min: 0.001, max: 1000, step: 0.01, log: true, value: 1, format: shown, oninput: (C) => set({ C, step: -1 }) }),
    rate: slider({ label: "Learning rate", min: 0.001, max: 100, step: 0.01, log: true, value: 1, format: shown, oninput: (rate) => set({ rate, step: -1 }) }),
    k: slider({ label: "Neighbours k", min: 1, max: 50, value: 5, oninput: (k) => set({ k }) }),
    gamma: slider({ label: "γ of the kernel", min: 0.01, max: 20, step: 0.01, log: true, value: 0.5, format: shown, oninput: (gamma) => set({ gamma }) }),
    depth: slider({ label: "Depth", min: 1, max: 10, value: 4, oninput: (depth) => set({ depth, step: -1 }) }),
    pen: select({ label: "On the picture", options: PENS, value: "move", onchange: (pen) => set({ pen }) }),
  };
  const point = pointEditor((index, x, y) => movePoint(index, x, y));
  const steps = stepper({ go: (delta) => step(delta), label: "Steps of the learners", pause: 250 });
  const lead = h("p", { class: "lead", "aria-live": "polite" });
  const panels = h("div", { class: "panels" });
  const { data, n, variance0, variance1, balance, seed, learners, C, rate, k, gamma, depth, pen } = controls;
  root.append(lead, h("div", { class: "controls" }, learners), h("div", { class: "controls" }, C, rate, k, gamma, depth),
    steps, panels, legendOf(),
    h("h2", {}, "The points"), h("div", { class: "controls" }, data, n, variance0, variance1, balance, seed, pen, point,
      button({ label: "Undo all drawing", onclick: () => set({ moved: [], added: [], step: -1 }) })));

  let answer = null, last = 0, at = 0;

  function step(delta) {
    set({ step: moved(at, delta, last) });
  }

  function movePoint(index, x, y) {
    const others = context.state.moved.filter(([other]) => other !== index).slice(1 - MOST_MOVED);
    set({ moved: [...others, [index, round(x), round(y)]] });
  }

  function pointer(event, svg) {
    const box = svg.getBoundingClientRect(), { span } = answer;
    return [((event.clientX - box.left) / box.width * 2 - 1) * span, (1 - (event.clientY - box.top) / box.height * 2) * span];
  }

  function grab(event, svg) {
    const [x, y] = pointer(event, svg), { pen: how, added } = context.state;
    if (how !== "move") {
      set({ added: [...added, [round(x), round(y), how === "add1" ? 1 : 0]], step: -1 });
      return;
    }
    const near = nearest(answer, x, y);
    if (near === null) return;
    event.preventDefault();
    point.choose(near);
    const stop = new AbortController(), listen = { signal: stop.signal };
    document.addEventListener("pointermove", (move) => movePoint(near, ...pointer(move, svg)), listen);
    for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => stop.abort(), listen);
  }

  async function update(state) {
    for (const [name, control] of Object.entries(controls)) {
      control.put(state[name]);
      if (name in NEEDS) control.hidden = !NEEDS[name].some((one) => state.learners.includes(one));
    }
    answer = await context.ask(Object.fromEntries(ASKED.map((name) => [name, state[name]])));
    last = Math.max(...answer.learners.map((one) => (one.text ? one.text.length - 1 : 0)));
    at = state.step < 0 ? last : Math.min(state.step, last);
    steps.put(at, last);
    lead.replaceChildren(...summary(answer));
    point.put(answer.points);
    context.question(question(answer, at));
    const shapes = shapesOf(answer);
    panels.replaceChildren(...answer.learners.map((one) => panel(one, answer, shapes, at, grab)));
  }

  return { step, update };
}

// A point by its number, and its place: what dragging does, by keyboard.
function pointEditor(move) {
  let index = 0, places = [];
  const place = [0, 1].map((k) => number({ label: "xy"[k], value: 0, onchange: (value) => {
    if (places[index]) move(index, ...places[index].with(k, value));
  } }));
  const which = number({ label: "Point no.", value: 0, min: 0, step: 1, onchange: (k) => show(k) });
  const element = h("div", { class: "controls point" }, which, place);
  function show(k) {
    index = k;
    which.put(k);
    places[k]?.forEach((value, axis) => place[axis].put(round(value)));
  }
  element.choose = show;
  element.put = (points) => {
    places = points.map(([x, y]) => [x, y]);
    which.querySelector("input").max = Math.max(0, points.length - 1);
    show(Math.min(index, Math.max(0, points.length - 1)));
  };
  return element;
}

function nearest({ points, span }, x, y) {
  let best = null, least = (HIT / SIZE * 2 * span) ** 2;
  points.forEach(([a, b], k) => {
    const distance = (a - x) ** 2 + (b - y) ** 2;
    if (distance < least) [best, least] = [k, distance];
  });
  return best;
}

function summary(answer) {
  const counts = [0, 1].map((k) => answer.labels.filter((one) => one === k).length);
  const best = answer.best === null ? "" : ` The best any classifier can do on fresh points of these clouds is about ${percent(answer.best)}, along the dashed line.`;
  const said = answer.learners.filter((one) => one.text).map((one) =>
    `${one.title}: ${percent(one.accuracy.at(-1))} of these${one.test ? `, ${percent(one.test.at(-1))} of fresh ones` : ""}`);
  const right = said.length ? `At the end, right: ${said.join("; ")}.` : "";
  return [`${counts[0]} ● and ${counts[1]} ▲. `, h("span", { "data-answer": true }, right), best];
}

function question(answer, at) {
  const one = answer.learners.find((learner) => learner.text && learner.example[at + 1 < learner.text.length ? at + 1 : at] !== null);
  if (!one || one.example[Math.min(at, one.text.length - 1)] === null) return "Where will the boundary lie, and how many points will be right?";
  const example = one.example[Math.min(at, one.text.length - 1)];
  return `${one.title} has looked at point ${example} (ringed, ${answer.labels[example] ? "▲" : "●"}). Has the boundary moved, and which way?`;
}

// What all panels of all steps share: scales, the points as one path a class, the best boundary.
const drawn = new WeakMap();

function shapesOf(answer) {
  if (!drawn.has(answer)) drawn.set(answer, newShapes(answer));
  return drawn.get(answer);
}

function newShapes(answer) {
  const { span, points, labels } = answer;
  const x = linear([-span, span], [0, SIZE]), y = linear([-span, span], [SIZE, 0]);
  const size = points.length > 500 ? 2 : points.length > 150 ? 3 : 4;
  const marks = [0, 1].map((k) => points.filter((_, i) => labels[i] === k).map(([a, b]) => {
    const [u, v] = [x(a), y(b)];
    return k === 0 ? `M${u - size} ${v}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0`
      : `M${u} ${v - 1.25 * size}l${1.15 * size} ${2.05 * size}h${-2.3 * size}Z`;
  }).join(""));
  const truth = answer.truth ? contour(answer.lines, answer.truth, 0, x, y) : null;
  return { x, y, size, marks, truth };
}

function panel(one, answer, shapes, at, grab) {
  if (one.problem) return h("section", { class: "panel" }, h("h2", {}, nameOf(one.name)), h("p", { class: "note" }, one.problem), plot(null, answer, shapes, 0, grab));
  const now = Math.min(at, one.text.length - 1);
  return h("section", { class: "panel", dataset: { learner: one.name } },
    h("h2", {}, one.title),
    plot(one, answer, shapes, now, grab),
    h("p", { class: "note" }, h("strong", {}, `Step ${now} of ${one.text.length - 1}: `), h("span", { "data-answer": true }, one.text[now])),
    h("div", { "data-answer": true }, bars(one, answer, now), weights(one, now)),
    h("p", { class: "note" }, one.note));
}

const nameOf = (name) => NAMES.find(([one]) => one === name)[1];

function plot(one, answer, shapes, now, grab) {
  const { x, y, marks, truth } = shapes, { span } = answer;
  const label = one ? `${answer.points.length} points; ${one.title}, ${one.text[now]}` : "the points";
  const svg = picture(SIZE, SIZE, label,
    s("rect", { width: SIZE, height: SIZE, class: "region" }),
    one && s("g", { "data-answer": true }, s("rect", { width: SIZE, height: SIZE, class: "region c0" }), region(one, answer, shapes, now)),
    ticks([-span, span], 6).map((value) => [
      s("line", { x1: x(value), x2: x(value), y1: 0, y2: SIZE, class: "grid" }),
      s("line", { x1: 0, x2: SIZE, y1: y(value), y2: y(value), class: "grid" }),
      s("text", { x: x(value) + 2, y: SIZE - 3, class: "tick" }, shown(value)),
    ]),
    truth && s("path", { d: truth, class: "line thin dashed c7" }),
    marks.map((d, k) => s("path", { d, class: `mark c${k}` })),
    one && looked(one, answer, shapes, now),
    one && s("g", { "data-answer": true }, boundary(one, answer, shapes, now)));
  svg.classList.add("plane");
  svg.addEventListener("pointerdown", (event) => grab(event, svg));
  return svg;
}

function region(one, { span, lines }, { x, y }, now) {
  const d = one.weights
    ? halfPlane(one.weights[now], span).map(([a, b]) => [x(a), y(b)])
    : positive(lines, one.grids[now], x, y);
  if (typeof d === "string") return s("path", { d, class: "region c1", "shape-rendering": "crispEdges" });
  return d.length ? s("path", { d: `${path(d)}Z`, class: "region c1" }) : [];
}

function boundary(one, { span, lines }, { x, y }, now) {
  const straight = (weights, level, kind) => {
    const cut = cutLine(weights, span, level);
    return cut && s("path", { d: path(cut.map(([a, b]) => [x(a), y(b)])), class: kind });
  };
  const curved = (level, kind) => s("path", { d: contour(lines, one.grids[now], level, x, y), class: kind });
  const margins = one.support ? [1, -1] : [];
  if (!one.weights) return [curved(0, "line boundary"), margins.map((level) => curved(level, "line thin dotted boundary"))];
  return [straight(one.weights[now], 0, "line boundary"),
    margins.map((level) => straight(one.weights[now], level, "line thin dotted boundary"))];
}

// The example looked at, the support vectors, the boundary before the step.
function looked(one, answer, shapes, now) {
  const { x, y, size } = shapes, { points, span } = answer, parts = [];
  for (const k of one.support?.[now] ?? []) parts.push(s("circle", { cx: x(points[k][0]), cy: y(points[k][1]), r: size + 2.5, class: "ring thin" }));
  const example = one.example[now];
  if (example === null) return s("g", { "data-answer": true }, parts);
  const [a, b] = points[example];
  const before = cutLine(one.weights[now - 1], span);
  return [
    before && s("path", { d: path(before.map(([u, v]) => [x(u), y(v)])), class: "line before" }),
    s("circle", { cx: x(a), cy: y(b), r: size + 5, class: "ring" }),
  ];
}

function bars(one, answer, now) {
  const rows = [{ name: "right, here", share: one.accuracy[now], text: percent(one.accuracy[now]), k: 2 }];
  if (one.test) rows.push({ name: "right, fresh", share: one.test[now], text: percent(one.test[now]), k: 2 });
  if (one.objective?.length) {
    const most = Math.max(...one.objective) || 1;
    rows.push({ name: "objective", share: one.objective[now] / most, text: shown(one.objective[now], 5), k: 5 });
  }
  const gap = one.gap[now];
  if (gap !== null) {
    const share = gap <= 0 ? 0 : (Math.log10(gap) + 8) / 14;
    rows.push({ name: "certified gap", share, text: gap <= 0 ? "0" : `≤ ${shown(gap)}`, k: 3 });
  }
  return rows.map(bar);
}

function weights(one, now) {
  if (!one.weights) return [];
  const w = one.weights[now], before = now > 0 ? one.weights[now - 1] : w;
  const change = w.map((value, k) => value - before[k]);
  const vector = (values) => `(${values.map((value) => shown(value, 4)).join(", ")})`;
  const moved = change.some((value) => value !== 0) ? ` change ${vector(change)}` : "";
  const score = one.score[now] === null ? "" : ` The score was ${shown(one.score[now], 4)}.`;
  const sum = `${one.penalty ? "½‖w‖² + C " : ""}${LOSS[one.loss]}`;
  return h("p", { class: "note formula" }, `w₁, w₂, b = ${vector(w)};${moved || " no change"}.${score} Objective: ${sum} with m = ±(w·x + b).`);
}

function legendOf() {
  const line = (kind) => s("path", { d: "M0 6H20", class: kind });
  return legend([
    [mark(0, 10, 6, 4), "class 0"], [mark(1, 10, 6, 4), "class 1"],
    [line("line boundary"), "boundary"], [line("line thin dotted boundary"), "margin: score ±1"],
    [line("line before"), "boundary before the step"], [line("line thin dashed c7"), "the best boundary there is"],
    [s("circle", { cx: 10, cy: 6, r: 5, class: "ring" }), "looked at, or support vector"],
  ]);
}
