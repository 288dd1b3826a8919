// Arrays that came as their bytes, as nested lists: {float64: base64, shape: [...]}.

const KINDS = { float64: Float64Array, float32: Float32Array, int32: Int32Array };

function bytes(text) {
  const raw = atob(text), array = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) array[k] = raw.charCodeAt(k);
  return array.buffer;
}

function nested(numbers, [, ...inner]) {
  if (!inner.length) return Array.from(numbers);
  const size = inner.reduce((product, n) => product * n, 1), rows = [];
  for (let k = 0; k < numbers.length; k += size) rows.push(nested(numbers.subarray(k, k + size), inner));
  return rows;
}

// An answer with its arrays in place. Where numbers are spelled, nothing is left to do.
export function unpacked(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return typeof value[0] === "number" ? value : value.map(unpacked);
  const kind = Object.keys(KINDS).find((name) => name in value && "shape" in value);
  if (kind) return nested(new KINDS[kind](bytes(value[kind])), value.shape);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, unpacked(one)]));
}
