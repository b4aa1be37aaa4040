// Numbers are written as the Python side writes them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { amount, compact, fixed, percent, ranged, rule, scoreText, sentence, shortened } from "../src/format.js";
import { fiveCases } from "../src/teaching.js";

test("exact halves go to the even digit, as in Python", () => {
  assert.deepEqual([0.125, 0.375, 2.5, 0.5, -0.125].map((v, i) => fixed(v, [2, 2, 0, 0, 2][i])), ["0.12", "0.38", "2", "0", "-0.12"]);
  assert.equal(fixed(2.35, 1), (2.35).toFixed(1));
  assert.equal(fixed(0.9999, 3), "1.000");
});

test("shares never read 0% or 100% when they are not", () => {
  assert.deepEqual([0.4, 2 / 3, 0.00021, 0.99999, 0, 1, 0.0225].map(percent), ["40%", "66.7%", "0.02%", "99.999%", "0%", "100%", "2.2%"]);
});

test("amounts, weights and sums", () => {
  assert.deepEqual([12345, 2.5, 1234567.891, -3].map(amount), ["12,345", "2.5", "1,234,567.9", "−3"]);
  assert.equal(compact(-50000), "−50K");
});

test("scores stay readable and infinite ones have their sign", () => {
  assert.deepEqual([0.1, 1 / 3, "A1", "-inf", null, -2].map(scoreText), ["0.1", "0.333333", "A1", "−∞", "–", "−2"]);
});

test("limits follow the number when they are known", () => {
  assert.equal(ranged([0.5, 0.4, 0.6]), "0.500 [0.400, 0.600]");
  assert.equal(ranged([0.5, null, null]), "0.500");
});

test("long names are cut in the middle, between whole letters", () => {
  assert.equal(shortened("🙂".repeat(30), 5), "🙂🙂…🙂🙂");
});

test("the sentence of the five cases at 100", () => {
  assert.equal(rule(fiveCases, 1), "score\u00a0≤\u00a0100");
  assert.equal(rule(fiveCases, 0), "nobody is selected");
  assert.equal(
    sentence(fiveCases, 1),
    "The top 20% of cases hold 50% of all positives, 2.50 times as many as a random selection of that size: 1 of the 1 selected are positive (score\u00a0≤\u00a0100).",
  );
});
