// The frame of the lab: views, the state in the URL, questions to the server, what all views share.
//
// A view is a module with
//   title, docs, defaults               docs: a list of [text, href or null] or one text
//   async mount(root, context)          builds its elements, returns {step(delta), update(state), play?}
// The frame calls update(state) after mount and whenever the state changes, one call at a time.
// In it the view awaits context.ask(settings) each time, also when only the step has changed: what
// was asked before is remembered, and what an update asks is what an exported page has to hold.
//   context.state                       the defaults of the view with what the URL says
//   context.set(partial)                changes the state, and so the URL and the picture
//   context.question(text)              what to predict before the elements with data-answer are shown
//   context.signal                      aborted when another view is opened

import { h } from "lab/draw.js";
import { button, checkbox, select } from "lab/controls.js";
import { unpacked } from "lab/numbers.js";

const $ = (id) => document.getElementById(id);
const told = JSON.parse($("lab").textContent);
const exported = told.exported ?? null;
const remembered = 24; // answers of a view
let current = null;

// The state in the URL: #view?name=value&..., a value in JSON, or as it is when that is no JSON.

function parse(text) {
  try { return JSON.parse(text); } catch { return text; }
}

function spell(value) {
  return typeof value === "string" && parse(value) === value ? value : JSON.stringify(value);
}

function readLink() {
  const [view, query] = location.hash.slice(1).split(/\?(.*)/s);
  const settings = {};
  for (const [name, text] of new URLSearchParams(query ?? "")) settings[name] = parse(text);
  if (view in told.views) return { view, settings };
  return exported ? { view: exported.view, settings: exported.state } : { view: Object.keys(told.views)[0], settings };
}

function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

function changed(state, defaults) {
  return Object.fromEntries(Object.entries(state).filter(([name, value]) => !same(value, defaults[name])));
}

function link(view, settings) {
  const query = Object.entries(settings).map(([name, value]) => `${name}=${encodeURIComponent(spell(value))}`).join("&");
  return `#${view}${query ? `?${query}` : ""}`;
}

// Asking.

async function post(path, document, signal) {
  const response = await fetch(path, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(document), signal,
  });
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  throw new Error(problem.detail || problem.title || `the server answered ${response.status}`);
}

function embedded(view, settings) {
  const fits = ({ settings: held }) => Object.entries(settings).every(([name, value]) =>
    same(value, name in held ? held[name] : view.module.defaults[name]));
  const entry = exported.answers.find(fits);
  if (entry) return entry.answer;
  throw new Error("This page was saved with the answers of one state, and this is another. linnet lab computes it.");
}

async function ask(view, settings) {
  const key = JSON.stringify(settings);
  view.asked.set(key, settings);
  if (!view.answers.has(key)) {
    const answer = exported ? embedded(view, settings)
      : await (await post(`ask/${view.name}`, settings, view.abort.signal)).json();
    view.answers.set(key, unpacked(answer));
    if (view.answers.size > remembered) view.answers.delete(view.answers.keys().next().value);
  }
  return view.answers.get(key);
}

// Views.

async function open(name, settings) {
  current?.abort.abort();
  const view = current = {
    name, abort: new AbortController(), answers: new Map(), asked: new Map(), busy: false, again: false,
  };
  const root = $("root");
  root.replaceChildren();
  markCurrent(name);
  try {
    view.module = await import(`lab/${name}.js`);
    if (view !== current) return;
    $("title").textContent = view.module.title;
    document.title = `${view.module.title} · linnet lab`;
    showSources(view.module.docs);
    view.state = { predict: false, ...view.module.defaults, ...settings };
    view.handle = await view.module.mount(root, contextOf(view));
    cover(view);
    await render(view);
  } catch (error) {
    if (view === current) showProblem(error);
  }
}

function contextOf(view) {
  return {
    get state() { return view.state; },
    set: (partial) => set(view, partial),
    ask: (settings) => ask(view, settings),
    question: (text) => { $("question").querySelector("p").textContent = text; },
    signal: view.abort.signal,
    exported: exported !== null,
    model: told.model === true,
  };
}

function set(view, partial) {
  if (view !== current) return undefined;
  view.state = { ...view.state, ...partial };
  history.replaceState(null, "", link(view.name, changed(view.state, { predict: false, ...view.module.defaults })));
  if (!view.handle) return undefined;
  cover(view);
  return render(view);
}

async function render(view) {
  view.again = true;
  if (view.busy) return;
  view.busy = true;
  while (view.again && view === current) {
    view.again = false;
    view.asked.clear();
    try {
      await view.handle.update(view.state);
      showProblem(null);
    } catch (error) {
      if (error.name !== "AbortError" && view === current) showProblem(error);
    }
  }
  view.busy = false;
  $("root").dataset.shown = String(Number($("root").dataset.shown ?? 0) + 1);
}

function showProblem(error) {
  $("problem").replaceChildren(...(error ? [h("p", {}, error.message)] : []));
}

// Predict before you look: every change covers the answers again.

function cover(view) {
  const covered = Boolean(view.state.predict);
  $("question").hidden = !covered;
  $("root").classList.toggle("covered", covered);
  predict.put(view.state.predict);
}

// What stands around a view.

function markCurrent(name) {
  for (const one of $("views").children) {
    if (one.dataset.view === name) one.setAttribute("aria-current", "page");
    else one.removeAttribute("aria-current");
  }
}

function showSources(docs) {
  const entries = typeof docs === "string" ? [[docs, null]] : docs;
  $("sources").replaceChildren(...entries.flatMap(([text, href], k) => [
    k ? " · " : "",
    href && !exported ? h("a", { href, target: "_blank", rel: "noopener" }, text) : text,
  ]));
}

function theme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  try { localStorage.setItem("linnet-lab-theme", name); } catch { /* a page without storage forgets */ }
}

function storedTheme() {
  try { return localStorage.getItem("linnet-lab-theme") ?? "auto"; } catch { return "auto"; }
}

async function save() {
  const view = current;
  try {
    const settings = changed(view.state, view.module.defaults);
    const response = await post("export", { view: view.name, state: settings, asked: [...view.asked.values()] }, view.abort.signal);
    const url = URL.createObjectURL(await response.blob());
    h("a", { href: url, download: `linnet-${view.name}.html` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  } catch (error) {
    showProblem(error);
  }
}

async function copy() {
  try {
    await navigator.clipboard.writeText(location.href);
    copied.textContent = "Copied";
  } catch {
    copied.textContent = "Copy the address bar";
  }
  setTimeout(() => { copied.textContent = "Copy link"; }, 2000);
}

const predict = checkbox({ label: "Predict before you look", value: false, onchange: (value) => set(current, { predict: value }) });
const copied = button({ label: "Copy link", onclick: copy, title: "The link says all that is shown" });
const themes = [["auto", "as the system"], ["light", "light"], ["dark", "dark"]];

function build() {
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the part after # is the state
    $("view").focus();
  });
  $("views").replaceChildren(...Object.entries(told.views).map(([name, title]) =>
    h("a", { href: `#${name}`, dataset: { view: name } }, title)));
  const chooser = select({ label: "Theme", options: themes, value: storedTheme(), onchange: theme });
  theme(storedTheme());
  const tools = [predict, chooser, copied];
  if (!exported) tools.push(button({ label: "Save as page", onclick: save, title: "One file that needs no server" }));
  $("tools").replaceChildren(...tools);
  $("question").replaceChildren(
    h("p", {}, "What comes next?"),
    button({ label: "Show", onclick: () => $("root").classList.remove("covered") }));
}

const KEYS = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };

document.addEventListener("keydown", (event) => {
  const busy = event.target.closest("input, select, textarea, [contenteditable], [data-keys]");
  if (busy || event.altKey || event.ctrlKey || event.metaKey || !current?.handle) return;
  if (event.key in KEYS) {
    event.preventDefault();
    current.handle.step(KEYS[event.key]);
  }
});

window.addEventListener("hashchange", () => {
  const { view, settings } = readLink();
  if (current?.name !== view || !current.handle) open(view, settings);
  else set(current, { predict: false, ...current.module.defaults, ...settings });
});

build();
const first = readLink();
open(first.view, first.settings);
