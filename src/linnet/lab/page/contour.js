// Pictures of a score on a grid: where it is positive, and the lines along which it has a value.
// `values` has a row of the grid for each of `lines` (y), and in it a value for each (x).

import { path } from "lab/draw.js";

function corners(lines, values, row, column) {
  const n = lines.length;
  return [[row, column], [row, column + 1], [row + 1, column + 1], [row + 1, column]]
    .map(([r, c]) => [lines[c], lines[r], values[r * n + c]]);
}

const between = ([x0, y0, s0], [x1, y1, s1], level) => {
  const share = (level - s0) / (s1 - s0);
  return [x0 + share * (x1 - x0), y0 + share * (y1 - y0)];
};

// The path along which the score is `level`; x and y are scales.
export function contour(lines, values, level, x, y) {
  const points = [];
  for (let row = 0; row + 1 < lines.length; row++) {
    for (let column = 0; column + 1 < lines.length; column++) {
      const around = corners(lines, values, row, column), cut = [];
      for (let k = 0; k < 4; k++) {
        const [one, other] = [around[k], around[(k + 1) % 4]];
        if (one[2] > level !== other[2] > level) cut.push(between(one, other, level));
      }
      for (let k = 0; k + 1 < cut.length; k += 2)
        points.push([x(cut[k][0]), y(cut[k][1])], [x(cut[k + 1][0]), y(cut[k + 1][1])], null);
    }
  }
  return path(points);
}

// The path around all that has a score above 0; whole cells of a row are drawn together.
export function positive(lines, values, x, y) {
  const n = lines.length;
  let text = "";
  const add = (points) => { if (points.length > 2) text += `${path(points.map(([a, b]) => [x(a), y(b)]))}Z`; };
  for (let row = 0; row + 1 < n; row++) {
    let from = null;
    for (let column = 0; column < n; column++) {
      const around = column + 1 < n ? corners(lines, values, row, column) : [];
      const whole = around.length > 0 && around.every(([, , score]) => score > 0);
      if (whole && from === null) from = column;
      if (!whole && from !== null) {
        const [left, right, low, high] = [lines[from], lines[column], lines[row], lines[row + 1]];
        add([[left, low], [right, low], [right, high], [left, high]]);
        from = null;
      }
      if (!whole && around.some(([, , score]) => score > 0)) add(clipped(around));
    }
  }
  return text;
}

function clipped(around) {
  const inside = [];
  around.forEach((one, k) => {
    const other = around[(k + 1) % around.length];
    if (one[2] > 0) inside.push(one);
    if (one[2] > 0 !== other[2] > 0) inside.push(between(one, other, 0));
  });
  return inside;
}

// The part of the square [-span, span]² where w·x + b > level, as corners; empty if there is none.
export function halfPlane([w1, w2, b], span, level = 0) {
  const square = [[-span, -span], [span, -span], [span, span], [-span, span]];
  return clipped(square.map(([a, c]) => [a, c, w1 * a + w2 * c + b - level]));
}

// The line w·x + b = level within the square, as two places, or null.
export function cutLine([w1, w2, b], span, level = 0) {
  const square = [[-span, -span], [span, -span], [span, span], [-span, span]]
    .map(([a, c]) => [a, c, w1 * a + w2 * c + b - level]);
  const cut = [];
  square.forEach((one, k) => {
    const other = square[(k + 1) % 4];
    if (one[2] > 0 !== other[2] > 0) cut.push(between(one, other, 0));
  });
  return cut.length === 2 ? cut : null;
}
