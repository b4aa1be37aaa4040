// What the cut-off means: the confusion matrix, or exposure and amount, and what is read off them.

import { breakable, make, prose } from "./dom.js";
import { brief, compact, money, percent, quantity, rule, shortened, three, two } from "./format.js";
import { meanName } from "./means.js";
import { decimals, scrolled, summed } from "./tables.js";

const share = (value) => (Number.isNaN(value) ? "–" : percent(value));
const LARGE = 100_000;
const CLASSES = {
  label: "Confusion matrix",
  caption: ({ whole, estimated }) => (whole ? "Confusion matrix" : `Confusion matrix, ${estimated ? "estimated" : "weighted"}`),
  heads: ["positive", "negative", "total"],
  // Weights have as many decimals in every cell, so that they can be added up by eye.
  write: (value, { whole, estimated, n }) => (estimated ? summed(Math.round(value), 0) : summed(value, whole ? 0 : decimals([n, n / 3]))),
  rows: new Map([
    ["selected", [["tp", (m, s) => m.captured(s)], ["fp", (m, s) => m.others(s)], ["in", (m, s) => m.selected(s)]]],
    ["not selected", [["fn", (m, s) => m.total - m.captured(s)], ["tn", (m, s) => m.n0 - m.others(s)], ["out", (m, s) => m.n - m.selected(s)]]],
  ]),
  rates: [
    ["selected", (m, s) => percent(m.q[s])],
    ["positives captured (TPR, recall)", (m, s) => share(m.tpr[s]), true],
    ["negatives captured (FPR)", (m, s) => share(m.fpr[s])],
    ["precision", (m, s) => share(m.mean(s))],
    ["lift", (m, s) => two(m.lift(s))],
    ["gap TPR − FPR", (m, s) => three(m.gap(s))],
  ],
  across: [
    ["selected", (m, s) => percent(m.q[s])], ["captured", (m, s) => percent(m.y[s])],
  ],
};

/** Return what the card of amounts shows: cases, exposure, amount and their quotient on both sides. */
function ofAmounts({ exposed, words, models }) {
  const sides = [["in", (m, s, read) => read(m, s)], ["out", (m, s, read) => read(m, m.last) - read(m, s)], ["all", (m, s, read) => read(m, m.last)]];
  const [captured, selected] = [(m, s) => m.captured(s), (m, s) => m.selected(s)];
  const row = (name, read) => sides.map(([id, of]) => [`${name}-${id}`, (m, s) => read(m, s, of)]);
  const sums = [
    ...(exposed ? [["cases", "cases", (m, s) => m.rows[s]]] : []), [words.selected, "selected", selected], [words.captured, "captured", captured],
  ];
  return {
    label: "What the cut-off holds",
    caption: () => "Selected at this cut-off",
    heads: ["selected", "not selected", "all"],
    write: quantity,
    rows: new Map([
      ...sums.map(([called, name, sum]) => [called, row(name, (m, s, of) => of(m, s, sum))]),
      [meanName({ words }), row("mean", (m, s, of) => of(m, s, captured) / of(m, s, selected))],
    ]),
    rates: [
      [`${words.selected} selected`, (m, s) => percent(m.q[s])],
      ...(models.every((model) => model.y) ? [[`${words.captured} captured`, (m, s) => share(m.y[s]), true], ["lift", (m, s) => two(m.lift(s)), true]] : []),
    ],
    across: [
      ["selected", (m, s) => percent(m.q[s])],
      ...(models.every((model) => model.y) ? [["captured", (m, s) => percent(m.y[s])]] : []),
      [meanName({ words }), (m, s) => quantity(m.mean(s))],
    ],
  };
}

/** Return the card with the sums on both sides of the cut-off and the rates. */
export function cutOffCard(store) {
  const { focus, page } = store.get();
  const spec = page.kind === "amounts" ? ofAmounts(page) : CLASSES;
  const cells = [...spec.rows.values()].flat().map(([id, read]) => ({ id, read, place: make("td", { id }) }));
  const table = tableOf(spec, spec.caption(focus), cells);
  const [place, name] = [make("p", { class: "rule" }), make("span", { class: "of" })];
  const profit = page.money ? [["profit", (m, s) => money(m.profit(s))]] : [];
  // What the table of all scores shows is not said twice.
  const several = page.models.length > 1;
  const rates = several ? spec.rates.filter(([, , compared]) => !compared) : [...spec.rates, ...profit];
  const values = rates.map(() => make("dd"));
  const update = (view) => {
    const write = (value) => spec.write(value, view.focus);
    for (const cell of cells) fill(cell.place, cell.read(view.focus, view.stop), write);
    if (table.classList.contains("tight")) fitted(table);
    place.replaceChildren(...prose(`Selected: ${rule(view.focus, view.stop)}`));
    name.textContent = shortened(view.focus.name, 30);
    rates.forEach(([, read], i) => { values[i].textContent = read(view.focus, view.stop); });
  };
  update(store.get());
  store.on("stop", update);
  // A table that fits is as wide as its place; one that does not says so by its own size.
  const widths = new ResizeObserver(() => window.requestAnimationFrame(() => fitted(table)));
  store.on("placed", () => [table, table.parentElement].forEach((each) => widths.observe(each)));
  const list = make("dl", { class: "rates" }, rates.map(([name], i) => make("div", {}, make("dt", {}, name), values[i])));
  const stated = page.prevalence === null ? null
    : make("p", { class: "soft" }, `Cases are as counted; shares, precision and lift are for a prevalence of ${percent(page.prevalence)}.`);
  return make("section", { class: "card", id: "matrix", "aria-label": spec.label },
    several ? acrossScores(store, [...spec.across, ...profit]) : null,
    make("h3", {}, "At the cut-off ", name), place,
    page.kind === "amounts" ? scrolled("Sums at the cut-off", table) : make("div", {}, table), list, stated);
}

/** Return the table of all scores: how well each ranks, and what it captures where it selects about as much. */
function acrossScores(store, columns) {
  const { page } = store.get();
  const rows = bestFirst(page).map((model) => {
    const cells = columns.map(() => make("td"));
    const name = make("th", { scope: "row", title: model.name }, breakable(shortened(model.name)));
    return { model, cells, line: make("tr", {}, name, ratioOf(model.numbers.accuracy_ratio), cells) };
  });
  const update = ({ focus, stop }) => rows.forEach(({ model, cells, line }) => {
    const own = model === focus;
    const place = own ? stop : model.atShare(focus.q[stop]);
    line.className = own ? "own" : "";
    columns.forEach(([, read], i) => { cells[i].textContent = read(model, place); });
  });
  update(store.get());
  store.on("stop", update);
  const level = brief(page.models[0].level);
  return scrolled("All scores at this share", make(
    "table", { id: "across" }, make("caption", {}, `All scores at the nearest cut-off, AR with ${level} intervals`),
    make("thead", {}, make("tr", {}, ["score", "AR", ...columns.map(([name]) => name)].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, rows.map(({ line }) => line)),
  ));
}

/** Return scores of the same rows by how well they rank, others as they were given. */
const bestFirst = ({ models, comparison }) => (comparison
  ? [...models].sort((a, b) => b.numbers.accuracy_ratio[0] - a.numbers.accuracy_ratio[0]) : models);

/** Return the cell of an accuracy ratio, its limits below it. */
function ratioOf([value, low, high]) {
  const limits = low === null ? null : make("small", {}, `[${three(low)}, ${three(high)}]`);
  return make("td", {}, three(value), limits);
}

/** Write a number into a cell, a large one in short as well, where there is no room for all of it. */
function fill(cell, value, write) {
  cell.title = "";
  if (!(Math.abs(value) >= LARGE)) return cell.replaceChildren(write(value));
  const short = compact(value).replace(/(?=[A-Z]$)/, "\u00a0");
  cell.title = write(value);
  return cell.replaceChildren(make("span", { class: "full" }, write(value)), make("span", { class: "short", "aria-hidden": "true" }, short));
}

/** Show large numbers in short while the table is wider than its place. */
function fitted(table) {
  table.classList.remove("tight");
  table.classList.toggle("tight", table.offsetWidth > table.parentElement.clientWidth);
}

function tableOf({ heads, rows }, caption, cells) {
  const head = ["", ...heads].map((name) => (name ? make("th", { scope: "col" }, name) : make("td")));
  const places = new Map(cells.map(({ id, place }) => [id, place]));
  return make(
    "table", { class: "matrix" },
    make("caption", {}, caption),
    make("thead", {}, make("tr", {}, head)),
    make("tbody", {}, [...rows].map(([name, found]) =>
      make("tr", {}, make("th", { scope: "row" }, name), found.map(([id]) => places.get(id))))),
  );
}
