// What the cut-off means: the confusion matrix in whole cases, and the rates read off it.

import { make } from "./dom.js";
import { amount, money, percent, rule, shortened, three, two } from "./format.js";

const share = (value) => (Number.isNaN(value) ? "–" : percent(value));
const RATES = [
  ["selected", (m, s) => share(m.q[s])],
  ["positives captured (TPR, recall)", (m, s) => share(m.tpr[s])],
  ["negatives captured (FPR)", (m, s) => share(m.fpr[s])],
  ["precision", (m, s) => share(m.precision(s))],
  ["lift", (m, s) => two(m.lift(s))],
  ["gap TPR − FPR", (m, s) => three(m.gap(s))],
];

/** Return the card with the matrix and the rates. */
export function matrixCard(store) {
  const cells = Object.fromEntries(["tp", "fn", "fp", "tn", "in", "out"].map((id) => [id, make("td", { id })]));
  const [place, name] = [make("p", { class: "rule" }), make("span", { class: "of" })];
  const rates = [...RATES];
  if (store.get().page.money) rates.push(["profit", (m, s) => money(m.profit(s))]);
  const values = rates.map(() => make("dd"));
  const update = ({ focus, stop }) => {
    const [tp, fp] = [focus.tp[stop], focus.fp[stop]];
    const counts = { tp, fp, fn: focus.n1 - tp, tn: focus.n0 - fp, in: tp + fp, out: focus.n - tp - fp };
    for (const [id, cell] of Object.entries(cells)) cell.textContent = amount(counts[id]);
    place.textContent = `Selected: ${rule(focus, stop)}`;
    name.textContent = shortened(focus.name, 30);
    rates.forEach(([, read], i) => { values[i].textContent = read(focus, stop); });
  };
  const { focus, page } = store.get();
  const row = (name, ...found) => make("tr", {}, make("th", { scope: "row" }, name), found);
  const heads = ["", "positive", "negative", "total"].map((name) => (name ? make("th", { scope: "col" }, name) : make("td")));
  const table = make(
    "table", { class: "matrix" },
    make("caption", {}, focus.whole ? "Cases at this cut-off" : "Weight at this cut-off"),
    make("thead", {}, make("tr", {}, heads)),
    make("tbody", {}, row("selected", cells.tp, cells.fp, cells.in), row("not selected", cells.fn, cells.tn, cells.out)),
  );
  update(store.get());
  store.on("stop", update);
  const list = make("dl", { class: "rates" }, rates.map(([name], i) => make("div", {}, make("dt", {}, name), values[i])));
  const stated = page.prevalence === null ? null
    : make("p", { class: "soft" }, `Cases are as counted; shares, precision and lift are for a prevalence of ${percent(page.prevalence)}.`);
  return make("section", { class: "card", id: "matrix", "aria-label": "Confusion matrix" }, make("h3", {}, "At the cut-off ", name), place, table, list, stated);
}
