// The trellis as a picture: a column for each word, a row for each label, arcs between neighbours.

import { s, shown } from "lab/draw.js";
import { beamPath } from "lab/lattice_numbers.js";

const MOST_ARCS = 8; // labels up to which all arcs between two columns are drawn

export function sizes(one) {
  const small = one.L <= 12;
  const longest = Math.max(...one.labels.map((label) => label.length));
  return {
    small, left: 14 + 7 * Math.min(longest, 8), top: 24, width: small ? 62 : 18, height: small ? 30 : 12,
    dx: small ? 96 : 32, dy: small ? 46 : 14,
  };
}

// What the cells hold at a step. state: {show, numbers, step}.
export function trellis(one, state) {
  const size = sizes(one), { n, L } = one;
  const wide = size.left + n * size.dx, high = size.top + L * size.dy + 4;
  const x = (t) => size.left + t * size.dx, y = (j) => size.top + j * size.dy;
  const picture = s("svg", {
    viewBox: `0 0 ${wide} ${high}`, class: `trellis${size.small ? "" : " dense"}`, role: "group", "aria-label": `Trellis of the ${one.name}`,
    dataset: { keys: "cells" }, style: { "--wide": `${wide}px` },
  });
  const hidden = state.show === "emission" ? {} : { answer: "" };
  picture.append(s("g", { "aria-hidden": "true", dataset: hidden }, arcsOf(one, state).map(line)), s("g", { "aria-hidden": "true", class: "sources" }));
  for (let j = 0; j < L; j++) {
    picture.append(s("text", { x: size.left - 6, y: y(j) + size.height / 2 + 4, class: "end label" }, one.labels[j]));
  }
  const on = bestCells(one, state), cells = new Map();
  for (let t = 0; t < n; t++) {
    picture.append(s("text", { x: x(t) + size.width / 2, y: 15, class: "middle word" }, clipped(one.words[t], size.small ? 13 : 3)));
    const column = [...Array(L).keys()].map((j) => one.cells[state.show](t, j));
    const top = Math.max(...column), reached = isReached(one, state, t);
    for (let j = 0; j < L; j++) {
      const key = `${t},${j}`;
      cells.set(key, box(t, j, key, column[j], top, reached));
      picture.append(cells.get(key));
    }
  }
  let marked = [];

  // Show which cell is looked at, and the cells [t, j] that its number is made of.
  picture.mark = (cell, sources) => {
    for (const node of marked) {
      node.classList.remove("picked", "lit");
      node.setAttribute("aria-pressed", "false");
      node.setAttribute("tabindex", "-1");
    }
    const at = cell ?? [0, 0], picked = cells.get(at.join(","));
    marked = [picked, ...sources.map((source) => cells.get(source.join(",")))];
    for (const node of marked.slice(1)) node.classList.add("lit");
    picked.setAttribute("tabindex", "0");
    if (cell) {
      picked.classList.add("picked");
      picked.setAttribute("aria-pressed", "true");
    }
    picture.querySelector(".sources").replaceChildren(...(cell ? sourceArcs(cell, sources) : []).map(line));
  };
  return picture;

  function line({ t, i, j, weight, kind }) {
    return s("line", {
      x1: x(t - 1) + size.width, y1: y(i) + size.height / 2, x2: x(t), y2: y(j) + size.height / 2,
      class: `arc ${kind}`, "stroke-opacity": weight.toFixed(3),
    });
  }

  function box(t, j, key, value, top, reached) {
    const share = reached && value > -Infinity ? (state.show === "marginal" ? Math.exp(value) : Math.exp(value - top)) : 0;
    const text = reached ? spelled(value, state.numbers, state.show, 3) : "";
    const kept = state.show !== "beam" || value > -Infinity;
    const place = { x: x(t), y: y(j), width: size.width, height: size.height, rx: size.small ? 6 : 2 };
    return s("g", {
      class: `cell${on.has(key) ? " best" : ""}`, role: "button", tabindex: -1, dataset: { cell: key, value: reached ? String(value) : "" },
      "aria-label": `${one.words[t]}, ${one.labels[j]}${text ? `: ${text}` : ""}`, "aria-pressed": "false",
    },
    s("rect", { ...place, class: "frame" }),
    s("rect", { ...place, class: "heat", "fill-opacity": (0.06 + 0.5 * share).toFixed(3), dataset: { answer: "" } }),
    size.small && reached && kept ? s("text", { x: x(t) + size.width / 2, y: y(j) + size.height / 2 + 4, class: "middle value", dataset: hidden }, text) : null);
  }
}

function sourceArcs([t, j], sources) {
  return sources.flatMap(([from, k]) => {
    if (from === t - 1) return [{ t, i: k, j, weight: 1, kind: "source" }];
    return from === t + 1 ? [{ t: from, i: j, j: k, weight: 1, kind: "source" }] : [];
  });
}

function clipped(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

// A number in the scale the page shows; marginals are always probabilities.
export function spelled(value, numbers, show = "", digits = 4) {
  if (Math.abs(value) < 1e-12) value = 0; // what rounding leaves of ln 1
  return shown(numbers === "log" && show !== "marginal" ? value : Math.exp(value), digits);
}

export function lastStep(one, show) {
  if (show === "viterbi") return 2 * one.n;
  return show === "alpha" || show === "beta" || show === "beam" ? one.n : 0;
}

function isReached(one, state, t) {
  if (state.show === "beta") return one.n - t <= state.step;
  return lastStep(one, state.show) === 0 || t < state.step;
}

// The cells of the best path that the tracing back has come to; of the beam: its best beginning.
function bestCells(one, state) {
  const cells = new Set();
  if (state.show === "beam") {
    const t = Math.min(state.step, one.n) - 1;
    if (t >= 0 && one.beam[t].length) beamPath(one, t, 0).forEach((j, k) => cells.add(`${k},${j}`));
  } else if (one.best && (state.show !== "alpha" && state.show !== "beta")) {
    const from = state.show === "viterbi" ? 2 * one.n - state.step : 0;
    one.best.labels.forEach((j, t) => { if (t >= from) cells.add(`${t},${j}`); });
  }
  return cells;
}

function arcsOf(one, state) {
  const found = [], { show, step } = state;
  const few = one.L <= MOST_ARCS;
  for (let t = 1; t < one.n; t++) {
    if (show === "viterbi" && t < step && (few || t === step - 1)) one.back[t].forEach((i, j) => {
      if (one.cells.viterbi(t, j) > -Infinity) found.push({ t, i, j, weight: few ? 0.7 : 0.4, kind: "back" });
    });
    if (show === "beam" && t < step) for (const [j, parent] of one.beam[t]) {
      found.push({ t, i: one.beam[t - 1][parent][0], j, weight: 0.8, kind: "kept" });
    }
    if (few && (show === "alpha" || show === "beta" || show === "marginal" || show === "emission")) {
      const reached = show === "alpha" ? t < step : show === "beta" ? one.n - t < step : true;
      for (let i = 0; reached && i < one.L; i++) for (let j = 0; j < one.L; j++) {
        const p = show === "emission" ? Math.exp(one.step(t, i, j)) : one.log_z === null ? 0 : one.pair(t, i, j);
        if (p > 1e-4) found.push({ t, i, j, weight: Math.min(1, 0.06 + p), kind: "flow" });
      }
    }
  }
  const on = bestCells(one, state);
  for (const key of on) {
    const [t, j] = key.split(",").map(Number);
    const before = [...Array(one.L).keys()].find((i) => on.has(`${t - 1},${i}`));
    if (t > 0 && before !== undefined) found.push({ t, i: before, j, weight: 1, kind: "best" });
  }
  return found;
}
