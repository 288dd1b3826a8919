// The numbers of one model's lattice, as the recursions read them; all are natural logarithms.

export const NAMES = { hmm: "HMM", memm: "MEMM", crf: "CRF" };

const real = (value) => (value === null ? -Infinity : value);

export function lattice(answer, one) {
  const { labels, words } = answer;
  const L = labels.length, n = words.length;
  const barred = new Set(answer.forbidden.map(([before, after]) => `${labels.indexOf(before)}>${labels.indexOf(after)}`));
  const own = one.parameters;
  const log = one.model === "hmm" ? (p) => Math.log(p) : (w) => w;

  // From label i (-1 is the start) to label j at token t; a MEMM's is the whole factor.
  function step(t, i, j) {
    if (barred.has(`${i}>${j}`)) return -Infinity;
    if (one.local) return real(one.local[t][i < 0 ? L : i][j]);
    const pair = i < 0 ? own.start[j] : own.transition[i][j];
    if (one.model !== "memm") return log(pair);
    return one.state[t][j] + pair - one.denominator[t][i < 0 ? L : i];
  }
  const state = (t, j) => (one.model === "memm" ? 0 : real(one.state[t][j]));
  const stop = (j) => log(own.stop[j]);
  const cell = (name) => (t, j) => real(one[name][t][j]);
  return {
    ...one, labels, words, n, L, name: NAMES[one.model], step, states: state, stops: stop, barred,
    cells: {
      viterbi: cell("viterbi"), alpha: cell("alpha"), beta: cell("beta"), emission: (t, j) => emission(t, j),
      marginal: (t, j) => (one.marginal ? Math.log(one.marginal[t][j]) : -Infinity),
      beam: (t, j) => Math.max(-Infinity, ...one.beam[t].filter(([label]) => label === j).map(([, , score]) => score)),
    },
    pair: (t, i, j) => Math.exp(real(one.alpha[t - 1][i]) + step(t, i, j) + state(t, j) + real(one.beta[t][j]) - real(one.log_z)),
  };

  function emission(t, j) {
    return one.model === "memm" && one.local ? real(one.local[t][t ? best(t - 1) : L][j]) : real(one.state[t][j]);
  }
  function best(t) { return one.best ? one.best.labels[t] : 0; }
}

export function beamPath(one, t, place) {
  const labels = [];
  for (let k = place; t >= 0; t--) {
    const [label, parent] = one.beam[t][k];
    labels.unshift(label);
    k = parent;
  }
  return labels;
}
