// Tables of a model's numbers to edit: emissions of the sentence's words, starts, transitions, stops.

import { h } from "lab/draw.js";

const MOST_INPUTS = 400;

// `edit(part, from, to, value, before)` is called with what was typed.
export function tables(one, edit) {
  const own = one.parameters, { labels, vocabulary, L } = one;
  const emissions = [];
  vocabulary.forEach((word, w) => {
    if (!one.per_state) emissions.push([word, own.emission[w], (to, value) => edit("emission", word, to, value)]);
    else for (const i of [L, ...labels.keys()]) {
      const before = i === L ? "" : labels[i];
      emissions.push([`${word} after ${before || "start"}`, own.emission[w][i], (to, value) => edit("emission", word, to, value, before)]);
    }
  });
  const follows = [["start", own.start, (to, value) => edit("start", "", to, value)]];
  labels.forEach((label, i) => follows.push([label, own.transition[i], (to, value) => edit("transition", label, to, value)]));
  if (one.model !== "memm") follows.push(["(end)", own.stop, (to, value) => edit("stop", "", to, value)]);
  const kind = one.model === "hmm" ? "probability" : "weight";
  return [
    grid(`Emissions: ${kind} of a word (row) ${one.model === "hmm" ? "given a label" : "with a label"} (column)`, emissions),
    grid(`Transitions: ${kind} of a label (column) after another (row)`, follows),
  ];

  function grid(caption, rows) {
    if (rows.length * L > MOST_INPUTS) return h("p", { class: "note" }, `${caption}: ${rows.length} × ${L} numbers, too many to show.`);
    return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": caption }, h("table", { class: "numbers" },
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, h("td", {}), labels.map((label) => h("th", { scope: "col" }, label)))),
      h("tbody", {}, rows.map(([name, values, set]) => h("tr", {}, h("th", { scope: "row" }, name),
        labels.map((label, j) => h("td", {}, input(`${name}, ${label}`, values[j], (value) => set(label, value)))))))));
  }

  function input(name, value, set) {
    const bounds = one.model === "hmm" ? { min: 0, max: 1 } : {};
    const field = h("input", {
      type: "number", step: "any", ...bounds, value: Number(value.toPrecision(6)), "aria-label": `${one.name}: ${name}`,
      onchange: () => { if (field.value !== "" && field.validity.valid) set(Number(field.value)); },
    });
    return field;
  }
}
