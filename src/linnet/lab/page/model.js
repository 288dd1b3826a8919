// A model file looked into: card, strongest features, one example explained, mistakes on a labelled file.

import { bar, h, shown, table } from "lab/draw.js";
import { button, number, select, textbox } from "lab/controls.js";

export const title = "Model";
export const docs = [
  ["docs: the model file", "docs/model_file.md"], ["models of other programs", "docs/foreign.md"], ["evaluation", "docs/evaluation.md"],
  ["linnet inspect, explain and evaluate say the same in a terminal", "docs/command_line.md"],
];
export const defaults = { example: "", top: 10, label: null, token: 0 };
const LARGEST = 3_000_000; // bytes of a labelled file

export async function mount(root, context) {
  const { set } = context;
  let labelled = null; // {name, text}: read in the browser, never part of the link
  let typed = false, shownNow = null;
  const card = h("section", { class: "panel" }), strongest = h("section", { class: "panel" });
  const why = h("section", { class: "panel" }), wrong = h("section", { class: "panel" }), lead = h("p", { class: "lead" });
  const example = textbox({ label: "Example", value: "", onchange: (value) => { typed = true; set({ example: value, token: 0, label: null }); } });
  const top = number({ label: "Features a label", value: context.state.top, min: 1, max: 50, step: 1, onchange: (value) => set({ top: value }) });
  const file = h("input", { type: "file", id: "labelled-file", onchange: () => read(file.files[0]) });
  const told = h("div", { "aria-live": "polite" });
  example.classList.add("wide");
  wrong.append(h("h2", {}, "Mistakes on a labelled file"), h("div", { class: "control" },
    h("label", { for: "labelled-file" }, "A labelled file, of a format that linnet reads; it is sent to this lab only"), file), told);
  root.append(lead, h("div", { class: "controls" }, example, top), why, h("div", { class: "panels two" }, strongest, card), wrong);

  async function read(chosen) {
    if (!chosen) return;
    if (chosen.size > LARGEST) { told.replaceChildren(h("p", { class: "note" }, "The page takes files of up to 3 MB; linnet evaluate takes larger ones.")); return; }
    labelled = { name: chosen.name, text: await chosen.text() };
    set({});
  }

  async function update(state) {
    const asked = { example: state.example, top: state.top };
    if (labelled) Object.assign(asked, { labelled: labelled.text, name: labelled.name });
    const answer = await context.ask(asked);
    lead.textContent = answer.note || `${answer.file}: ${answer.card[0][1]}`;
    if (!typed || document.activeElement?.closest(".control") !== example) example.put(answer.example);
    example.querySelector("label").textContent = { text: "A text", sequence: "A sentence", row: "A row: its values with commas between", bag: "A bag of features, as JSON", vector: "A vector, as JSON" }[answer.kind];
    card.replaceChildren(h("h2", {}, "Card"), h("p", {}, answer.card[0][1]), table(["what", "value"], answer.card.slice(1), { caption: "What the model says of itself" }));
    showStrongest(answer);
    shownNow = answer.explained;
    why.replaceChildren(h("h2", {}, "Why"), ...explained(answer, state));
    told.replaceChildren(...mistakes(answer));
    context.question("What will the model answer, and which word decides?");
  }

  function showStrongest(answer) {
    const most = Math.max(1e-12, ...Object.values(answer.strongest).flatMap((rows) => rows.map(([, w]) => Math.abs(w))));
    const lists = Object.entries(answer.strongest).map(([label, rows]) => h("div", {}, h("h3", {}, label),
      rows.map(([name, w]) => bar({ name, share: Math.abs(w) / most, text: shown(w, 3), k: w < 0 ? 1 : 0 }))));
    strongest.replaceChildren(h("h2", {}, "Strongest features"),
      lists.length ? h("div", { class: "features" }, lists) : h("p", { class: "note" }, "This model is no sum of weights, so no feature has a weight of its own."),
      answer.transitions.length ? table(["tag", "next tag", "weight"], answer.transitions, { caption: "Strongest transitions" }) : "");
  }

  function explained(answer, state) {
    const found = answer.explained;
    if (!found) return [h("p", { class: "note" }, "Type an example above.")];
    if (found.form === "tags") return tags(found, state);
    const parts = [h("div", { dataset: { answer: "" } },
      h("p", { class: "result" }, "Answer: ", h("strong", {}, found.label)),
      h("div", { class: "shares" }, found.probabilities.map(([label, p]) => bar({ name: label, share: p, text: shown(p, 4), k: label === found.label ? 0 : 6 }))))];
    if (found.form === "reasons") {
      parts.push(h("div", { dataset: { answer: "" } }, found.rows.length ? table(found.headings, found.rows, { caption: found.title }) : h("p", {}, found.title), found.note ? h("p", { class: "note" }, found.note) : null));
      return parts;
    }
    const chosen = found.classes.find(({ label }) => label === state.label) ?? found.classes[0];
    const chooser = select({ label: "What speaks for", options: found.classes.map(({ label }) => [label, label]), value: chosen.label, onchange: (label) => set({ label }) });
    const most = Math.max(1e-12, ...chosen.words.map(([, , c]) => Math.abs(c)));
    const words = chosen.words.map(([start, end, c]) => h("span", { class: `token ${c > 0 ? "plus" : c < 0 ? "minus" : ""}`, style: { "--strength": `${Math.round(75 * Math.abs(c) / most)}%` } },
      h("span", {}, found.text.slice(start, end)), h("small", { dataset: { answer: "" } }, shown(c, 3))));
    parts.push(h("div", { class: "controls" }, chooser), h("p", { class: "tokens" }, words), h("div", { dataset: { answer: "" } },
      h("p", { class: "formula" }, `score of ${chosen.label} = intercept ${shown(chosen.intercept, 5)} + the sum of its features ${shown(chosen.score - chosen.intercept, 5)} = ${shown(chosen.score, 6)}`),
      flip(found),
      table(["feature", "value", "weight", "adds"], chosen.parts, { caption: `What each feature adds to the score of ${chosen.label}` }),
      chosen.more ? h("p", { class: "note" }, `and ${chosen.more} weaker ones`) : null));
    return parts;
  }

  function flip(found) {
    if (!found.flip) return null;
    return h("p", {}, `Without ${found.flip.removed.map((word) => `“${word}”`).join(", ")} the answer is ${found.flip.label}. `,
      button({ label: "Remove", onclick: () => { typed = false; set({ example: found.flip.text, label: null }); } }));
  }

  function tags(found, state) {
    const at = Math.min(state.token, found.tokens.length - 1);
    const words = found.tokens.map((one, t) => h("button", { type: "button", class: "token", "aria-pressed": String(t === at), onclick: () => set({ token: t }) },
      h("span", {}, one.word), h("small", { dataset: { answer: "" } }, one.tag), one.probability === null ? null : h("small", { dataset: { answer: "" } }, shown(one.probability, 3))));
    const one = found.tokens[at];
    if (!one) return [h("p", { class: "note" }, "There is no word.")];
    const rows = [...one.neighbours, ...one.features].filter(({ contribution }) => contribution !== 0).map(({ name, contribution }) => [name, contribution]);
    return [h("p", { class: "tokens" }, words), h("div", { dataset: { answer: "" } },
      h("p", { class: "result" }, `“${one.word}” is ${one.tag}`, one.runner_up === null ? "." : ` and not ${one.runner_up}: it leads by ${shown(one.margin, 4)}, the sum of`),
      rows.length ? table(["feature or neighbour", `for ${one.tag}`], rows, { caption: "What speaks for the tag" }) : null)];
  }

  function mistakes(answer) {
    const found = answer.mistakes;
    if (!found) return [h("p", { class: "note" }, "Nothing is read yet.")];
    const rows = found.list.map((one) => [one.row + 1, h("button", { type: "button", class: "link", onclick: () => { typed = false; set({ example: answer.kind === "row" ? one.example.replace(/[\[\]']/g, "") : one.example, token: one.token ?? 0, label: null }); } }, one.example.slice(0, 160)),
      one.token === null ? "" : one.token + 1, one.truth, one.guess, one.probability === null ? "" : one.probability,
      one.features.map(([name, w]) => `${name} ${shown(w, 3)}`).join(", ") || one.reasons.join("; ")]);
    return [h("p", { class: "result" }, `${found.file}: ${shown(100 * found.accuracy, 4)} % of ${found.count} ${found.unit} are right.`),
      rows.length ? table(["number", "example", "token", "truth", "guess", "probability", "because of"], rows, { caption: "The surest mistakes; click one to see why" }) : h("p", { class: "note" }, "There is no mistake.")];
  }

  // The arrow keys go from token to token of a sentence, else from class to class.
  function step(delta) {
    const far = Number.isFinite(delta) ? delta : 1e6 * Math.sign(delta);
    const to = (from, count) => Math.max(0, Math.min(count - 1, from + far));
    const { state } = context;
    if (shownNow?.form === "tags") set({ token: to(state.token, shownNow.tokens.length) });
    else if (shownNow?.form === "sums") {
      const names = shownNow.classes.map(({ label }) => label);
      set({ label: names[to(Math.max(0, names.indexOf(state.label)), names.length)] });
    } else set({});
  }

  return { step, update };
}
