// One point, and how learners without a hyperplane decide about it.

import { bar, h, legend, linear, mark, path, picture, s, shown, table } from "lab/draw.js";
import { moved, number, select, slider, stepper } from "lab/controls.js";
import { contour, positive } from "lab/contour.js";

export const title = "Neighbours, tree, kernel, densities";
export const docs = [
  ["docs: memory", "docs/memory.md"], ["trees", "docs/tree.md"], ["kernels", "docs/kernel.md"], ["densities", "docs/density.md"],
  ["exercises: iris", "docs/exercises/x11_iris.py"], ["information gain", "docs/exercises/x12_information_gain.py"], ["reference: memory", "reference/memory"],
  ["tree", "reference/tree"], ["kernels", "reference/kernels"], ["densities", "reference/density"],
];
export const defaults = {
  data: "xor", n: 60, variance0: 1, variance1: 1, seed: 0, x: 0.5, y: 1, k: 5, depth: 4, C: 1, gamma: 0.5, density: "parzen", h: 0.6, step: -1,
};

const ASKED = ["data", "n", "variance0", "variance1", "seed", "x", "y", "k", "depth", "C", "gamma", "density", "h"];
const DATA = [["xor", "four clouds, crosswise"], ["clouds", "two clouds"], ["inside", "one cloud inside another"]];
const DENSITIES = [["parzen", "Parzen windows"], ["gaussian", "a normal density a class"]];
const SIZE = 340, MARK = ["●", "▲"];
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const round = (value) => Math.round(100 * value) / 100;

export async function mount(root, context) {
  const { set } = context;
  const other = (name, format) => ({ value: defaults[name], format: format ?? shown, oninput: (value) => set({ [name]: value, step: -1 }) });
  const controls = {
    x: slider({ label: "The point: x", min: -6, max: 6, step: 0.05, ...other("x") }),
    y: slider({ label: "The point: y", min: -6, max: 6, step: 0.05, ...other("y") }),
    k: slider({ label: "Neighbours k", min: 1, max: 50, ...other("k") }),
    depth: slider({ label: "Depth of the tree", min: 1, max: 10, ...other("depth") }),
    gamma: slider({ label: "γ of the kernel", min: 0.01, max: 20, step: 0.01, log: true, ...other("gamma") }),
    C: slider({ label: "C of the machine", min: 0.001, max: 1000, step: 0.01, log: true, ...other("C") }),
    density: select({ label: "Density", options: DENSITIES, value: "parzen", onchange: (density) => set({ density }) }),
    h: slider({ label: "Width of the windows", min: 0.05, max: 5, step: 0.01, log: true, ...other("h") }),
    data: select({ label: "Examples", options: DATA, value: "xor", onchange: (data) => set({ data, step: -1 }) }),
    n: slider({ label: "How many", min: 4, max: 500, step: 0.01, log: true, value: 60, oninput: (n) => set({ n: Math.round(n), step: -1 }) }),
    variance0: slider({ label: "Variance of ●", min: 0.05, max: 8, step: 0.01, log: true, ...other("variance0") }),
    variance1: slider({ label: "Variance of ▲", min: 0.05, max: 8, step: 0.01, log: true, ...other("variance1") }),
    seed: number({ label: "Seed", value: 0, min: 0, max: 9999, step: 1, onchange: (seed) => set({ seed, step: -1 }) }),
  };
  const steps = stepper({ go: (delta) => step(delta), label: "Neighbours, questions and terms, one by one", pause: 700 });
  const lead = h("p", { class: "lead" }), panels = h("div", { class: "panels" });
  const { x, y, k, depth, gamma, C, density, h: width, ...examples } = controls;
  root.append(lead, h("div", { class: "controls" }, x, y, k, depth, gamma, C, density, width), steps, panels,
    legend([[mark(0, 10, 6, 4), "class 0"], [mark(1, 10, 6, 4), "class 1"], [cross(10, 6), "the point that is asked about: click, drag or use the sliders"]]),
    h("h2", {}, "The examples"), h("div", { class: "controls" }, Object.values(examples)));
  let last = 0, at = 0, span = 4;

  function step(delta) {
    set({ step: moved(at, delta, last) });
  }

  function ask(event, svg) {
    const box = svg.getBoundingClientRect();
    set({ x: round(((event.clientX - box.left) / box.width * 2 - 1) * span), y: round((1 - (event.clientY - box.top) / box.height * 2) * span), step: -1 });
  }

  async function update(state) {
    for (const [name, control] of Object.entries(controls)) control.put(state[name]);
    width.hidden = state.density !== "parzen";
    const answer = await context.ask(Object.fromEntries(ASKED.map((name) => [name, state[name]])));
    if (answer.problem) {
      lead.textContent = answer.problem;
      panels.replaceChildren();
      return;
    }
    span = answer.span;
    const { neighbours, tree, kernel } = answer;
    last = Math.max(neighbours.rows.length, tree.steps.length, Math.min(12, kernel.rows.length));
    at = state.step < 0 ? last : Math.min(state.step, last);
    steps.put(at, last);
    context.question("Which class will the neighbours, the tree, the kernel machine and the densities say?");
    lead.replaceChildren(...summary(answer, state));
    const drawing = drawingOf(answer, state, ask);
    panels.replaceChildren(
      nearest(answer, drawing, at), questions(answer, drawing, at), terms(answer, drawing, at, at === last), densities(answer, drawing, state));
  }

  return { step, update };
}

function cross(x, y) {
  return s("path", { d: `M${x - 6} ${y - 6}l12 12m0 -12l-12 12`, class: "line boundary" });
}

function summary(answer, state) {
  const said = [["the neighbours", answer.neighbours], ["the tree", answer.tree], ["the kernel machine", answer.kernel], ["the densities", answer.density]]
    .map(([name, { label }]) => `${name} ${MARK[label]}`).join(", ");
  return [`The point (${shown(state.x)}, ${shown(state.y)}) among ${answer.points.length} examples. `, h("span", { "data-answer": true }, `They say: ${said}.`)];
}

// What all pictures share.
function drawingOf(answer, state, ask) {
  const { span, points, labels, lines } = answer;
  const x = linear([-span, span], [0, SIZE]), y = linear([-span, span], [SIZE, 0]);
  const size = points.length > 150 ? 3 : 4;
  const marks = () => points.map(([a, b], k) => mark(labels[k], x(a), y(b), size));
  return {
    x, y, size, state,
    plot(label, grid, ...more) {
      const svg = picture(SIZE, SIZE, label,
        s("rect", { width: SIZE, height: SIZE, class: "region" }),
        s("g", { "data-answer": true }, s("rect", { width: SIZE, height: SIZE, class: "region c0" }),
          s("path", { d: positive(lines, grid, x, y), class: "region c1", "shape-rendering": "crispEdges" }),
          s("path", { d: contour(lines, grid, 0, x, y), class: "line thin boundary" })),
        marks(), more, cross(x(state.x), y(state.y)));
      svg.classList.add("plane");
      svg.addEventListener("pointerdown", (event) => {
        ask(event, svg);
        const stop = new AbortController(), listen = { signal: stop.signal };
        document.addEventListener("pointermove", (move) => { if (svg.isConnected || move.buttons) ask(move, panelOf(svg)); }, listen);
        for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => stop.abort(), listen);
      });
      svg.dataset.plot = label.split(":")[0];
      return svg;
    },
  };
}

// The picture that has taken the place of one that was drawn before.
function panelOf(svg) {
  return svg.isConnected ? svg : document.querySelector(`svg[data-plot="${svg.dataset.plot}"]`);
}

function verdict(label, text) {
  return h("p", { class: "note", "data-answer": true }, h("strong", {}, `${MARK[label]} `), text);
}

function nearest(answer, { x, y, size, plot, state }, at) {
  const { rows, distances, votes, label, grid } = answer.neighbours, seen = Math.min(at, rows.length);
  const lines = rows.slice(0, seen).map((row) => [x(answer.points[row][0]), y(answer.points[row][1])]);
  const reach = seen ? distances[seen - 1] / (2 * answer.span) * SIZE : 0;
  return h("section", { class: "panel" }, h("h2", {}, `${rows.length} nearest neighbours`),
    plot("Neighbours: the nearest examples of the point", grid,
      s("circle", { cx: x(state.x), cy: y(state.y), r: reach, class: "line thin dashed boundary" }),
      lines.map(([a, b]) => [s("path", { d: path([[x(state.x), y(state.y)], [a, b]]), class: "line thin boundary" }), s("circle", { cx: a, cy: b, r: size + 3, class: "ring" })])),
    verdict(label, `${votes[0]} votes for ●, ${votes[1]} for ▲.`),
    table(["no.", "example", "distance", "votes for"], rows.slice(0, seen).map((row, k) => [String(k + 1), String(row), distances[k], MARK[answer.labels[row]]]), { caption: "Nearest first" }));
}

function questions(answer, { x, y, plot }, at) {
  const { steps, root, label, grid } = answer.tree, seen = steps.slice(0, at), { span } = answer;
  const box = [[-span, span], [-span, span]];
  for (const { feature, threshold, below } of seen) box[feature][below ? 1 : 0] = below ? Math.min(box[feature][1], threshold) : Math.max(box[feature][0], threshold);
  const [[left, right], [low, high]] = box;
  const counts = (pair) => `${shown(pair[0])} ●, ${shown(pair[1])} ▲`;
  return h("section", { class: "panel" }, h("h2", {}, "Decision tree"),
    plot("Tree: the box of examples that share the answers of the point", grid,
      s("rect", { x: x(left), y: y(high), width: x(right) - x(left), height: y(low) - y(high), class: "ring" })),
    verdict(label, steps.length ? `after ${steps.length} questions.` : "without a question."),
    table(["no.", "question", "answer", "left in the box"], [["0", "–", "–", counts(root)], ...seen.map((one, k) =>
      [String(k + 1), `${"xy"[one.feature]} ≤ ${shown(one.threshold)}?`, one.below ? "yes" : "no", counts(one.counts)])], { caption: "From the root down" }));
}

function terms(answer, { x, y, plot }, at, whole) {
  const { rows, coef, values, terms: all, rest, intercept, score, label, grid } = answer.kernel;
  const most = Math.max(...values, 1e-12), seen = Math.min(at, rows.length);
  let sum = intercept;
  const listed = rows.slice(0, seen).map((row, k) => { sum += all[k]; return [String(row), coef[k], values[k], all[k], sum]; });
  const others = all.slice(seen).reduce((total, one) => total + one, rest);
  if (whole && seen < rows.length) listed.push([`${rows.length - seen} more`, "", "", others, sum + others]);
  return h("section", { class: "panel" }, h("h2", {}, "Kernel machine"),
    plot("Kernel: support vectors, larger where the kernel with the point is larger", grid,
      rows.map((row, k) => s("circle", { cx: x(answer.points[row][0]), cy: y(answer.points[row][1]), r: 4 + 9 * Math.sqrt(values[k] / most), class: "ring thin" }))),
    verdict(label, `score ${shown(score, 5)}: the intercept ${shown(intercept, 4)} and ${rows.length} terms yα·K.`),
    table(["support vector", "yα", "K", "yα·K", "sum"], listed, { caption: "Largest terms first", digits: 3 }));
}

function densities(answer, { x, y, plot, state }) {
  const { prior, densities: density, posterior, label, grid, contours } = answer.density;
  const rings = contours.map((values, k) => {
    const most = Math.max(...values);
    return [0.05, 0.2, 0.5, 0.8].map((share) => s("path", { d: contour(answer.lines, values, share * most, x, y), class: `line thin c${k}` }));
  });
  const rows = [0, 1].map((k) => [MARK[k], prior[k], density[k], prior[k] * density[k], posterior[k]]);
  return h("section", { class: "panel" }, h("h2", {}, state.density === "parzen" ? "Parzen densities" : "Normal densities"),
    plot("Densities: contours of the density of each class", grid, rings),
    verdict(label, `p(${MARK[label]} | x) = ${percent(posterior[label])}.`),
    h("div", { "data-answer": true }, [0, 1].map((k) => bar({ name: `p(${MARK[k]} | x)`, share: posterior[k], text: percent(posterior[k]), k })),
      table(["class", "p(k)", "p(x | k)", "product", "p(k | x)"], rows, { caption: "Bayes' rule at the point" })));
}
