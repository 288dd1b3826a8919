// Controls: each has a label, works by keyboard, and calls back with its value.
// Each returns an element with a method `put(value)` that shows a value without calling back.

import { h } from "lab/draw.js";

let count = 0;
const fresh = () => `control-${++count}`;

function labelled(label, input, more = null) {
  input.id = fresh();
  return h("div", { class: "control" }, h("label", { for: input.id }, label), input, more);
}

// A slider. With `log` its values are powers between min and max; `format` says how they are shown.
export function slider({ label, min, max, step = 1, value, log = false, format = String, oninput }) {
  const output = h("output", {});
  const input = h("input", {
    type: "range", min: log ? Math.log10(min) : min, max: log ? Math.log10(max) : max, step,
    oninput: () => { const now = read(); say(now); oninput(now); },
  });
  const read = () => (log ? Number((10 ** Number(input.value)).toPrecision(3)) : Number(input.value));
  const say = (now) => {
    output.textContent = format(now);
    input.setAttribute("aria-valuetext", format(now));
  };
  const element = labelled(label, input, output);
  element.classList.add("slider");
  element.put = (now) => {
    input.value = log ? Math.log10(now) : now;
    say(now);
  };
  element.put(value);
  return element;
}

// A choice among [value, name] pairs.
export function select({ label, options, value, onchange }) {
  const input = h("select", { onchange: () => onchange(input.value) },
    options.map(([one, name]) => h("option", { value: one }, name)));
  const element = labelled(label, input);
  element.put = (now) => { input.value = now; };
  element.put(value);
  return element;
}

// A box to tick.
export function checkbox({ label, value, onchange }) {
  const input = h("input", { type: "checkbox", id: fresh(), onchange: () => onchange(input.checked) });
  const element = h("div", { class: "control check" }, input, h("label", { for: input.id }, label));
  element.put = (now) => { input.checked = Boolean(now); };
  element.put(value);
  return element;
}

// Several of [value, name] pairs; at least `least`, at most `most` of them.
export function checklist({ label, options, value, least = 1, most = Infinity, onchange }) {
  let chosen = [...value];
  const boxes = options.map(([one, name]) => {
    const input = h("input", { type: "checkbox", id: fresh(), onchange: () => {
      const now = input.checked ? [...chosen, one] : chosen.filter((other) => other !== one);
      if (now.length >= least && now.length <= most) onchange(chosen = now);
      else input.checked = !input.checked;
    } });
    return { one, input, element: h("span", { class: "check" }, input, h("label", { for: input.id }, name)) };
  });
  const element = h("fieldset", { class: "control checklist" }, h("legend", {}, label), boxes.map((box) => box.element));
  element.put = (now) => {
    chosen = [...now];
    for (const box of boxes) {
      box.input.checked = chosen.includes(box.one);
      box.input.disabled = !box.input.checked && chosen.length >= most;
    }
  };
  element.put(value);
  return element;
}

// A line of text, or an area with `rows`; called back while it is typed.
export function textbox({ label, value, rows = 1, onchange }) {
  const input = rows > 1
    ? h("textarea", { rows, spellcheck: "false", oninput: () => onchange(input.value) })
    : h("input", { type: "text", spellcheck: "false", autocomplete: "off", oninput: () => onchange(input.value) });
  const element = labelled(label, input);
  element.put = (now) => { if (input.value !== now) input.value = now; };
  element.put(value);
  return element;
}

// A number that is typed; what is none is not called back.
export function number({ label, value, min, max, step = "any", onchange }) {
  const input = h("input", { type: "number", min, max, step, oninput: () => {
    if (input.value !== "" && input.validity.valid) onchange(Number(input.value));
  } });
  const element = labelled(label, input);
  element.put = (now) => { if (Number(input.value) !== now || input.value === "") input.value = now; };
  element.put(value);
  return element;
}

export function button({ label, onclick, title, pressed }) {
  return h("button", { type: "button", onclick, title, "aria-pressed": pressed === undefined ? null : String(pressed) }, label);
}

// The steps of something: to the first, back, play, on, to the last; a slider over all of them.
// `go(delta)` moves; its wheel steps too. put(step, last, text) shows where it is; stop() ends play.
export function stepper({ go, label = "Step", pause = 400 }) {
  let timer = null, at = 0, end = 0;
  const play = button({ label: "Play", onclick: () => toggle(), pressed: false });
  const range = h("input", { type: "range", min: 0, max: 0, step: 1, "aria-label": label, oninput: () => go(Number(range.value) - at) });
  const said = h("output", { class: "stepper-said" });
  const element = h("div", { class: "stepper", role: "group", "aria-label": label },
    button({ label: "|◀", title: "To the first step (Home)", onclick: () => move(-Infinity) }),
    button({ label: "◀", title: "One step back (left arrow)", onclick: () => move(-1) }),
    play,
    button({ label: "▶", title: "One step on (right arrow)", onclick: () => move(1) }),
    button({ label: "▶|", title: "To the last step (End)", onclick: () => move(Infinity) }),
    range, said);
  for (const one of element.querySelectorAll("button[title]")) one.setAttribute("aria-label", one.title.replace(/ \(.*/, ""));
  element.addEventListener("wheel", (event) => {
    event.preventDefault();
    move(event.deltaY > 0 ? 1 : -1);
  }, { passive: false });
  function move(delta) { element.stop(); go(delta); }
  function toggle() {
    if (timer !== null) { element.stop(); return; }
    if (at >= end) go(-Infinity);
    timer = setInterval(() => { if (!element.isConnected || at >= end) element.stop(); else go(1); }, pause);
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
  }
  element.stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  };
  element.toggle = toggle;
  element.put = (step, last, text) => {
    [at, end] = [step, last];
    range.max = last;
    range.value = step;
    range.setAttribute("aria-valuetext", text ?? `${step} of ${last}`);
    said.textContent = text ?? `${step} of ${last}`;
  };
  return element;
}

// A step that `delta` leads to, within 0 and `last`; infinite steps go to the ends.
export function moved(step, delta, last) {
  return Math.min(last, Math.max(0, delta === Infinity ? last : delta === -Infinity ? 0 : step + delta));
}
