"use strict";
// Without this script the page shows everything one below the other. With it, tables are sorted
// by their headings, legends switch series, one learner is shown at a time, a cell of a confusion
// matrix shows its examples, and marks say their value. Texts go in as text, never as HTML.
(() => {
  const all = (query, within = document) => [...within.querySelectorAll(query)];
  const make = (name, text, settings = {}) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    for (const [key, value] of Object.entries(settings)) made.setAttribute(key, value);
    return made;
  };

  // Headings that sort.
  const sortBy = (table, heading, place) => {
    const up = heading.getAttribute("aria-sort") === "descending" ||
      (!heading.hasAttribute("aria-sort") && heading.dataset.sort !== "down");
    const value = (row) => {
      const cell = row.cells[place];
      return heading.dataset.sort === "text" ? cell.textContent : Number(cell.dataset.v);
    };
    const rows = [...table.tBodies[0].rows].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      const order = typeof x === "string" ? x.localeCompare(y) : x - y;
      return up ? order : -order;
    });
    table.tBodies[0].append(...rows);
    all("th", table.tHead).forEach((th) => th.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
  };
  for (const table of all("table.scores")) {
    [...table.tHead.rows[0].cells].forEach((heading, place) => {
      if (!heading.dataset.sort) return;
      const button = make("button", heading.textContent, { type: "button" });
      heading.replaceChildren(button);
      button.addEventListener("click", () => sortBy(table, heading, place));
    });
  }

  // Legends that switch a series on and off.
  for (const figure of all("figure")) {
    for (const key of all(".legend span[data-s]", figure)) {
      const button = make("button", undefined, { type: "button", "aria-pressed": "true" });
      button.append(...key.childNodes);
      key.replaceWith(button);
      button.addEventListener("click", () => {
        const off = button.getAttribute("aria-pressed") === "true";
        button.setAttribute("aria-pressed", String(!off));
        for (const part of all(`.plot [data-s="${key.dataset.s}"]`, figure)) {
          part.classList.toggle("off", off);
        }
        rove(figure.querySelector(".plot"));
      });
    }
  }

  // Of many marks or cells one is reached by Tab, the others from it by arrow keys.
  const stops = (group) => all(".mark:not(.off), td button", group);
  const rove = (group) => {
    const list = stops(group);
    if (!list.some((stop) => stop.tabIndex === 0) && list.length) list[0].tabIndex = 0;
  };
  const move = (group, to) => {
    if (!to) return;
    stops(group).forEach((stop) => { stop.tabIndex = -1; });
    to.tabIndex = 0;
    to.focus();
  };
  const inTable = (from, key) => {
    const cell = from.closest("td");
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[key];
    const rows = cell.closest("tbody").rows;
    let [row, column] = [cell.parentNode.sectionRowIndex, cell.cellIndex];
    while (rows[row += step[0]]?.cells[column += step[1]]) {
      const found = rows[row].cells[column].querySelector("button");
      if (found) return found;
    }
    return null;
  };
  const arrows = (group) => {
    rove(group);
    group.addEventListener("keydown", (event) => {
      const from = event.target.closest(".mark, td button");
      if (!from || !event.key.startsWith("Arrow")) return;
      event.preventDefault();
      const list = stops(group);
      const step = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1;
      const to = from.matches("button") ? inTable(from, event.key)
        : list[list.indexOf(from) + step];
      move(group, to);
    });
  };
  all("svg.plot").forEach(arrows);

  // Marks say their value.
  const tip = make("div", "", { id: "tip", "aria-hidden": "true", hidden: "" });
  document.body.append(tip);
  const tell = (mark) => {
    tip.textContent = mark.getAttribute("aria-label");
    tip.hidden = false;
    const at = mark.querySelector(".hit").getBoundingClientRect();
    const left = Math.min(at.left + at.width / 2 - tip.offsetWidth / 2, innerWidth - tip.offsetWidth - 8);
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${at.top > tip.offsetHeight + 8 ? at.top - tip.offsetHeight - 4 : at.bottom + 4}px`;
  };
  const hush = () => { tip.hidden = true; };
  for (const mark of all(".mark")) {
    mark.querySelector("title").remove();
    mark.addEventListener("pointerenter", () => tell(mark));
    mark.addEventListener("pointerleave", hush);
    mark.addEventListener("focus", () => tell(mark));
    mark.addEventListener("blur", hush);
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hush(); });
  document.addEventListener("scroll", hush, { passive: true });

  // The examples behind a cell.
  const source = document.getElementById("data");
  const data = source ? JSON.parse(source.textContent) : null;
  const show = (box, learner, cell, button) => {
    all("button[aria-pressed]", cell.closest("table")).forEach((one) => one.setAttribute("aria-pressed", "false"));
    button.setAttribute("aria-pressed", "true");
    const [i, j] = cell.dataset.at.split(",").map(Number);
    const examples = data.cells[learner][cell.dataset.at] || [];
    const heading = make("p");
    heading.append(make("strong", String(cell.textContent)), " × ", make("bdi", data.labels[learner][i]),
      i === j ? ", rightly" : " taken for ", ...(i === j ? [] : [make("bdi", data.labels[learner][j])]));
    const list = make("ul", undefined, { class: "texts" });
    for (const [text, sure] of examples) {
      const item = make("li");
      item.append(make("bdi", data.texts[text], { dir: "auto" }));
      if (sure !== null) item.append(make("small", ` sure ${sure.toFixed(2)}`));
      list.append(item);
    }
    box.replaceChildren(heading, examples.length ? list : make("p", "There was no room for examples."));
  };
  for (const group of data ? all(".matrix") : []) {
    const box = make("div", undefined, { class: "behind", "aria-live": "polite" });
    box.append(make("p", "Choose a cell to see examples, the surest first; arrow keys go from cell to cell."));
    group.append(box);
    for (const cell of all("td[data-at]", group)) {
      const button = make("button", cell.textContent, { type: "button", tabindex: "-1", "aria-pressed": "false" });
      cell.replaceChildren(button);
      button.addEventListener("click", (event) => {
        show(box, Number(group.dataset.learner), cell, button);
        move(group, button);
        if (event.detail) box.scrollIntoView({ block: "nearest" }); // by pointer, not by key
      });
    }
    arrows(group);
  }

  // One learner at a time.
  const choice = document.getElementById("learner");
  const panels = all(".learner");
  if (choice) {
    const choose = () => panels.forEach((panel) => {
      panel.hidden = panel.dataset.learner !== choice.value;
    });
    choice.closest(".choice").hidden = false;
    choice.addEventListener("change", choose);
    choose();
  }
})();
