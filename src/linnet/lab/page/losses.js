// Losses over the margin, and solvers that race on one objective.

import { axes, bar, h, linear, logarithmic, path, picture, s, shown, superscript, table } from "lab/draw.js";
import { checklist, moved, number, select, slider, stepper } from "lab/controls.js";

export const title = "Losses and solvers";
export const docs = [
  ["docs: optimisers", "docs/optimisers.md"], ["learning rates", "docs/schedules.md"],
  ["exercise: losses", "docs/exercises/x16_binary_classification.py"], ["reference: losses", "reference/losses"], ["newton", "reference/newton"],
  ["L-BFGS", "reference/lbfgs"], ["dual coordinate descent", "reference/dual_coordinate_descent"], ["SGD", "reference/sgd"],
];
export const defaults = {
  margin: 0.5, loss: "logistic", C: 1, n: 40, stretch: 3, seed: 0,
  solvers: ["gradient_descent", "lbfgs", "newton", "dual_cd", "sgd"], step: -1,
};

const ASKED = ["loss", "C", "n", "stretch", "seed", "solvers"];
const LOSSES = {
  zero_one: ["0/1", "1 if m < 0", 6, "dashed"], perceptron: ["perceptron", "max(0, −m)", 4, ""], hinge: ["hinge: SVM", "max(0, 1 − m)", 1, ""],
  squared_hinge: ["squared hinge", "max(0, 1 − m)²", 3, ""], logistic: ["logistic: MaxEnt", "ln(1 + e⁻ᵐ)", 0, ""],
  squared: ["squared", "(1 − m)²", 2, "dashed"], probability: ["probability", "1 − σ(m)", 5, "dashed"],
};
const SOLVERS = {
  gradient_descent: ["gradient descent", 0], conjugate_gradient: ["conjugate gradients", 3], lbfgs: ["L-BFGS", 1], newton: ["Newton", 2],
  dual_cd: ["dual coordinate descent", 4], sgd: ["stochastic gradients", 5], pegasos: ["Pegasos", 7],
};
const GAP = 1e-9;

export async function mount(root, context) {
  const { set } = context;
  const race = (partial) => set({ ...partial, step: -1 });
  const controls = {
    margin: slider({ label: "Margin m = y w·x", min: -3, max: 3, step: 0.05, value: 0.5, format: (value) => shown(value), oninput: (margin) => set({ margin }) }),
    loss: select({ label: "Loss of the race", options: ["logistic", "squared_hinge", "hinge"].map((one) => [one, LOSSES[one][0]]), value: "logistic", onchange: (loss) => race({ loss }) }),
    C: slider({ label: "C", min: 0.001, max: 100, step: 0.01, log: true, value: 1, format: shown, oninput: (C) => race({ C }) }),
    stretch: slider({ label: "Second feature times", min: 0.1, max: 10, step: 0.01, log: true, value: 3, format: shown, oninput: (stretch) => race({ stretch }) }),
    n: slider({ label: "Points", min: 4, max: 500, step: 0.01, log: true, value: 40, oninput: (n) => race({ n: Math.round(n) }) }),
    seed: number({ label: "Seed", value: 0, min: 0, max: 9999, step: 1, onchange: (seed) => race({ seed }) }),
    solvers: checklist({ label: "Solvers", options: Object.entries(SOLVERS).map(([name, [text]]) => [name, text]), value: ["newton"], onchange: (solvers) => race({ solvers }) }),
  };
  const steps = stepper({ go: (delta) => step(delta), label: "Iterations of the solvers", pause: 600 });
  const zoo = h("section", { class: "panel" }), values = h("section", { class: "panel" }), plane = h("section", { class: "panel" }), gaps = h("section", { class: "panel" });
  const lead = h("p", { class: "lead" });
  const { margin, solvers, ...objective } = controls;
  root.append(lead, h("div", { class: "panels" }, zoo, values), h("h2", {}, "Solvers on one objective"),
    h("div", { class: "controls" }, Object.values(objective)), h("div", { class: "controls" }, solvers), steps,
    h("div", { class: "panels" }, plane, gaps));
  let marks = [0], at = 0;

  function step(delta) {
    set({ step: moved(at, delta, marks.length - 1) });
  }

  async function update(state) {
    for (const [name, control] of Object.entries(controls)) control.put(state[name]);
    const answer = await context.ask(Object.fromEntries(ASKED.map((name) => [name, state[name]])));
    marks = [...new Set(answer.paths.flatMap((one) => one.iterations))].sort((a, b) => a - b);
    if (!marks.length) marks = [0];
    at = state.step < 0 ? marks.length - 1 : Math.min(state.step, marks.length - 1);
    steps.put(at, marks.length - 1, `iteration ${marks[at]}`);
    context.question(`After iteration ${marks[at]}: which solver is nearest to the optimum?`);
    lead.replaceChildren(...summary(answer));
    zoo.replaceChildren(h("h2", {}, "Losses over the margin"), curves(answer, state));
    values.replaceChildren(h("h2", {}, "At one margin"), margin, readings(answer, state));
    plane.replaceChildren(h("h2", {}, "Where they are"), contours(answer, marks[at]));
    gaps.replaceChildren(h("h2", {}, "How far from the optimum"), h("div", { class: "standings", "data-answer": true }, chart(answer, marks[at]), standings(answer, marks[at])),
      h("p", { class: "note" }, "An iteration of gradient descent, conjugate gradients, L-BFGS or Newton costs one pass over the data or more; of the others it is one pass."));
  }

  return { step, update };
}

function standing(one, iteration) {
  let k = 0;
  while (k + 1 < one.iterations.length && one.iterations[k + 1] <= iteration) k++;
  return k;
}

function summary(answer) {
  const first = answer.paths.map((one) => {
    const k = one.objective.findIndex((value) => value - answer.best.objective <= 1e-6 * answer.best.objective);
    return [SOLVERS[one.solver][0], k < 0 ? null : one.iterations[k]];
  });
  const said = first.map(([name, count]) => `${name} ${count === null ? "not yet" : count}`).join(", ");
  return ["Every loss but 0/1 gives a gradient to follow. All solvers seek the same least value of ½‖w‖² + C Σ loss. ",
    h("span", { "data-answer": true }, said && `Iterations to come within a millionth of it: ${said}.`)];
}

// The margins of an answer are 20 to the unit, as are those of the slider.
const index = (state) => Math.min(120, Math.max(0, Math.round(20 * state.margin) + 60));

function curves(answer, state) {
  const box = { left: 34, right: 470, top: 16, bottom: 250 };
  const x = linear([-3, 3], [box.left, box.right]), y = linear([0, 4], [box.bottom, box.top]);
  const lines = Object.entries(answer.losses).map(([name, { values }]) => {
    const points = values.map((value, k) => (value <= 4.001 ? [x(answer.margins[k]), y(value)] : null));
    return s("path", { d: path(points), class: `line c${LOSSES[name][2]} ${LOSSES[name][3]}` }, s("title", {}, LOSSES[name][0]));
  });
  return picture(480, 290, "Losses as functions of the margin",
    axes(box, x, y, { xname: "margin m = y w·x", yname: "loss" }),
    s("line", { x1: x(state.margin), x2: x(state.margin), y1: box.top, y2: box.bottom, class: "before" }), lines,
    Object.entries(answer.losses).map(([name, one]) => [name, one.values[index(state)]]).filter(([, value]) => value <= 4).map(([name, value]) =>
      s("circle", { cx: x(state.margin), cy: y(value), r: 4, class: `mark c${LOSSES[name][2]}` })));
}

function readings(answer, state) {
  const key = (name) => s("svg", { viewBox: "0 0 20 10", width: 20, height: 10, "aria-hidden": "true" }, s("path", { d: "M0 5H20", class: `line c${LOSSES[name][2]} ${LOSSES[name][3]}` }));
  const rows = Object.entries(answer.losses).map(([name, { values, slopes }]) =>
    [h("span", {}, key(name), ` ${LOSSES[name][0]}`), LOSSES[name][1], values[index(state)], slopes[index(state)]]);
  return table(["loss", "of m", `at m = ${shown(state.margin)}`, "slope"], rows, { caption: "Value and slope where the line is" });
}

function contours(answer, iteration) {
  const [xs, ys] = answer.lines, size = 420, pad = 36, n = xs.length;
  const box = { left: pad, right: size - 6, top: 18, bottom: size - pad };
  const x = linear([xs[0], xs.at(-1)], [box.left, box.right]), y = linear([ys[0], ys.at(-1)], [box.bottom, box.top]);
  const least = answer.best.objective, most = Math.max(...answer.objective) - least;
  const levels = Array.from({ length: 9 }, (_, k) => least + most * ((k + 1) / 10) ** 3);
  const rings = levels.map((level) => s("path", { d: levelLine(xs, ys, answer.objective, n, level, x, y), class: "line thin level" }));
  const runs = answer.paths.map((one) => {
    const k = standing(one, iteration), name = SOLVERS[one.solver][1];
    const points = one.weights.slice(0, k + 1).map(([a, b]) => [clamp(x(a), box.left, box.right), clamp(y(b), box.top, box.bottom)]);
    return [s("path", { d: path(points), class: `line c${name}` }),
      points.map(([a, b], j) => s("circle", { cx: a, cy: b, r: j === k ? 5 : 2.5, class: `mark c${name}` }, s("title", {}, `${SOLVERS[one.solver][0]}, iteration ${one.iterations[j]}`)))];
  });
  const [bx, by] = answer.best.weights;
  return picture(size, size, `The objective over w, its least value ${shown(least, 6)} at ${shown(bx)}, ${shown(by)}, and the paths of the solvers up to iteration ${iteration}`,
    axes(box, x, y, { xname: "w₁", yname: "w₂" }), rings, s("g", { "data-answer": true }, runs),
    s("path", { d: `M${x(bx) - 7} ${y(by)}h14M${x(bx)} ${y(by) - 7}v14`, class: "line boundary" }, s("title", {}, "the optimum")));
}

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

function levelLine(xs, ys, values, n, level, x, y) {
  const points = [];
  const cross = ([x0, y0, v0], [x1, y1, v1]) => { const share = (level - v0) / (v1 - v0); return [x(x0 + share * (x1 - x0)), y(y0 + share * (y1 - y0))]; };
  for (let r = 0; r + 1 < n; r++) for (let c = 0; c + 1 < n; c++) {
    const around = [[r, c], [r, c + 1], [r + 1, c + 1], [r + 1, c]].map(([i, j]) => [xs[j], ys[i], values[i * n + j]]), cut = [];
    around.forEach((one, k) => { const other = around[(k + 1) % 4]; if (one[2] > level !== other[2] > level) cut.push(cross(one, other)); });
    for (let k = 0; k + 1 < cut.length; k += 2) points.push(cut[k], cut[k + 1], null);
  }
  return path(points);
}

function relative(answer, one) {
  return one.objective.map((value) => Math.max(GAP, (value - answer.best.objective) / answer.best.objective));
}

function chart(answer, iteration) {
  const box = { left: 44, right: 470, top: 18, bottom: 240 };
  const last = Math.max(2, ...answer.paths.flatMap((one) => one.iterations));
  const x = logarithmic([0.8, last], [box.left, box.right]), y = logarithmic([GAP, 10], [box.bottom, box.top]);
  const counts = [1, 2, 5, 10, 20, 50, 100, 200, 500].filter((one) => one <= last);
  const powers = [-9, -7, -5, -3, -1].map((power) => 10 ** power);
  return picture(480, 280, "How far each solver is from the least value, by iterations",
    axes(box, x, y, { xname: "iterations", yname: "objective above its least value, as a share of it", xticks: counts, yticks: powers,
      format: (value) => (value >= 1 ? String(value) : `10${superscript(Math.round(Math.log10(value)))}`) }),
    answer.paths.map((one) => {
      const gap = relative(answer, one), k = standing(one, iteration), tone = SOLVERS[one.solver][1];
      const points = one.iterations.map((count, j) => [x(Math.max(0.8, count)), y(gap[j])]);
      return [s("path", { d: path(points), class: `line thin c${tone}` }, s("title", {}, SOLVERS[one.solver][0])), s("circle", { cx: points[k][0], cy: points[k][1], r: 5, class: `mark c${tone}` })];
    }));
}

function standings(answer, iteration) {
  return answer.paths.map((one) => {
    const k = standing(one, iteration), gap = relative(answer, one)[k];
    return bar({ name: SOLVERS[one.solver][0], share: (Math.log10(gap) + 9) / 10, text: gap <= GAP ? "≤ 10⁻⁹" : shown(gap), k: SOLVERS[one.solver][1] });
  });
}
