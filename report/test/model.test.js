// A model read from what the page was given: sums, rates, and typed scores.

import assert from "node:assert/strict";
import { test } from "node:test";
import { legendRows } from "../src/legend.js";
import { makeModel, stopOfScore } from "../src/model.js";
import { makeStore } from "../src/state.js";
import { csv } from "../src/saving.js";
import { sorted } from "../src/tables.js";
import { bars, cutPlace } from "../src/scores.js";
import { clearShares } from "../src/difference.js";
import { liftGroups } from "../src/panels.js";

const given = { tp: [0, 2, 0, 1], fp: [0, 1, 2, 4], score: [9, 5, 1], higher: true, grades: null, ks: 1, distinct: 3 };
const page = { prevalence: null, money: { value: 10, cost: 2 } };
const model = makeModel(given, 0, page);

test("sums and rates at every cut-off", () => {
  assert.deepEqual(model.tp, [0, 2, 2, 3]);
  assert.deepEqual(model.fp, [0, 1, 3, 7]);
  assert.deepEqual(model.q, [0, 0.3, 0.5, 1]);
  assert.equal(model.profit(1), 10 * 2 - 2 * 3);
  assert.equal(model.lift(3), 1);
  assert.equal(model.precision(0), NaN);
});

test("a stated prevalence moves the axis of cases only", () => {
  const moved = makeModel(given, 0, { prevalence: 0.5, money: null });
  assert.equal(moved.q[1], 0.5 * (2 / 3) + 0.5 * (1 / 7));
  assert.deepEqual(moved.tpr, model.tpr);
});

test("a typed score selects what stands on its side", () => {
  assert.deepEqual(["10", "9", "5.5", "5", "1", "0", "x", ""].map((typed) => stopOfScore(given, typed)), [0, 1, 1, 2, 3, 3, null, null]);
  const turned = { ...given, score: [1, 5, 9], higher: false };
  assert.deepEqual(["0", "1", "4", "5", "99"].map((typed) => stopOfScore(turned, typed)), [0, 1, 1, 2, 3]);
  const graded = { ...given, grades: ["C", "B", "A"], score: ["C", "B", "A"] };
  assert.deepEqual(["B", "A", "Z"].map((typed) => stopOfScore(graded, typed)), [2, 3, null]);
});

test("the store keeps the cut-off inside, and its share when another score is looked at", () => {
  const other = makeModel({ tp: [0, 1, 2], fp: [0, 2, 5], score: [2, 1] }, 1, page);
  const store = makeStore({ models: [model, other] });
  const heard = [];
  store.on("stop", (view) => heard.push(view.stop));
  store.set({ stop: 99 });
  store.set({ stop: -4 });
  store.set({ stop: 1 });
  store.set({ model: 1 });
  assert.deepEqual(heard, [3, 0, 1, 1]);
});

test("csv quotes what needs it", () => {
  assert.equal(csv(["a", "b"], [['x,"y"', null], [1.5, NaN]]), 'a,b\r\n"x,""y""",\r\n1.5,\r\n');
});

test("sorting leaves missing values last", () => {
  assert.deepEqual(sorted([0, 1, 2], [NaN, 2, 1], false), [2, 1, 0]);
  assert.deepEqual(sorted([0, 1, 2], [null, 2, 1], true), [1, 2, 0]);
});

test("legends break where they are full", () => {
  const rows = legendRows([{ label: "a" }, { label: "b" }, { label: "c" }], 100, () => 20);
  assert.deepEqual(rows.map((row) => row.map(({ text }) => text)), [["a"], ["b"], ["c"]]);
  assert.equal(legendRows([{ label: "a" }, { label: "b" }], 120, () => 20)[0][1].at, 63);
});

test("bars are shares of their class, and the cut-off stands beside the last score selected", () => {
  const spread = { labels: [1, 5, 9], positives: [1, 0, 2], negatives: [4, 2, 1] };
  assert.deepEqual(bars(spread, "negatives")[0], [-0.5, 0.5, 4 / 7]);
  assert.equal(cutPlace({ ...model, spread }, 1), 1.5);
  assert.equal(cutPlace({ ...model, spread }, 0), 2.5);
});

test("where a band of a difference leaves zero", () => {
  const band = { q: [0, 0.5, 1], low: [0, 0.1, 0], high: [0, 0.2, 0] };
  assert.equal(clearShares(band), "Beyond chance, the first captures more at 50% of the cases.");
  assert.match(clearShares({ ...band, low: [0, -1, 0] }), /holds zero everywhere/);
});

test("lift of single groups is by score as long as they are few", () => {
  assert.deepEqual(liftGroups(model), [0, 1, 2, 3]);
});
