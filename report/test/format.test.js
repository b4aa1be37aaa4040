// Numbers are written as the Python side writes them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { amount, answered, besides, brief, briefPoints, compact, firstShare, fixed, money, percent, points, quantity, ranged, rule, scoreText, sentence, shortened, shortestCutoff, three, tickText, two } from "../src/format.js";
import { makeModel } from "../src/model.js";
import { fiveCases } from "../src/teaching.js";

const golden = JSON.parse(readFileSync(new URL("golden.json", import.meta.url), "utf-8"));

test("exact halves go to the even digit, as in Python", () => {
  assert.deepEqual([0.125, 0.375, 2.5, 0.5, -0.125].map((v, i) => fixed(v, [2, 2, 0, 0, 2][i])), ["0.12", "0.38", "2", "0", "-0.12"]);
  assert.equal(fixed(2.35, 1), (2.35).toFixed(1));
  assert.equal(fixed(0.9999, 3), "1.000");
});

test("shares never read 0% or 100% when they are not", () => {
  assert.deepEqual([0.4, 2 / 3, 0.00021, 0.99999, 0, 1, 0.0225].map(percent), ["40.0%", "66.7%", "0.02%", "99.999%", "0.0%", "100.0%", "2.2%"]);
});

test("along an axis a share has no needless digits", () => {
  assert.deepEqual([0, 0.4, 0.025, 1, 0.95].map(brief), ["0%", "40%", "2.5%", "100%", "95%"]);
});

test("the sentence of the five cases at 100", () => {
  assert.equal(rule(fiveCases, 1), "five cases\u00a0≤\u00a0100");
  assert.equal(rule(fiveCases, 0), "nobody is selected");
  const graded = makeModel({ tp: [0, 2, 1], fp: [0, 1, 4], score: ["C", "B"], grades: ["C", "B"], name: "grade" }, 0, {});
  assert.deepEqual([1, 2].map((stop) => rule(graded, stop)), ["grade C", "grades C to B"]);
  assert.equal(
    sentence(fiveCases, 1),
    "By five cases, the top 20.0% of cases (1 of 5) hold 50.0% of all positives (1 of 2), 2.50 times as many as a random selection of that size (five cases\u00a0≤\u00a0100).",
  );
});

test("the sentence of amounts says how much is held, and its mean", () => {
  const given = { name: "s", selected: [0, 0.5, 1.5], captured: [0, 30, 10], rows: [0, 1, 2], perfect: [[0, 2], [0, 40]], score: [9, 5], higher: true, grades: null };
  const words = { selected: "years", captured: "claims", allSelected: "all years", allCaptured: "all claims", hold: "hold" };
  const model = makeModel(given, 0, { kind: "amounts", words, prevalence: null, money: null });
  assert.equal(sentence(model, 1), "By s, the top 25.0% of years (0.5 of 2) hold 75.0% of all claims (30 of 40), 3.00 times as much as a random selection of that size, a mean of 60 per unit of years (s\u00a0≥\u00a09).");
  const signed = makeModel({ ...given, signed: true }, 0, { kind: "amounts", words, prevalence: null, money: null });
  assert.equal(sentence(signed, 1), "By s, the top 25.0% of years (0.5 of 2) hold 30 of 40, a mean of 60 per unit of years (s\u00a0≥\u00a09).");
  assert.equal(besides(signed, 1, 0.5), "No cut-off on this page selects exactly 50.0%. The nearest select 25.0% and 100.0%.");
});

test("the cut-off nearest to a share that was asked for is said to be that", () => {
  const model = makeModel({ name: "s", higher: true, tp: [0, 2, 1], fp: [0, 98, 899], score: [2, 1], distinct: 2 }, 0, {});
  assert.match(sentence(model, 1, 0.1001), /^By s, the top 10\.0% of cases \(100 of 1,000\), at the cut-off nearest to 10%, hold 66\.7% /);
  for (const asked of [null, 0.1, 0.5]) assert.doesNotMatch(sentence(model, 1, asked), /nearest/);
});

test("a share between two cut-offs says so, and what the CAP gives there", () => {
  assert.equal(besides(fiveCases, 1, 0.2), "");
  assert.equal(
    besides(fiveCases, 2, 0.5),
    "No cut-off on this page selects exactly 50.0%. The nearest select 40.0% and 60.0%. Between them the CAP gives 75.0% captured at 50.0%.",
  );
});

test("a typed score that is no stop says what the stops select", () => {
  const given = { tp: [0, 2, 0, 1], fp: [0, 1, 2, 4], score: [9, 5, 1], reach: [null, 7.5, null], higher: true, grades: null };
  const model = makeModel(given, 0, { prevalence: null, money: null });
  const told = (typed) => {
    const { stop, asked } = model.atScore(typed);
    return answered(model, stop, asked);
  };
  assert.equal(told("9"), "");
  assert.equal(told("9.0"), "");
  assert.equal(told("10"), ""); // the sentence says that nobody is selected
  assert.equal(told("8"), "8 selects the same cases as 9: no score lies between.");
  assert.equal(told("7"), "7 is not a cut-off of this page. The nearest select 3 cases (≥\u00a09) and 5 cases (≥\u00a05).");
  assert.equal(told("4,5"), "4.5 selects the same cases as 5: no score lies between.");
  assert.equal(told("0"), "0 selects the same cases as 1: no score lies between.");
  assert.equal(answered(model, 1, null), "");
});

const WRITERS = {
  scores: scoreText, shares: percent, amounts: amount, money, quantities: quantity, three, two, ticks: tickText,
  points, limits: ranged, starts: firstShare, names: ([name, most]) => shortened(name, most),
};

test("numbers are written as Python writes them", () => {
  assert.deepEqual(Object.keys(golden).sort(), Object.keys(WRITERS).sort());
  for (const [kind, write] of Object.entries(WRITERS)) {
    for (const [value, text] of golden[kind]) assert.equal(write(value), text, `${kind} ${value}`);
  }
});

test("a cut-off of many digits is the shortest number that selects the same cases", () => {
  assert.equal(shortestCutoff(0.9000000002184081, 0.8999990001151286, { falls: true }), "0.9");
  assert.equal(shortestCutoff(0.5282800001749606, 0.52828, { falls: true }), "0.5282800001");
  assert.equal(shortestCutoff(0.5282800001749606, 0.52828, { falls: true, within: true }), "0.52828");
  assert.equal(shortestCutoff(-2.3456789012, -1.9, { falls: false }), "-2");
  assert.equal(shortestCutoff(3.48153630302855e-10, null, { falls: true }), "0");
  assert.deepEqual([0.12, 600, Math.fround(0.1), "BB"].map((score) => shortestCutoff(score, null, { falls: true })), ["0.12", "600", "0.10000000149011612", "BB"]);
});
