// Several scores side by side: which are shown, how they differ, and the paired tests.

import { make } from "./dom.js";
import { bandPicture } from "./difference.js";
import { scrolled } from "./tables.js";

/** Return the section, with what two scores would exchange; null where no two scores are of the same rows. */
export function compareSection(store, exchanged) {
  const { page } = store.get();
  if (page.models.length < 2 || (!page.comparison && !page.notCompared && !exchanged)) return null;
  const why = page.notCompared && make("p", { class: "soft" }, `No paired tests: ${page.notCompared}.`);
  return make(
    "section", { id: "compare" },
    make("h2", {}, "Differences between the scores"),
    make("div", { class: "side" }, page.comparison ? testsOf(page.comparison) : why, exchanged),
    page.differences.length ? make("div", { class: "grid pairs" }, page.differences.map((band) => bandPicture(band, store))) : null,
  );
}

/** Return the swatch that stands for a look, the same in every legend. */
export function swatch(look) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 26 8");
  svg.setAttribute("class", "swatch");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("class", `line ${look}`);
  path.setAttribute("d", "M1 4H25");
  svg.append(path);
  return svg;
}

/** Return the boxes in which each score can be ticked; null with a single score. */
export function legendBar(store) {
  const { page } = store.get();
  if (page.models.length < 2) return null;
  return make("div", { class: "row legend-bar", role: "group", "aria-label": "Scores in the pictures" },
    page.models.map((model) => toggle(store, model)));
}

function toggle(store, model) {
  const box = make("input", {
    type: "checkbox", checked: !store.get().hidden.has(model.place), onchange: () => {
      const hidden = new Set(store.get().hidden);
      if (box.checked) hidden.delete(model.place);
      else hidden.add(model.place);
      store.set({ hidden });
    },
  });
  store.on("view", ({ hidden }) => { box.checked = !hidden.has(model.place); });
  return make("label", { class: "check" }, box, swatch(model.look), make("span", { class: "cut", title: model.name }, model.name));
}

function testsOf({ method, names, rows, folded }) {
  const table = scrolled("Paired tests", make(
    "table", {},
    make("caption", {}, `Paired tests (${method})`),
    make("thead", {}, make("tr", {}, names.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, rows.map(([name, ...cells]) => make("tr", {}, make("th", { scope: "row" }, name), cells.map((text) => make("td", {}, text))))),
  ));
  return folded ? make("details", {}, make("summary", {}, folded), table) : table;
}
