// The construction by hand: each case in order, and what every point of the CAP says.

import { make } from "./dom.js";
import { amount, percent, scoreText } from "./format.js";
import { scrolled } from "./tables.js";

/** Return the collapsed section; null where cases are too many to follow. */
export function stepsSection(store) {
  const { page } = store.get();
  const models = page.models.filter((model) => model.steps);
  if (!models.length) return null;
  return make("section", { id: "steps" }, make("h2", {}, "Step by step"), models.map((model) => make(
    "details", {},
    make("summary", {}, `How the CAP of ${model.name} is drawn by hand`),
    make("p", {}, "Sort the cases, the most likely positive first. Number them, add up the positives, and divide both by their totals: x is the share of cases so far, y the share of positives so far. Cases with one score make one point."),
    scrolled(`Steps of ${model.name}`, construction(model.steps.columns)),
  )));
}

function construction(columns) {
  const heads = ["cases so far", "score", "positives so far", "x", "y", "in words"];
  return make(
    "table", {}, make("caption", {}, "One row for each distinct score"),
    make("thead", {}, make("tr", {}, heads.map((name) => make("th", { scope: "col", class: name === "in words" ? "left" : null }, name)))),
    make("tbody", {}, columns.rank.map((rank, i) => {
      const [x, y] = [columns.q[i], columns.captured[i]];
      const words = `The top ${percent(x)} of cases hold ${percent(y)} of all positives.`;
      return make("tr", {}, [amount(rank), scoreText(columns.score[i]), amount(columns.positives[i]), percent(x), percent(y)]
        .map((text) => make("td", {}, text)), make("td", { class: "left" }, words));
    })),
  );
}
