// The formula of one cell with its numbers, and the cells that they come from.

import { h, shown, table } from "lab/draw.js";
import { spelled } from "lab/lattice_picture.js";
import { beamPath } from "lab/lattice_numbers.js";

const MOST_ROWS = 8;
const SUB = "₀₁₂₃₄₅₆₇₈₉";
const sub = (k) => Array.from(String(k), (one) => SUB[one]).join("");

// Returns {element, sources}: sources are the cells [t, j] that the number is made of.
export function formula(one, { show, numbers }, [t, j]) {
  const log = numbers === "log";
  const say = (value) => spelled(value, numbers);
  const label = one.labels[j], word = one.words[t];
  const parts = { one, t, j, label, word, log, say };
  if (show === "viterbi" || show === "alpha") return forward(parts, show === "viterbi");
  if (show === "beta") return backward(parts);
  if (show === "marginal") return marginal(parts);
  if (show === "beam") return beam(parts);
  return emission(parts);
}

function factorName(one, i, label, word) {
  const before = i < 0 ? "start" : one.labels[i];
  if (one.model === "memm") return `P(${label} | ${before}, ${word})`;
  return one.model === "hmm" ? `P(${label} | ${before})` : `w(${before}→${label})`;
}

function stateName(one, label, word) {
  return one.model === "hmm" ? `P(${word} | ${label})` : `w(${word}, ${label})`;
}

const inLog = (one, log, name) => (one.model === "crf" ? (log ? name : `e^${name}`) : (log ? `ln ${name}` : name));
const signed = (value) => (value < -1e-12 ? `(${spelled(value, "log")})` : spelled(value, "log"));
const times = (log) => (log ? " + " : " · ");

function frame(lines, rows, heads) {
  const kept = rows.slice(0, MOST_ROWS);
  return h("div", { class: "formula", dataset: { answer: "" } },
    lines.map((line) => h("p", {}, line)),
    kept.length ? table(heads, kept) : null,
    rows.length > kept.length ? h("p", { class: "note" }, `and ${rows.length - kept.length} smaller ones`) : null);
}

function forward({ one, t, j, label, word, log, say }, isMax) {
  const symbol = isMax ? "v" : "α", value = one.cells[isMax ? "viterbi" : "alpha"](t, j);
  const state = one.states(t, j), has = one.model !== "memm";
  const tail = has ? `${times(log)}${inLog(one, log, stateName(one, label, word))}` : "";
  const name = `${symbol}${sub(t + 1)}(${label})`;
  if (t === 0) {
    const first = inLog(one, log, factorName(one, -1, label, word));
    const numbers = [one.step(0, -1, j), ...(has ? [state] : [])].map((one, k) => (log && k ? signed(one) : say(one))).join(times(log));
    return { element: frame([`${name} = ${first}${tail}`, `= ${numbers} = ${say(value)}`], [], []), sources: [] };
  }
  const each = [...Array(one.L).keys()].map((i) => {
    const before = one.cells[isMax ? "viterbi" : "alpha"](t - 1, i), factor = one.step(t, i, j);
    return { i, before, factor, total: before + factor };
  }).sort((a, b) => b.total - a.total || a.i - b.i);
  const rows = each.map(({ i, before, factor, total }) => [
    one.labels[i], say(before), say(factor), `${say(total)}${isMax && i === one.back[t][j] ? " ←" : ""}`,
  ]);
  const what = isMax ? "max over i of" : log ? "ln of the sum over i of e^" : "sum over i of";
  const inner = `${symbol}${sub(t)}(i)${times(log)}${inLog(one, log, factorName(one, -1, label, word).replace("start", "i"))}`;
  const joined = isMax ? each[0].total : value - state;
  const numbers = has ? `= ${say(joined)}${times(log)}${log ? signed(state) : say(state)} = ${say(value)}` : `= ${say(value)}`;
  const heads = ["i", `${symbol}${sub(t)}(i)`, log ? "ln factor" : "factor", log ? "sum" : "product"];
  return {
    element: frame([`${name} = (${what} ${inner})${tail}`, numbers], rows, heads),
    sources: each.filter(({ total, i }) => (isMax ? i === one.back[t][j] : total > -Infinity)).map(({ i }) => [t - 1, i]),
  };
}

function backward({ one, t, j, label, log, say }) {
  const value = one.cells.beta(t, j), name = `β${sub(t + 1)}(${label})`;
  if (t === one.n - 1) {
    return { element: frame([`${name} = ${say(value)}: nothing comes after the last token${one.model === "memm" ? "" : " but the end"}`], [], []), sources: [] };
  }
  const has = one.model !== "memm";
  const each = [...Array(one.L).keys()].map((k) => {
    const factor = one.step(t + 1, j, k), state = one.states(t + 1, k), after = one.cells.beta(t + 1, k);
    return { k, factor, state, after, total: factor + state + after };
  }).sort((a, b) => b.total - a.total || a.k - b.k);
  const rows = each.map(({ k, factor, state, after, total }) =>
    [one.labels[k], say(factor), ...(has ? [say(state)] : []), say(after), say(total)]);
  const next = one.words[t + 1];
  const inner = [inLog(one, log, factorName(one, j, "j", next)), ...(has ? [inLog(one, log, stateName(one, "j", next))] : []), `β${sub(t + 2)}(j)`].join(times(log));
  const heads = ["j", log ? "ln factor" : "factor", ...(has ? ["emission"] : []), `β${sub(t + 2)}(j)`, log ? "sum" : "product"];
  return {
    element: frame([`${name} = ${log ? "ln of the sum over j of e^" : "sum over j of"} ${inner}`, `= ${say(value)}`], rows, heads),
    sources: each.filter(({ total }) => total > -Infinity).map(({ k }) => [t + 1, k]),
  };
}

function marginal({ one, t, j, label, word, say }) {
  const alpha = one.cells.alpha(t, j), beta = one.cells.beta(t, j), z = one.log_z ?? -Infinity;
  const name = `P(${label} at “${word}”)`, p = Math.exp(one.cells.marginal(t, j));
  const lines = [`${name} = α${sub(t + 1)}(${label}) · β${sub(t + 1)}(${label}) / Z`,
    `= ${spelled(alpha, "probability")} · ${spelled(beta, "probability")} / ${spelled(z, "probability")} = ${shown(p, 6)}`,
    `in logarithms: ${spelled(alpha, "log")} + ${signed(beta)} − ${signed(z)} = ${shown(alpha + beta - z, 6)}`];
  if (one.model === "memm") lines.push("A MEMM without constraints has Z = 1 and β = 1: nothing comes back from later words.");
  return { element: frame(lines, [], []), sources: [[t, j]] };
}

function beam({ one, t, j, label, say }) {
  const kept = one.beam[t].map((entry, place) => ({ entry, place })).filter(({ entry }) => entry[0] === j);
  const rows = kept.map(({ entry, place }) => [
    String(place + 1), beamPath(one, t, place).map((k) => one.labels[k]).join(" "), say(entry[2]),
  ]);
  const line = rows.length
    ? `Of the ${one.beam[t].length} beginnings that the beam keeps here, ${rows.length} end${rows.length === 1 ? "s" : ""} in ${label}.`
    : `No beginning that ends in ${label} is among the ${one.beam[t].length} that the beam keeps here.`;
  const sources = kept.flatMap(({ place }) => beamPath(one, t, place).map((k, at) => [at, k])).filter(([at]) => at < t);
  return { element: frame([line], rows, ["rank", "beginning", "score"]), sources };
}

function emission({ one, t, j, label, word, say }) {
  const own = one.parameters, row = one.vocabulary.indexOf(word);
  const lines = [];
  if (one.model === "hmm") lines.push(`P(${word} | ${label}) = ${shown(own.emission[row][j], 6)}`);
  else if (!one.per_state) lines.push(`w(${word}, ${label}) = ${shown(own.emission[row][j], 6)}`);
  const rows = [...Array(one.L).keys(), -1].filter((i) => (t === 0) === (i < 0)).map((i) => {
    const place = i < 0 ? one.L : i;
    const pair = i < 0 ? own.start[j] : own.transition[i][j];
    if (one.model !== "memm") return [i < 0 ? "start" : one.labels[i], shown(pair, 6)];
    const weight = one.per_state ? own.emission[row][place][j] : own.emission[row][j];
    return [i < 0 ? "start" : one.labels[i], shown(weight, 6), shown(pair, 6), say(one.step(t, i, j))];
  });
  if (one.model === "memm") lines.push(`P(${label} | before, ${word}) = e^(w(${word}, ${label}) + w(before→${label})) / the same summed over all labels`);
  const heads = one.model === "memm" ? ["before", "w(word, label)", "w(before→label)", "P"]
    : ["before", one.model === "hmm" ? "P(label | before)" : "w(before→label)"];
  return { element: frame(lines, rows, heads), sources: [] };
}
