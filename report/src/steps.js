// The construction by hand: each case in order, and what every point of the CAP says.

import { make } from "./dom.js";
import { percent } from "./format.js";
import { scrolled } from "./tables.js";

// Beyond so many cases a construction is no longer followed by hand.
const MOST_CASES = 50;

/** Return the collapsed section; null where cases are too many to follow. */
export function stepsSection(store) {
  const { page } = store.get();
  const models = page.models.filter((model) => model.whole && model.y && model.cases <= MOST_CASES && model.last === model.distinct);
  if (!models.length) return null;
  return make("section", { id: "steps" }, make("h2", {}, "Step by step"), models.map((model) => make(
    "details", {},
    make("summary", {}, `How the CAP of ${model.name} is drawn by hand`),
    make("p", {}, howTo(model)),
    scrolled(`Steps of ${model.name}`, construction(model)),
  )));
}

function howTo({ kind, words: { selected, captured } }) {
  const sort = kind === "amounts" ? `Sort the cases as the score ranks them. Add up ${selected} and ${captured}` : "Sort the cases, the most likely positive first. Number them, add up the positives";
  return `${sort}, and divide both by their totals: x is the share of ${selected} so far, y the share of ${captured} so far. Cases with one score make one point.`;
}

function construction(model) {
  const { selected, captured } = model.words;
  const heads = [`${selected} so far`, "score", `${captured} so far`, "x", "y", "in words"];
  const stops = model.q.map((_, stop) => stop);
  return make(
    "table", {}, make("caption", {}, "One row for each distinct score"),
    make("thead", {}, make("tr", {}, heads.map((name) => make("th", { scope: "col", class: name === "in words" ? "left" : null }, name)))),
    make("tbody", {}, stops.map((stop) => {
      const [x, y] = [model.selected(stop) / model.n, model.captured(stop) / model.total].map(percent);
      const words = `The top ${x} of ${selected} ${model.words.hold} ${y} of ${model.words.allCaptured}.`;
      return make("tr", {}, [model.write(model.selected(stop)), model.cutoff(stop), model.write(model.captured(stop)), x, y]
        .map((text) => make("td", {}, text)), make("td", { class: "left" }, words));
    })),
  );
}
