// Gains and thresholds as tables that sort, copy into a document and download as CSV.

import { button, fold, make } from "./dom.js";
import { amount, percent, quantity, scoreText, three, two } from "./format.js";
import { copy, csv, download, fileName, plainText, tabbed } from "./saving.js";

const WRITERS = { score: scoreText, share: percent, ratio: three, lift: two };
const FIRST_ROWS = 21;

/** Return a table in a frame that scrolls sideways on small screens, by keyboard too. */
export function scrolled(label, table) {
  return make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": label }, table);
}

/** Return the section with the gains table and the table of cut-offs. */
export function tableSection(store) {
  const [first, rest] = [make("div"), fold("all-cut-offs", "Table of cut-offs")];
  let shown = null;
  const fill = (view) => {
    if (shown === view.model) return;
    shown = view.model;
    first.replaceChildren(gains(view.focus, store));
    rest.replaceChildren(rest.firstChild, thresholds(view.focus, store));
  };
  fill(store.get());
  store.on("view", fill);
  return make("section", { id: "tables" }, make("h2", {}, "Tables"), decimalPicker(store), first, rest);
}

/** Return the choice of the decimal mark, which begins as that of the reader's language. */
function decimalPicker(store) {
  const choices = [[".", "0.5"], [",", "0,5"]].map(([mark, shown]) => make("option", { value: mark, selected: mark === store.get().decimal }, shown));
  const list = make("select", { id: "decimal", onchange: () => store.set({ decimal: list.value }) }, choices);
  return make("label", { class: "picker soft" }, make("span", {}, "Decimal mark in copied tables and CSV"), list);
}

function gains(model, store) {
  if (!model.gains) return make("p", {}, "There is no gains table.");
  const { note } = model.gains;
  // Shares and lift of amounts below zero are not there.
  const columns = Object.fromEntries(Object.entries(model.gains.columns).filter(([, values]) => values.some((value) => value !== null)));
  const said = note ? `${note[0].toUpperCase()}${note.slice(1)}.` : "";
  return sortable({ name: "gains", title: `Gains table of ${model.name}`, columns, counted: () => said, first: Infinity, store, total: totalOf(columns), texts: new Map(model.gains.cutoffs) });
}

const SUMS = ["rows", "n", "positives", "exposure", "amount"];

/** Return the last row of the gains table: sums, and rate or mean of all, by column. */
function totalOf(columns) {
  const sum = (name) => columns[name].reduce((whole, value) => whole + value, 0);
  const total = Object.fromEntries(SUMS.filter((name) => columns[name]).map((name) => [name, sum(name)]));
  if (columns.rate) total.rate = total.positives / total.n;
  if (columns.mean_amount) total.mean_amount = total.amount / (total.exposure ?? total.n);
  return total;
}

function thresholds(model, store) {
  const stops = model.q.map((_, stop) => stop);
  const lift = model.y ? { lift: stops.map(model.lift) } : {};
  const columns = { score: stops.map(model.score), q: model.q, ...model.columns(), ...lift };
  const [held, whole] = [stops.length, model.distinct + 1].map((size) => size.toLocaleString("en-US"));
  const all = model.last === model.distinct ? "" : ` The data have ${whole}: the page holds those that shape the curves, those of round scores, and a grid of shares.`;
  const counted = (visible) => `${visible.toLocaleString("en-US")} of ${held} cut-offs shown.${all}`;
  const each = Math.max(1, Math.ceil(stops.length / FIRST_ROWS));
  return sortable({
    name: "thresholds", title: `Cut-offs of ${model.name}: ${selectedBy(model)}`,
    columns, counted, first: each > 1 ? (row) => row % each === 0 || row === model.last : Infinity,
    choose: (row) => store.set({ stop: row }), store, texts: new Map(stops.map((stop) => [model.score(stop), model.cutoff(stop)])),
  });
}

const selectedBy = ({ grades, higher }) => (grades ? "all grades down to" : `score ${higher ? "at or above" : "at or below"}`);

/** Return one cell as people read it, in the form of its column. */
function shown(form, value, digits) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (WRITERS[form]) return WRITERS[form](value);
  if (form === "quantity" && !digits) return quantity(value);
  return typeof value === "number" ? summed(value, digits) : String(value);
}

/** Return cases, or weights with so many decimals. */
export const summed = (value, digits) => (digits ? weights(digits).format(value) : amount(value));

const weights = (digits) => new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Return how many decimals a column of weights has room for; none for whole cases. */
export function decimals(values) {
  if (values.every((value) => typeof value !== "number" || Number.isInteger(value))) return 0;
  const largest = Math.max(...values.map(Math.abs));
  return largest >= 100 ? 1 : largest >= 1 ? 3 : 6;
}

/** Return how many decimals a column of amounts has room for, so that points stand below each other. */
export function decimalsOfQuantities(values) {
  const largest = Math.max(...values.filter(Number.isFinite).map(Math.abs));
  const whole = values.every((value) => !Number.isFinite(value) || Number.isInteger(value));
  if (!whole && largest > 1e-4 && largest < 1) return 3 - Math.floor(Math.log10(largest));
  return whole || largest < 1 || largest >= 1e5 ? 0 : largest >= 100 ? 1 : 2;
}

/** Return what gives a cell its look: a bar as long as its rate or mean, and the largest KS. */
function looksOf(columns) {
  const largest = Object.fromEntries(["rate", "mean_amount", "ks"].filter((name) => columns[name])
    .map((name) => [name, Math.max(...columns[name])]));
  return (place, column, row) => {
    const part = columns[column][row] / largest[column];
    if (column === "ks" && part === 1) place.classList.add("top");
    if (column !== "ks" && part > 0) {
      place.classList.add("barred");
      place.style.setProperty("--part", `${100 * part}%`);
    }
    return place;
  };
}

/** Return what writes a value of a column, or that of a row, with as many decimals all the way down. */
function writer(columns, formOf) {
  const digitsOf = (name) => (formOf(name) === "quantity" ? decimalsOfQuantities : decimals);
  const digits = Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, digitsOf(name)([...values])]));
  return (column, value) => shown(formOf(column), value, digits[column]);
}

function sortable({ name, title, columns, counted, first, choose, store, total = null, texts }) {
  const names = Object.keys(columns);
  const { columns: known } = store.get().page;
  const titles = names.map((column) => known[column][1]);
  const formOf = (column) => known[column][0];
  const written = writer(columns, formOf);
  const write = (column, value) => (formOf(column) === "score" && texts.get(value)) || written(column, value);
  const order = columns[names[0]].map((_, row) => row);
  const state = { by: null, down: false, all: first === Infinity };
  const body = make("tbody");
  const looks = looksOf(columns);
  const heads = names.map((column, i) => make("th", { scope: "col", "aria-sort": "none" }, button(titles[i], () => sort(column))));
  const rows = () => sorted(order, columns[state.by], state.down).filter((row) => state.all || first(row));
  const told = make("span");
  const fill = () => {
    body.replaceChildren(...rows().map((row) => make("tr", {}, names.map((column, i) =>
      looks(cell(write(column, columns[column][row]), i === 0 && choose ? () => choose(row) : null, written(column, columns[column][row])), column, row)))));
    told.textContent = counted(body.childElementCount);
  };
  const sort = (column) => {
    // The first click on a number shows the largest first, which is what one looks for.
    const numbers = columns[column].some((value) => typeof value === "number") && column !== names[0];
    state.down = state.by === column ? !state.down : numbers;
    state.by = column;
    heads.forEach((head, i) => head.setAttribute("aria-sort", names[i] !== column ? "none" : state.down ? "descending" : "ascending"));
    fill();
  };
  fill();
  const table = make("table", {}, make("caption", {}, title), make("thead", {}, make("tr", {}, heads)), body,
    total ? make("tfoot", {}, make("tr", {}, names.map((column, i) => make("td", {}, i ? column in total ? write(column, total[column]) : null : "all")))) : null);
  const more = state.all ? null : button(`Show all ${order.length.toLocaleString("en-US")}`, () => {
    state.all = true;
    fill();
    more.remove();
  });
  return make("div", { class: "tabled", id: name }, scrolled(title, table),
    make("p", { class: "row soft" }, told, more, ...exits(title, columns, titles, rows, formOf, () => store.get().decimal)));
}

function cell(text, choose, full) {
  return make("td", { title: full === text ? null : full }, choose && text !== "–" ? button(text, choose, { class: "link", title: "Move the cut-off here" }) : text);
}

/** Return row numbers sorted by a column; missing values last. */
export function sorted(order, column, down) {
  if (!column) return order;
  const missing = (value) => value === null || Number.isNaN(value);
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  return [...order].sort((a, b) => {
    const [x, y] = [column[a], column[b]];
    if (missing(x) || missing(y)) return missing(x) - missing(y);
    return (down ? -1 : 1) * compare(x, y);
  });
}

/** Return a number with as many digits as a document has use for; CSV has them all. */
const rounded = (value) => (typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value);

function exits(title, columns, heads, rows, formOf, decimal) {
  const names = Object.keys(columns);
  const values = (order, write = (value) => value) => order.map((row) => names.map((column) => write(columns[column][row], column)));
  const copied = () => values(rows(), (value, column) => (formOf(column) === "score" ? value : rounded(value)));
  const text = () => tabbed([[title], heads, ...copied()], decimal());
  const html = () => {
    const line = (cells, tag) => make("tr", {}, cells.map((value) => make(tag, {}, plainText(value, decimal()))));
    return make("table", {}, make("caption", {}, title), line(heads, "th"), copied().map((cells) => line(cells, "td"))).outerHTML;
  };
  const whole = () => csv(names, values(columns[names[0]].map((_, row) => row)), decimal());
  return [
    button("Copy for spreadsheet", () => copy(text(), html())), button("Copy as text", () => copy(text())),
    button("Download CSV", () => download(`${fileName(title)}.csv`, new Blob([whole()], { type: "text/csv" }))),
  ];
}
