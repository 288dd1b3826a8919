// One sentence's trellis for HMM, MEMM and CRF side by side.

import { h, shown, table } from "lab/draw.js";
import { button, checkbox, checklist, moved, number, select, stepper, textbox } from "lab/controls.js";
import { NAMES, lattice } from "lab/lattice_numbers.js";
import { lastStep, spelled, trellis } from "lab/lattice_picture.js";
import { formula } from "lab/lattice_formula.js";
import { tables } from "lab/lattice_edit.js";

export const title = "Lattice";
export const docs = [
  ["docs: HMM", "docs/hmm.md"], ["MEMM", "docs/memm.md"], ["CRF", "docs/crf.md"], ["label bias", "docs/label_bias.md"],
  ["reference: forward and backward", "reference/forward_backward"],
  ["Viterbi", "reference/viterbi"],
  ["beam search", "reference/beam_search"],
  ["HMM", "reference/hmm"],
  ["MEMM", "reference/memm"],
  ["CRF", "reference/crf"],
];
export const defaults = {
  example: "fish", sentence: null, corpus: "", C: 10, alpha: 0.01, models: ["hmm", "memm", "crf"], constraints: false,
  forbidden: [], edits: [], beam: 2, n_best: 5, tokens: 40, tags: 49, seed: 0,
  show: "viterbi", numbers: "probability", step: null, cell: null,
};
const ASKED = ["example", "sentence", "corpus", "C", "alpha", "models", "constraints", "forbidden", "edits", "beam", "n_best", "tokens", "tags", "seed"];
const SHOWN = [
  ["viterbi", "Viterbi: the best way to a cell"], ["alpha", "forward α: all ways to a cell"], ["beta", "backward β: all ways on from it"],
  ["marginal", "marginal: probability of the cell"], ["beam", "beam: the beginnings kept"], ["emission", "emissions and transitions"],
];
const QUESTIONS = {
  viterbi: "Which labels does each model give the sentence, and from where does the best way to each cell come?",
  alpha: "In which cell of the last column does most of the mass arrive?", beta: "Which cell of the first column has most of the mass before it?",
  marginal: "Which label is most probable at each word? Is that the best path, too?", beam: "Does the beam keep the best path to the end?",
  emission: "From the emissions and transitions alone: which path will win?",
};
const RESET = { sentence: null, forbidden: [], edits: [], cell: null, step: null };

const LONG = 12; // tokens: longer paths are told by what they change

// Where a labelling differs from the best one.
function changes(one, labels) {
  const parts = labels.flatMap((j, t) => (j === one.best.labels[t] ? [] : [`${one.words[t]}: ${one.labels[j]}`]));
  return parts.join(", ");
}

export async function mount(root, context) {
  const { set } = context;
  const put = (name) => (value) => set({ [name]: value });
  const only = (read) => (value) => { if (read(value)) set(read(value)); };
  const state = context.state;
  const examples = h("div", {}), lead = h("p", { class: "lead" }), rule = h("div", {}), more = h("div", { class: "controls" });
  const controls = {
    sentence: textbox({ label: "Sentence", value: "", onchange: only((text) => text.trim() && { sentence: text, step: null, cell: null }) }),
    show: select({ label: "In the cells", options: SHOWN, value: state.show, onchange: (show) => set({ show, step: null }) }),
    numbers: select({ label: "Numbers", options: [["probability", "as they multiply"], ["log", "as logarithms"]], value: state.numbers, onchange: put("numbers") }),
    beam: number({ label: "Beam", value: state.beam, min: 1, max: 50, step: 1, onchange: put("beam") }),
    n_best: number({ label: "Best paths listed", value: state.n_best, min: 1, max: 50, step: 1, onchange: put("n_best") }),
    models: checklist({ label: "Models", options: Object.entries(NAMES), value: state.models, onchange: (models) => set({ models: Object.keys(NAMES).filter((one) => models.includes(one)) }) }),
  };
  const extra = {
    own: [
      textbox({ label: "Tagged sentences, one a line: word/tag", rows: 5, value: state.corpus, onchange: only((corpus) => corpus.trim() && { corpus, sentence: null, cell: null, step: null, edits: [] }) }),
      number({ label: "α of the HMM", value: state.alpha, min: 0, max: 100, onchange: put("alpha") }),
      number({ label: "C of MEMM and CRF", value: state.C, min: 0.001, max: 10000, onchange: put("C") }),
    ],
    random: ["tokens", "tags", "seed"].map((name) =>
      number({ label: name, value: state[name], min: { tokens: 1, tags: 2, seed: 0 }[name], max: { tokens: 100, tags: 60, seed: 1e6 }[name], step: 1, onchange: (value) => set({ [name]: value, ...RESET }) })),
  };
  const steps = stepper({ go: (delta) => step(delta), label: "Step of the recursion" });
  const panels = h("div", { class: "panels lattices" });
  const looked = h("section", { class: "panel", "aria-live": "polite" });
  root.append(
    h("div", { class: "controls" }, examples, controls.sentence, controls.show, controls.numbers, controls.beam, controls.n_best, controls.models, rule),
    more, lead, steps, panels, looked);
  controls.sentence.classList.add("wide");
  let last = 0, at = 0, models = [], example = null, drawnLast = "";
  const pictures = new Map();

  function step(delta) { set({ step: moved(at, delta, last) }); }

  function edit(model) {
    return (part, from, to, value, before) => {
      const one = before === undefined ? [model, part, from, to, value] : [model, part, from, to, value, before];
      const key = (entry) => JSON.stringify([entry[0], entry[1], entry[2], entry[3], entry[5]]);
      set({ edits: [...context.state.edits.filter((entry) => key(entry) !== key(one)), one] });
    };
  }

  async function update(state) {
    const asked = Object.fromEntries(ASKED.map((name) => [name, state[name]]));
    const answer = await context.ask(asked);
    models = answer.lattices.map((one) => lattice(answer, one));
    last = lastStep(models[0], state.show);
    at = state.step === null ? last : Math.min(state.step, last);
    showControls(state, answer);
    const cell = cellOf(state, answer);
    const seen = { show: state.show, numbers: state.numbers, step: at };
    const looks = models.map((one) => (cell ? formula(one, seen, cell.place) : null));
    const drawn = JSON.stringify([seen, asked]), again = focused();
    if (drawn !== drawnLast) draw(seen);
    drawnLast = drawn;
    models.forEach((one, k) => pictures.get(one.model).mark(cell ? cell.place : null, looks[k]?.sources ?? []));
    again?.()?.focus();
    looked.replaceChildren(...inspector(models, cell, looks, answer));
    context.question(QUESTIONS[state.show]);
  }

  function draw(seen) {
    const open = new Set([...panels.querySelectorAll("details[open]")].map((one) => one.dataset.model));
    panels.replaceChildren(...models.map((one) => panel(one, seen, open.has(one.model))));
  }

  // What had the focus in the panels, to be found again when they are drawn anew.
  function focused() {
    const node = document.activeElement, model = node?.closest?.(".lattices [data-model]")?.dataset.model;
    if (!model) return null;
    const name = node.getAttribute("aria-label");
    if (node.matches("[data-cell]")) return () => panels.querySelector(`[data-model="${model}"] [data-cell][tabindex="0"]`);
    return () => [...panels.querySelectorAll("input, summary")].find((one) => one !== node && one.getAttribute("aria-label") === name && one.closest("[data-model]").dataset.model === model);
  }

  function showControls(state, answer) {
    if (example !== answer.example) {
      examples.replaceChildren(select({
        label: "Example", options: answer.examples.map(({ name, title }) => [name, title]), value: answer.example,
        onchange: (name) => set({ ...RESET, example: name, constraints: false }),
      }));
      more.replaceChildren(...(extra[answer.example] ?? []));
      example = answer.example;
    }
    if (document.activeElement?.closest(".control") !== controls.sentence) controls.sentence.put(answer.sentence);
    for (const name of ["show", "numbers", "beam", "n_best", "models"]) controls[name].put(state[name]);
    if (answer.example === "own" && !state.corpus) extra.own[0].put(answer.corpus);
    lead.textContent = answer.note;
    rule.replaceChildren(
      answer.constraint ? checkbox({ label: `Constraints: ${answer.constraint}`, value: state.constraints, onchange: put("constraints") }) : "",
      state.edits.length || state.forbidden.length ? button({ label: "Undo all edits", onclick: () => set({ edits: [], forbidden: [] }) }) : "");
    steps.hidden = last === 0;
    steps.put(at, last, said(state, answer));
  }

  function said(state, answer) {
    const n = answer.words.length;
    if (state.show === "viterbi" && at > n) return `traced back to “${answer.words[2 * n - at]}”`;
    if (at === 0) return "before the first token";
    return `token ${state.show === "beta" ? n - at + 1 : at} of ${n}: “${answer.words[state.show === "beta" ? n - at : at - 1]}”`;
  }

  function cellOf(state, answer) {
    if (state.cell === null) return null;
    const [model, t, j] = state.cell;
    return t < answer.words.length && j < answer.labels.length ? { model, place: [t, j] } : null;
  }

  function panel(one, seen, isOpen) {
    const picture = trellis(one, seen);
    pictures.set(one.model, picture);
    picture.addEventListener("click", (event) => pick(event.target.closest("[data-cell]")));
    picture.addEventListener("keydown", (event) => arrow(event));
    const names = (labels) => labels.map((label) => one.labels[label]).join(" ");
    const rows = one.n_best.map(({ labels, score, probability }, rank) => [
      one.n <= LONG ? names(labels) : rank === 0 ? "the path in the picture" : changes(one, labels), spelled(score, seen.numbers), shown(probability, 4),
    ]);
    const edits = h("details", { open: isOpen, dataset: { model: one.model } }, h("summary", {}, `Edit the numbers of the ${one.name}`),
      tables(one, edit(one.model)));
    return h("section", { class: "panel", dataset: { model: one.model } },
      h("h2", {}, one.name, one.per_state ? " with a model for each label" : ""),
      h("div", { class: "scroll", tabindex: one.n > 3 ? 0 : null, role: one.n > 3 ? "group" : null, "aria-label": one.n > 3 ? `${one.name}, to scroll` : null }, picture),
      h("div", { dataset: { answer: "" } },
        h("p", { class: "result" }, ...result(one, seen, names)),
        rows.length ? table(["labels", seen.numbers === "log" ? "score" : one.model === "crf" ? "e^score" : "product", "P(labels | words)"], rows, { caption: rows.length === 1 ? "The best path" : `The ${rows.length} best paths` }) : null),
      edits);

    function pick(node) { if (node) go(...node.dataset.cell.split(",").map(Number)); }
    function go(t, j) { set({ cell: [one.model, t, j] }); }
    function arrow(event) {
      const node = event.target.closest("[data-cell]");
      if (!node) return;
      const [t, j] = node.dataset.cell.split(",").map(Number);
      const to = { ArrowLeft: [t - 1, j], ArrowRight: [t + 1, j], ArrowUp: [t, j - 1], ArrowDown: [t, j + 1], Enter: [t, j], " ": [t, j] }[event.key];
      if (!to) return;
      event.preventDefault();
      if (to[0] >= 0 && to[0] < one.n && to[1] >= 0 && to[1] < one.L) go(...to);
    }
  }

  function result(one, seen, names) {
    if (!one.best) return ["No labelling of this sentence is possible: every one has a factor 0."];
    const whole = { hmm: "P(words)", memm: "Z", crf: "Z" }[one.model];
    const parts = [h("strong", {}, one.n <= LONG ? names(one.best.labels) : "The best path"), ` has probability ${shown(one.best.probability, 4)}; ${seen.numbers === "log" ? `ln ${whole}` : whole} = ${spelled(one.log_z, seen.numbers)}.`];
    if (one.beam_best && names(one.beam_best.labels) !== names(one.best.labels)) {
      parts.push(` The beam ends with ${one.n <= LONG ? names(one.beam_best.labels) : "another"} instead, of probability ${shown(one.beam_best.probability, 4)}.`);
    }
    return parts;
  }

  function inspector(models, cell, looks, answer) {
    if (!cell) return [h("p", { class: "note" }, "Click a cell, or go to it with Tab and the arrow keys: its formula appears here with the numbers filled in, and the cells that it is made of light up.")];
    const [t, j] = cell.place;
    const before = ["", ...answer.labels].filter((label) => (label === "") === (t === 0));
    const bars = h("fieldset", { class: "checklist control" },
      h("legend", {}, `Forbid ${answer.labels[j]} after`),
      before.map((label) => checkbox({
        label: label || "the start", value: answer.forbidden.some(([a, b]) => a === label && b === answer.labels[j]),
        onchange: (on) => set({ forbidden: [...context.state.forbidden.filter(([a, b]) => a !== label || b !== answer.labels[j]), ...(on ? [[label, answer.labels[j]]] : [])] }),
      })));
    return [
      h("h2", {}, `“${answer.words[t]}” as ${answer.labels[j]}`),
      h("div", { class: "panels" }, models.map((one, k) => h("div", { class: "look" }, h("h3", {}, one.name), looks[k].element))),
      answer.labels.length <= 12 ? bars : null,
    ].filter(Boolean);
  }

  return { step, update };
}
