// Several scores side by side: which are shown, their numbers with limits, and the paired tests.

import { make } from "./dom.js";
import { bandPicture } from "./difference.js";
import { amount, chance, percent, ranged, three } from "./format.js";
import { scrolled } from "./tables.js";

/** Return the section; null with a single score. */
export function compareSection(store) {
  const { page } = store.get();
  if (page.models.length < 2) return null;
  return make(
    "section", { id: "compare" },
    make("h2", {}, "The scores side by side"),
    make("div", { class: "numbers-of-all" }, scrolled("Scores side by side", numbersTable(store))),
    page.comparison ? testsOf(page.comparison) : make("p", { class: "soft" }, "The scores are not tested against each other here: that needs them counted together, row by row."),
    page.differences.length ? make("div", { class: "grid" }, page.differences.map((band) => bandPicture(band, store))) : null,
  );
}

/** Return the swatch that stands for a score, the same in every legend. */
export function swatch(place) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 26 8");
  svg.setAttribute("class", "swatch");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("class", `line m${place % 6}`);
  path.setAttribute("d", "M1 4H25");
  svg.append(path);
  return svg;
}

function numbersTable(store) {
  const { page } = store.get();
  const heads = ["shown", "cases", "positives", "prevalence", "accuracy ratio", "AUC", "KS", "KS at"];
  return make(
    "table", {},
    make("caption", {}, `Numbers with their ${percent(page.models[0].level)} intervals`),
    make("thead", {}, make("tr", {}, heads.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, page.models.map((model) => make(
      "tr", {},
      make("th", { scope: "row" }, toggle(store, model)),
      [amount(model.n), amount(model.n1), percent(model.rate), ranged(model.numbers.accuracy_ratio),
        ranged(model.numbers.roc_auc), ranged(model.numbers.ks), percent(model.q[model.ks])]
        .map((text) => make("td", {}, text)),
    ))),
  );
}

/** Return the legend of the pictures, in which each score can be ticked; null with a single score. */
export function legendBar(store) {
  const { page } = store.get();
  if (page.models.length < 2) return null;
  return make("div", { class: "row legend-bar", role: "group", "aria-label": "Scores shown" },
    page.models.map((model) => toggle(store, model)));
}

function toggle(store, model) {
  const box = make("input", {
    type: "checkbox", checked: true, onchange: () => {
      const hidden = new Set(store.get().hidden);
      if (box.checked) hidden.delete(model.place);
      else hidden.add(model.place);
      store.set({ hidden });
    },
  });
  store.on("view", ({ hidden }) => { box.checked = !hidden.has(model.place); });
  return make("label", { class: "check" }, box, swatch(model.place), make("span", { class: "cut", title: model.name }, model.name));
}

function testsOf(comparison) {
  const adjusted = comparison.pairs.some((pair) => pair.p_adjusted !== null);
  const metric = comparison.metric === "roc_auc" ? "AUC" : "accuracy ratio";
  const heads = ["difference", metric, `${percent(comparison.level)} interval`, "p", adjusted ? "p, Holm" : null].filter(Boolean);
  return scrolled("Paired tests", make(
    "table", {},
    make("caption", {}, `Paired tests on the same rows (${comparison.method})`),
    make("thead", {}, make("tr", {}, heads.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, comparison.pairs.map((pair) => make(
      "tr", {}, make("th", { scope: "row" }, pair.name),
      [three(pair.estimate), `${three(pair.low)} to ${three(pair.high)}`, chance(pair.p_value), adjusted ? chance(pair.p_adjusted) : null]
        .filter((text) => text !== null).map((text) => make("td", {}, text)),
    ))),
  ));
}
