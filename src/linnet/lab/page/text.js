// A tiny corpus learned word by word, and one text decided by the sum of its words.

import { bar, h, linear, s, shown, table, ticks } from "lab/draw.js";
import { button, moved, number, select, stepper, textbox } from "lab/controls.js";

export const title = "Text";
export const docs = [
  ["docs: naive Bayes", "docs/naive_bayes.md"], ["perceptron", "docs/perceptron.md"], ["MIRA", "docs/mira.md"], ["maximum entropy", "docs/maxent.md"],
  ["exercises: naive Bayes", "docs/exercises/x02_multinomial_naive_bayes.py"], ["perceptron", "docs/exercises/x04_perceptron.py"], ["MIRA", "docs/exercises/x05_mira.py"],
  ["maximum entropy", "docs/exercises/x06_maximum_entropy.py"],
  ["reference: naive Bayes", "reference/naive_bayes"],
  ["perceptron", "reference/perceptron"],
  ["MIRA", "reference/mira"],
  ["stochastic gradient", "reference/sgd"],
];
export const defaults = { corpus: "kyoto", texts: "", learner: null, text: null, rounds: 1, alpha: 1, C: 1, rate: 1, step: null };
const ASKED = ["corpus", "texts", "learner", "text", "rounds", "alpha", "C", "rate"];
const ONLINE = ["perceptron", "mira", "slide", "log"];

export async function mount(root, context) {
  const { set } = context;
  const put = (name) => (value) => set({ [name]: value, step: null });
  const state = context.state;
  const chosen = h("div", { class: "controls" }), lead = h("p", { class: "lead" });
  const text = textbox({ label: "Text to decide: change a word and watch", value: "", onchange: (value) => set({ text: value }) });
  const lines = textbox({ label: "Your texts, one a line: label: text", rows: 4, value: state.texts, onchange: (texts) => { if (texts.trim()) set({ texts, text: null, step: null }); } });
  const rounds = number({ label: "Rounds", value: state.rounds, min: 1, max: 100, step: 1, onchange: put("rounds") });
  const alpha = number({ label: "α added to every count", value: state.alpha, min: 0.000001, max: 1000, onchange: put("alpha") });
  const C = number({ label: "C, the longest step", value: state.C, min: 0.000001, max: 1000, onchange: put("C") });
  const rate = number({ label: "Learning rate", value: state.rate, min: 0.000001, max: 1000, onchange: put("rate") });
  const steps = stepper({ go: (delta) => step(delta), label: "Step of the training", pause: 900 });
  const corpus = h("section", { class: "panel" }), axis = h("section", { class: "panel" }), decided = h("section", { class: "panel" });
  root.append(chosen, h("div", { class: "controls" }, lines, rounds, alpha, C, rate), lead, steps, h("div", { class: "panels two" }, corpus, axis),
    h("div", { class: "controls" }, text), decided);
  text.classList.add("wide");
  lines.classList.add("wide");
  const moving = weightAxis();
  axis.append(h("h2", {}, "Weights of the words"), h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Axis of weights, to scroll" }, moving.element));
  let last = 0, at = 0, shownChoice = "";

  function step(delta) { set({ step: moved(at, delta, last) }); }

  async function update(state) {
    const answer = await context.ask(Object.fromEntries(ASKED.map((name) => [name, state[name]])));
    last = answer.steps.length - 1;
    at = state.step === null ? last : Math.min(state.step, last);
    showControls(state, answer);
    showCorpus(answer);
    moving.put(answer, at);
    showDecision(answer);
    context.question(last ? "Which words move at the next step, which way, and how far?" : "Which class does the text get, and which word speaks most for it?");
  }

  function showControls(state, answer) {
    const choice = JSON.stringify([answer.corpora, answer.learners]);
    if (choice !== shownChoice) {
      chosen.replaceChildren(
        select({ label: "Corpus", options: answer.corpora, value: answer.corpus, onchange: (name) => set({ ...defaults, corpus: name }) }),
        select({ label: "Learner", options: answer.learners, value: answer.learner, onchange: (learner) => set({ learner, step: null }) }));
      shownChoice = choice;
    }
    chosen.firstElementChild.put(answer.corpus);
    chosen.lastElementChild.put(answer.learner);
    lines.hidden = answer.corpus !== "own";
    if (!state.texts) lines.put(answer.lines);
    rounds.hidden = !ONLINE.includes(answer.learner);
    alpha.hidden = answer.learner !== "nb";
    C.hidden = answer.learner !== "mira";
    rate.hidden = answer.learner !== "slide" && answer.learner !== "log";
    for (const [control, name] of [[rounds, "rounds"], [alpha, "alpha"], [C, "C"], [rate, "rate"]]) control.put(state[name]);
    if (document.activeElement?.closest(".control") !== text) text.put(answer.text.text);
    lead.textContent = answer.note;
    steps.hidden = last === 0;
    const now = answer.steps[at];
    steps.put(at, last, now.example === null ? "before the first text" : `round ${now.round}, text ${now.example + 1} of ${answer.texts.length}`);
  }

  function showCorpus(answer) {
    const now = answer.steps[at];
    const rows = answer.texts.map((one, i) => h("li", { class: i === now.example ? "met" : null, "aria-current": i === now.example ? "step" : null },
      h("strong", { class: answer.labels[i] === answer.classes[1] ? "plus" : "minus" }, `${answer.labels[i]} `), one.text));
    corpus.replaceChildren(h("h2", {}, "Training texts"), h("ol", { class: "texts" }, rows), h("p", { class: "result", dataset: { answer: "" } }, said(answer, now)));
  }

  function said(answer, now) {
    if (now.example === null) return last ? "All weights are 0." : answer.learner === "nb" ? "Counted at once: the weights are logarithms of ratios of counts." : "These weights are given; nothing is learned.";
    const gold = answer.labels[now.example];
    const met = `The score of the text was ${shown(now.example_score, 6)}, the guess ${now.guess}, the truth ${gold}.`;
    return now.factor === 0 ? `${met} Nothing changes.`
      : `${met} Each occurrence of a word in it adds ${shown(now.factor, 6)} to the word's weight.`;
  }

  function showDecision(answer) {
    const now = answer.steps[at], [minus, plus] = answer.classes;
    const most = Math.max(1e-12, ...now.weights.map(Math.abs));
    const words = answer.text.tokens.map(([start, end, j]) => {
      const w = j === null ? null : now.weights[j];
      return h("span", { class: `token ${w > 0 ? "plus" : w < 0 ? "minus" : ""}`, style: { "--strength": `${w === null ? 0 : Math.round(75 * Math.abs(w) / most)}%` } },
        h("span", {}, answer.text.text.slice(start, end)),
        h("small", { dataset: { answer: "" } }, j === null ? "unknown" : signed(w)));
    });
    const verdict = now.score > 0 ? plus : now.score < 0 ? minus : null;
    const terms = [...(now.intercept ? [now.intercept] : []), ...answer.text.tokens.filter(([, , j]) => j !== null).map(([, , j]) => now.weights[j])];
    const sum = terms.length ? terms.map((w, k) => (k ? (w < 0 ? ` − ${shown(-w, 4)}` : ` + ${shown(w, 4)}`) : shown(w, 4))).join("") : "0";
    decided.replaceChildren(
      h("h2", {}, "The text"),
      h("p", { class: "tokens" }, words.length ? words : "There is no word."),
      h("div", { dataset: { answer: "" } },
        h("p", { class: "formula" }, `score for ${plus} = ${now.intercept ? "intercept + " : ""}the sum of its words = ${sum} = ${shown(now.score, 6)}`),
        h("p", { class: "result" }, verdict === null ? "The score is 0: undecided." : h("span", {}, "Decision: ", h("strong", { class: verdict === plus ? "plus" : "minus" }, verdict)), now.probability === null ? "" : `, with probability ${shown(Math.max(now.probability, 1 - now.probability), 6)}`),
        now.probability === null ? null : [bar({ name: minus, share: 1 - now.probability, text: shown(1 - now.probability, 6), k: 1 }), bar({ name: plus, share: now.probability, text: shown(now.probability, 6), k: 0 })],
        ...flip(answer, now),
        contributions(answer, now)));
  }

  function flip(answer, now) {
    if (!now.flip) return [h("p", { class: "note" }, now.score === 0 ? "" : "No edit with known words changes the decision.")];
    const say = { remove: (a) => `remove “${a}”`, replace: (a, b) => `put “${b}” for “${a}”`, add: (_, b) => `add “${b}”` };
    const told = now.flip.edits.map(([kind, a, b]) => say[kind](a, b)).join(", ");
    return [h("p", {}, `Smallest edit that changes the decision: ${told}. The score becomes ${shown(now.flip.score, 4)}. `,
      button({ label: "Make this edit", onclick: () => { text.put(now.flip.text); set({ text: now.flip.text }); } }))];
  }

  function contributions(answer, now) {
    const counts = new Map();
    for (const [, , j] of answer.text.tokens) if (j !== null) counts.set(j, (counts.get(j) ?? 0) + 1);
    const [minus, plus] = answer.classes, parts = answer.parts;
    const rows = [...counts].sort(([a], [b]) => Math.abs(now.weights[b] * counts.get(b)) - Math.abs(now.weights[a] * counts.get(a))).map(([j, count]) => [
      answer.features[j], count, ...(parts ? [count * parts[0][j][0], count * parts[0][j][1]] : []), now.weights[j], -count * now.weights[j], count * now.weights[j],
    ]);
    if (parts) rows.push(["(class itself)", "", parts[1][0], parts[1][1], now.intercept, -now.intercept, now.intercept]);
    const heads = ["feature", "count", ...(parts ? [`ln P for ${minus}`, `ln P for ${plus}`] : []), "weight", `adds to ${minus}`, `adds to ${plus}`];
    return rows.length ? table(heads, rows, { caption: "What each feature adds" }) : null;
  }

  return { step, update };
}

function signed(value) {
  return value > 0 ? `+${shown(value, 3)}` : shown(value, 3);
}

// Words on an axis of weights: each keeps its element and moves.
function weightAxis() {
  const width = 640, left = 20, right = 620, row = 15;
  const marks = new Map();
  const ground = s("g", { "aria-hidden": "true" }), words = s("g", {});
  const picture = s("svg", { class: "picture axis", role: "img" }, ground, words);
  let features = "";

  function put(answer, at) {
    if (features !== answer.features.join("\n")) {
      marks.clear();
      words.replaceChildren();
      features = answer.features.join("\n");
      answer.features.forEach(fresh);
    }
    const now = answer.steps[at].weights, before = at ? answer.steps[at - 1].weights : now;
    const all = answer.steps.flatMap((step) => step.weights);
    const most = Math.max(1e-6, ...all.map(Math.abs)) * 1.08;
    const x = linear([-most, most], [left, right]);
    const placed = place(answer.features.map((name, j) => ({ name, j, w: now[j], x: x(now[j]) })));
    const high = 34 + row * Math.max(4, placed.rows);
    picture.setAttribute("viewBox", `0 0 ${width} ${high + 30}`);
    picture.setAttribute("aria-label", `Weights: ${answer.features.map((name, j) => `${name} ${shown(now[j], 3)}`).join(", ")}`);
    ground.replaceChildren(
      s("line", { x1: left, x2: right, y1: high, y2: high, class: "rule" }), s("line", { x1: x(0), x2: x(0), y1: 16, y2: high, class: "grid" }),
      s("text", { x: left, y: 12, class: "name" }, `← ${answer.classes[0]}`), s("text", { x: right, y: 12, class: "name end" }, `${answer.classes[1]} →`),
      ...ticks([-most, most], 6).map((one) => s("text", { x: x(one), y: high + 15, class: "tick middle" }, shown(one, 3))));
    for (const one of placed.words) {
      const mark = marks.get(one.name);
      mark.style.setProperty("transform", `translate(${one.x}px, ${high - 8 - row * one.row}px)`);
      mark.classList.toggle("changed", now[one.j] !== before[one.j]);
      mark.dataset.weight = String(one.w);
    }
  }

  function fresh(name) {
    const mark = s("g", { class: "moving", dataset: { word: name } }, s("text", { class: "middle" }, name.length > 14 ? `${name.slice(0, 13)}…` : name));
    words.append(mark);
    marks.set(name, mark);
  }

  // Words that would overlap stand above each other.
  function place(list) {
    const ends = [];
    list.sort((a, b) => a.x - b.x || (a.name < b.name ? -1 : 1));
    for (const one of list) {
      const half = 3.4 * Math.min(one.name.length, 14) + 3;
      one.x = Math.min(width - half, Math.max(half, one.x));
      one.row = ends.findIndex((end) => end <= one.x - half);
      if (one.row < 0) one.row = ends.length;
      ends[one.row] = one.x + half;
    }
    return { words: list, rows: ends.length };
  }

  return { element: picture, put };
}
