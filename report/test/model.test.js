// A model read from what the page was given: sums, rates, and typed scores.

import assert from "node:assert/strict";
import { test } from "node:test";
import { entriesOf, legendRows, wrapped } from "../src/legend.js";
import { makeModel, ranksOf, readSegment, stopOfScore } from "../src/model.js";
import { bands } from "../src/means.js";
import { capPoints, perfectLayers, perfectPoints } from "../src/curves.js";
import { makeStore, withSegment } from "../src/state.js";
import { csv, localDecimal, tabbed } from "../src/saving.js";
import { sorted } from "../src/tables.js";
import { bars, beyond, cutPlace, ranges } from "../src/scores.js";
import { freePlace, touches } from "../src/labels.js";
import { clearShares } from "../src/difference.js";
import { liftGroups } from "../src/lift.js";

const given = { tp: [0, 2, 0, 1], fp: [0, 1, 2, 4], score: [9, 5, 1], higher: true, grades: null, ks: 1, distinct: 3 };
const page = { prevalence: null, money: { value: 10, cost: 2 } };
const model = makeModel(given, 0, page);

test("sums and rates at every cut-off", () => {
  assert.deepEqual(model.tp, [0, 2, 2, 3]);
  assert.deepEqual(model.fp, [0, 1, 3, 7]);
  assert.deepEqual(model.q, [0, 0.3, 0.5, 1]);
  assert.equal(model.profit(1), 10 * 2 - 2 * 3);
  assert.equal(model.lift(3), 1);
  assert.equal(model.mean(0), NaN);
});

test("where no negative is selected all are positive, also of weights", () => {
  const weights = { ...given, tp: [0, 0.8, 1.3, 0.7], fp: [0, 0, 0, 1.7] };
  assert.deepEqual([1, 2].map(makeModel(weights, 0, page).mean), [1, 1]);
  assert.deepEqual([1, 2].map(makeModel(weights, 0, { ...page, prevalence: 0.3 }).mean), [1, 1]);
});

const AMOUNTS = {
  name: "s", selected: [0, 0.5, 0.5, 1], captured: [0, 30, -10, 20], rows: [0, 1, 1, 2], perfect: [[0, 0.5, 1.5], [0, 30, 10]],
  score: [9, 5, 1], higher: true, grades: null, distinct: 3,
};
const years = { kind: "amounts", prevalence: null, money: { value: 2, cost: 10 }, words: { selected: "years", captured: "claims" } };

test("sums and means of amounts at every cut-off", () => {
  const found = makeModel({ ...AMOUNTS, captured: [0, 30, 0, 10] }, 0, years);
  assert.deepEqual(found.q, [0, 0.25, 0.5, 1]);
  assert.deepEqual(found.y, [0, 0.75, 0.75, 1]);
  assert.deepEqual([found.n, found.total, found.rate, found.cases], [2, 40, 20, 4]);
  assert.deepEqual([0, 1, 2, 3].map(found.mean), [NaN, 60, 30, 20]);
  assert.equal(found.lift(1), 3);
  assert.equal(found.profit(1), 2 * 30 - 10 * 0.5);
  assert.deepEqual(Object.keys(found.columns()), ["n", "exposure", "amount", "captured", "mean_amount"]);
  assert.deepEqual(bands(found).map(({ from, to, mean }) => [from, to, mean]), [[0, 0.25, 60], [0.25, 0.5, 0], [0.5, 1, 10]]);
  assert.deepEqual(perfectPoints(found, false), [[0, 0], [0.25, 0.75], [1, 1]]);
});

test("amounts below zero have sums and means but no shares", () => {
  const found = makeModel({ ...AMOUNTS, signed: true }, 0, years);
  assert.equal(found.y, null);
  assert.equal(found.lift(1), NaN);
  assert.equal(found.mean(2), 20);
  assert.deepEqual(capPoints(found, true), [[0, 0], [0.5, 30], [1, 20], [2, 40]]);
  assert.equal(makeStore({ models: [found] }).get().absolute, true);
});

test("horizons with different shares of positives have a perfect line each, scores of one sample share theirs", () => {
  const of = { words: { captured: "defaults" } };
  const other = makeModel({ ...given, tp: [0, 1, 0, 1], name: "later" }, 1, page);
  const first = makeModel({ ...given, name: "sooner" }, 0, page);
  const drawn = perfectLayers({ absolute: false, focus: first, page: of, shown: [first, other] });
  assert.deepEqual(drawn.map(({ points }) => points[1]), [[0.3, 1], [2 / 9, 1]]);
  assert.deepEqual(drawn.map(({ look }) => look), ["line perfect m0", "line perfect m1"]);
  assert.deepEqual(drawn.map(({ label }) => label), ["perfect at 30.0% defaults", "perfect at 22.2% defaults"]);
  const same = makeModel({ ...given, name: "same" }, 1, page);
  assert.deepEqual(perfectLayers({ absolute: false, focus: same, page: of, shown: [first, same] }).map(({ label }) => label), ["perfect"]);
});

test("what is estimated is written in whole cases", () => {
  assert.equal(makeModel({ ...given, estimated: true }, 0, { prevalence: null }).write(2398.7), "2,399");
});

test("a page opens at the share that is certified", () => {
  const found = makeModel(given, 0, { prevalence: null });
  assert.equal(makeStore({ models: [found], opens: found.q[2] }).get().stop, 2);
});

test("bands of many scores are the bins of the gains table", () => {
  const found = makeModel({ ...AMOUNTS, captured: [0, 30, 0, 10], distinct: 99, gains: { columns: { selected: [0.5, 1] } } }, 0, years);
  assert.deepEqual(bands(found).map(({ to, mean }) => [to, mean]), [[0.5, 30], [1, 10]]);
});

test("the curve of a segment of classes is read along cases and along negatives", () => {
  const found = readSegment({ n: 10, n1: 4, cap: [[0, 5000, 5000], [0, 10000, 0]] });
  assert.deepEqual(found.curve, { q: [0, 0.7, 1], y: [0, 1, 1], fpr: [0, 0.5, 1] });
  assert.deepEqual(readSegment({ n: 10, cap: [[0, 5000, 5000], [0, 10000, 0]] }).curve, { q: [0, 0.5, 1], y: [0, 1, 1] });
  assert.equal(readSegment({ n: 10, cap: null }).curve, null);
});

test("a stated prevalence moves the axis of cases only", () => {
  const moved = makeModel(given, 0, { prevalence: 0.5, money: null });
  assert.equal(moved.q[1], 0.5 * (2 / 3) + 0.5 * (1 / 7));
  assert.deepEqual(moved.tpr, model.tpr);
});

const stopsOf = (scored, ...typed) => typed.map((text) => stopOfScore(scored, text).stop ?? null);

test("a typed score selects what stands on its side", () => {
  assert.deepEqual(stopsOf(given, "10", "9", "5.5", "5", "1", "0", "x", ""), [0, 1, 1, 2, 3, 3, null, null]);
  const turned = { ...given, score: [1, 5, 9], higher: false };
  assert.deepEqual(stopsOf(turned, "0", "1", "4", "5", "99"), [0, 1, 1, 2, 3]);
  const large = { ...given, score: ["9007199254740994", "9007199254740993", 5] };
  assert.deepEqual(stopsOf(large, "9007199254740993", "9007199254740994", "9007199254740992.5"), [2, 1, 2]);
  const endless = { ...given, score: ["inf", 5, "-inf"] };
  assert.deepEqual(stopsOf(endless, "inf", "5", "-inf", "0,5"), [1, 2, 3, 2]);
  assert.deepEqual(stopsOf({ ...given, score: [true, false] }, "True", "False"), [1, 2]);
  const odd = ["inf", "constructor", "__proto__", "toString"];
  assert.deepEqual(stopsOf({ ...given, grades: odd, score: odd }, ...odd), [1, 2, 3, 4]);
  const graded = { ...given, grades: ["C", "B", "A"], score: ["C", "B", "A"] };
  assert.deepEqual(stopsOf(graded, "B", "A", "Z"), [2, 3, null]);
});

test("a typed score is exact unless the page skips a score of the data that it selects", () => {
  const exact = (scored, ...typed) => typed.map((text) => stopOfScore(scored, text).asked.exact);
  const few = { ...given, reach: [null, 7.5, null] }; // the data have a score below 7.5 and above 5
  assert.deepEqual(exact(few, "13", "9", "8", "7.5", "7.4999", "6", "5", "2", "1", "-3"),
    [true, true, true, true, false, false, true, true, true, true]);
  const turned = { ...given, score: [1, 5, 9], reach: [null, 2.5, null], higher: false };
  assert.deepEqual(exact(turned, "0", "1", "2", "2.5", "2.6", "4", "5", "8", "20"), [true, true, true, true, false, false, true, true, true]);
  assert.deepEqual(exact({ ...given, reach: [] }, "6", "3"), [true, true]);
});

test("a score is written as it was read", () => {
  const read = (scored, ...typed) => typed.map((text) => stopOfScore(scored, text).asked.text);
  assert.deepEqual(read(given, "0,5", "\u22123", "7.50", "09", "1e3", "inf"), ["0.5", "-3", "7.5", "9", "1000", "inf"]);
  assert.deepEqual(read({ ...given, score: [true, false] }, "true"), ["True"]);
  assert.deepEqual(read({ ...given, score: [0.5, 0.02, 0] }, "2%", "2.3 %", "50%"), ["0.02", "0.023", "0.5"]);
});

test("what cannot be read is answered by what to type", () => {
  const wrong = (scored, text) => stopOfScore(scored, text).wrong;
  assert.equal(wrong(given, "abc"), "“abc” is not a score: type a number.");
  assert.equal(wrong(given, "2%"), "“2%” is not one of these scores, which are not shares: type it without the %.");
  assert.match(wrong({ ...given, score: [1.5, 0.4, 0] }, "2%"), /without the %/);
  assert.equal(wrong(given, "44,500"), "“44,500” can be read in two ways: type 44500, or a decimal point.");
  assert.equal(wrong({ ...given, grades: ["C", "B"], score: ["C", "B"] }, "Z"), "“Z” is not a grade: type one of C, B.");
});

test("the store keeps the cut-off inside, and its share when another score is looked at", () => {
  const other = makeModel({ tp: [0, 1, 2], fp: [0, 2, 5], score: [2, 1] }, 1, page);
  const store = makeStore({ models: [model, other] });
  assert.equal(store.get().stop, 1); // nobody is within 10%
  const heard = [];
  store.on("stop", (view) => heard.push(view.stop));
  store.set({ stop: 99 });
  store.set({ stop: -4 });
  store.set({ stop: 1 });
  store.set({ model: 1 });
  assert.deepEqual(heard, [3, 0, 1, 1]);
});

test("of many scores the six best are drawn, and others once they are chosen", () => {
  const rated = [0.1, 0.9, 0.3, null, 0.9, 0.5, 0.4, 0.2].map((ratio) => ({ ...given, numbers: { accuracy_ratio: [ratio, null, null] } }));
  const ranks = ranksOf(rated);
  assert.deepEqual(ranks, [6, 0, 4, 7, 1, 2, 3, 5]);
  assert.deepEqual(ranksOf(rated.slice(0, 6)), [0, 1, 2, 3, 4, 5]);
  const store = makeStore({ models: rated.map((each, place) => makeModel(each, place, { money: null }, ranks[place])) });
  assert.equal(store.get().focus.place, 1);
  assert.deepEqual(store.get().shown.map(({ look }) => look), ["m0", "m4", "m1", "m2", "m3", "m5"]);
  store.set({ model: 3 });
  assert.deepEqual(store.get().shown.map(({ place }) => place), [1, 2, 3, 4, 5, 6, 7]);
});

test("a score that was typed is known until the cut-off moves in another way", () => {
  const store = makeStore({ models: [model, model] });
  const asked = { text: "6", exact: true };
  store.set({ stop: 1, asked });
  assert.equal(store.get().asked, asked);
  assert.equal(store.get().wanted, null);
  store.set({ log: true });
  assert.equal(store.get().asked, asked);
  store.set({ model: 1 });
  assert.equal(store.get().asked, null);
  store.set({ stop: 2, asked });
  store.set({ stop: 2 });
  assert.equal(store.get().asked, null);
});

test("a decimal comma brings semicolons, and a byte order mark for names", () => {
  const rows = [["a;b", 1234.5, null], ["0.5", -1e-7, 3]];
  assert.equal(csv(["x", "y", "z"], rows, ","), 'x;y;z\r\n"a;b";1234,5;\r\n0.5;-1e-07;3\r\n');
  assert.equal(csv(["größe"], [[0.25]], ","), "\ufeffgröße\r\n0,25\r\n");
  assert.equal(csv(["größe"], [[0.25]]), "größe\r\n0.25\r\n");
  assert.equal(tabbed([["a", 0.25]], ","), "a\t0,25");
});

test("the decimal mark is that of the reader's language", () => {
  assert.deepEqual(["en-US", "de-DE", "fr", "de-CH"].map(localDecimal), [".", ",", ",", "."]);
});

test("csv quotes what needs it", () => {
  assert.equal(csv(["a", "b"], [['x,"y"', null], [1.5, NaN]]), 'a,b\r\n"x,""y""",\r\n1.5,\r\n');
});

test("no cell becomes a formula, and numbers stay numbers", () => {
  assert.equal(csv(["grade"], [["=1+1"], ["@SUM(A1)"], ["-inf"], ["-5"], [-5]]), "grade\r\n'=1+1\r\n'@SUM(A1)\r\n-inf\r\n-5\r\n-5\r\n");
  assert.equal(tabbed([["+1+cmd", 0.25], ["a\tb", 1234]]), "'+1+cmd\t0.25\na b\t1234");
});

test("sorting leaves missing values last", () => {
  assert.deepEqual(sorted([0, 1, 2], [NaN, 2, 1], false), [2, 1, 0]);
  assert.deepEqual(sorted([0, 1, 2], [null, 2, 1], true), [1, 2, 0]);
});

test("legends break where they are full", () => {
  const rows = legendRows([{ label: "a" }, { label: "b" }, { label: "c" }], 100, () => 20);
  assert.deepEqual(rows.map((row) => row.map(({ text }) => text)), [["a"], ["b"], ["c"]]);
  assert.equal(legendRows([{ label: "a" }, { label: "b" }], 120, () => 20)[0][1].at, 63);
  const long = legendRows([{ label: "x".repeat(50), detail: "AR 0.5" }], 150, (text) => 5 * text.length);
  assert.match(long[0][0].text, /^x+…x+$/);
  assert.ok(5 * long[0][0].text.length <= 123);
  assert.deepEqual(long[1], [{ layer: null, at: 0, text: "AR 0.5" }]);
  assert.deepEqual(entriesOf([{ label: "random" }, { label: "a", score: true }, {}]).map(({ label }) => label), ["a", "random"]);
  assert.deepEqual(wrapped("one two three", 8, (text) => text.length), ["one two", "three"]);
});

test("bars are shares of their class, and the cut-off stands beside the last score selected", () => {
  const spread = { labels: [1, 5, 9], positives: [1, 0, 2], negatives: [4, 2, 1] };
  assert.deepEqual(bars(spread, "negatives")[0], [-0.5, 0.5, 4 / 7]);
  assert.equal(cutPlace({ ...model, spread }, 1), 1.5);
  assert.equal(cutPlace({ ...model, spread }, 0), 2.5);
});

test("open bars stand apart and are named", () => {
  const spread = { edges: [0, 0.1, 0.2], below: false, above: true, positives: [1, 2, 7], negatives: [5, 5, 0] };
  assert.deepEqual(ranges(spread), ["0 to < 0.1", "0.1 to < 0.2", "≥ 0.2"]);
  assert.deepEqual(bars(spread, "positives").map(([, , share]) => share), [0.1, 0.2, 0.7]);
  assert.ok(bars(spread, "positives")[2][0] > 0.2);
  assert.equal(beyond({ ...model, name: "pd", spread }), "Open-ended bar, set apart: pd ≥ 0.2: 7 positives, 0 negatives.");
  assert.equal(beyond({ ...model, name: "pd", spread: { ...spread, above: false } }), "");
});

test("a label stands inside the frame and over no curve", () => {
  const bounds = { left: 0, right: 200, top: 0, bottom: 100 };
  const flat = [[0, 65], [200, 65]];
  const found = freePlace([100, 50], 40, bounds, [flat], []);
  assert.ok(!touches(found.box, flat));
  assert.ok(found.box.bottom < 65);
  const many = Array.from({ length: 40 }, (_, i) => [[0, 3 * i], [200, 3 * i]]);
  assert.equal(freePlace([100, 50], 40, bounds, many, []), null);
  assert.ok(touches({ left: 10, right: 20, top: 10, bottom: 20 }, [[0, 0], [30, 30]]));
  assert.ok(!touches({ left: 10, right: 20, top: 10, bottom: 20 }, [[0, 12], [12, 0]]));
});

test("each segment keeps a look that no other chosen one has", () => {
  let chosen = withSegment(withSegment(new Map(), 7, true), 3, true);
  chosen = withSegment(withSegment(chosen, 7, false), 5, true);
  assert.deepEqual([...chosen], [[3, 1], [5, 0]]);
});

test("where a band of a difference leaves zero", () => {
  const band = { first: "new", second: "old", q: [0, 0.5, 1], low: [0, 0.1, 0], high: [0, 0.2, 0] };
  assert.equal(clearShares(band), "new captures significantly more in the top 50.0%.");
  const wide = { ...band, q: [0, 0.01, 0.5, 0.96, 1], low: [0, 1, 1, 1, 0], high: [0, 2, 2, 2, 0] };
  assert.equal(clearShares(wide), "new captures significantly more from the top 1.0% to the top 96.0%.");
  const turned = { ...wide, low: wide.high.map((v) => -v), high: wide.low.map((v) => -v) };
  assert.equal(clearShares(turned), "old captures significantly more from the top 1.0% to the top 96.0%.");
  assert.match(clearShares({ ...band, low: [0, -1, 0] }), /^Zero is inside the band everywhere/);
});

test("lift of single groups is by score as long as they are few", () => {
  assert.deepEqual(liftGroups(model), [0, 1, 2, 3]);
  const many = makeModel({ tp: Array(36).fill(1), fp: Array(36).fill(9), score: Array.from({ length: 35 }, (_, i) => 35 - i), higher: true, distinct: 35 }, 0, {});
  assert.equal(liftGroups(many).length, 21);
});
