// The few things a page of the documentation does: light and dark, copying code, searching.
"use strict";

const root = document.documentElement;
const element = (tag, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};

// Light and dark: as the system until somebody chooses.
const themes = ["auto", "light", "dark"], button = document.getElementById("theme");
function choose(name) {
  root.dataset.theme = name;
  button.textContent = { auto: "◐ auto", light: "☀ light", dark: "☾ dark" }[name];
  button.setAttribute("aria-label", `Theme: ${name}`);
  try { localStorage.setItem("linnet-theme", name); } catch { /* none is kept */ }
}
button.addEventListener("click", () => choose(themes[(themes.indexOf(root.dataset.theme) + 1) % themes.length]));
choose(themes.includes(root.dataset.theme) ? root.dataset.theme : "auto");

// On a phone the list of pages begins closed.
if (matchMedia("(max-width: 60rem)").matches) document.getElementById("pages").open = false;
document.querySelector(".pages [aria-current]")?.scrollIntoView({ block: "nearest" });
scrollTo({ top: location.hash ? scrollY : 0 });

// Code: a session is copied without its prompts and answers.
function source(pre) {
  if (!pre.querySelector(".gp")) return pre.textContent;
  return pre.textContent.split("\n").filter((line) => /^(>>>|\.\.\.)( |$)/.test(line)).map((line) => line.slice(4)).join("\n");
}
for (const pre of document.querySelectorAll("main pre")) {
  const copy = element("button", { type: "button", className: "copy", textContent: "Copy" });
  copy.addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(source(pre)); copy.textContent = "Copied"; } catch { copy.textContent = "Press Ctrl+C"; }
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  });
  const block = element("div", { className: "block" });
  pre.replaceWith(block);
  block.append(pre, copy);
}
// What scrolls can be reached by keyboard.
for (const wide of document.querySelectorAll("main pre, main .scroll, main .math")) {
  if (wide.scrollWidth > wide.clientWidth || wide.closest("details")) wide.tabIndex = 0;
}

// Searching: every word must occur; titles count most.
const field = document.getElementById("search"), hits = document.getElementById("hits");
let index = null;

async function load() {
  index ??= fetch(`${document.body.dataset.base}/search/search_index.json`).then((reply) => reply.json()).then(({ docs }) => docs);
  return index;
}

function found(docs, words) {
  const scored = [];
  for (const doc of docs) {
    const title = doc.title.toLowerCase(), text = doc.text.toLowerCase();
    if (!words.every((word) => title.includes(word) || text.includes(word))) continue;
    const score = words.reduce((sum, word) => sum + (title.startsWith(word) ? 12 : title.includes(word) ? 8 : 0)
      + Math.min(5, text.split(word).length - 1), 0) + (doc.location.includes("#") ? 0 : 2) - (doc.location.startsWith("spec") ? 4 : 0);
    scored.push([score, doc]);
  }
  return scored.sort((a, b) => b[0] - a[0]).slice(0, 10).map(([, doc]) => doc);
}

function around(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
  return `${at ? "…" : ""}${text.slice(at, at + 110)}…`;
}

async function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) { hits.hidden = true; return; }
  let lines;
  try {
    lines = found(await load(), words).map((doc) => element("li", {},
      element("a", { href: `${document.body.dataset.base}/${doc.location}` }, doc.title, element("small", { textContent: around(doc.text, words[0]) }))));
  } catch {
    lines = [element("li", { className: "none", textContent: "Searching needs a web server: python -m http.server" })];
  }
  hits.replaceChildren(...(lines.length ? lines : [element("li", { className: "none", textContent: "Nothing found" })]));
  hits.hidden = false;
}

field.addEventListener("input", search);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.target.closest("input, textarea")) { event.preventDefault(); field.focus(); }
  if (event.key === "Escape") hits.hidden = true;
  if (event.key === "ArrowDown" && event.target === field) { event.preventDefault(); hits.querySelector("a")?.focus(); }
});
document.addEventListener("click", (event) => { if (!event.target.closest(".search")) hits.hidden = true; });
