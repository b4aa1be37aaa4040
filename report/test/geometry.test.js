// The geometry of the page, checked on five cases that can be followed by hand.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  aboveDiagonal, between, countBelow, heightAt, morphed, nearest, nearestPoint, ratioOnTheWay, refined,
} from "../src/geometry.js";
import { fiveCases } from "../src/teaching.js";

const close = (found, expected) => assert.ok(Math.abs(found - expected) < 1e-12, `${found} is not ${expected}`);

test("the morph begins at the CAP and ends at the ROC's exact points", () => {
  const { q, tpr, fpr, rate } = fiveCases;
  q.forEach((x, i) => {
    close(morphed(x, tpr[i], rate, 0), x);
    close(morphed(x, tpr[i], rate, 1), fpr[i]);
  });
});

test("the accuracy ratio of the five cases is 2/3, wherever the curve is on its way", () => {
  for (const t of [0, 0.25, 0.5, 1]) close(ratioOnTheWay(fiveCases.q, fiveCases.tpr, fiveCases.rate, t), 2 / 3);
});

test("x moves by the prevalence times the gap", () => {
  const { q, tpr, fpr, rate } = fiveCases;
  q.forEach((x, i) => close(x - fpr[i], rate * (tpr[i] - fpr[i])));
});

test("the diagonal holds no area, the perfect ROC a half", () => {
  close(aboveDiagonal([0, 0.3, 1], [0, 0.3, 1]), 0);
  close(aboveDiagonal([0, 0, 1], [0, 1, 1]), 0.5);
});

test("searching ascending values", () => {
  assert.equal(countBelow([1, 2, 2, 3], 2), 1);
  assert.equal(countBelow([1, 2], 9), 2);
  assert.equal(nearest([0, 0.4, 0.4, 1], 0.5), 1);
  assert.equal(nearest([0, 1], 0.51), 1);
  assert.equal(nearest([0, 1], 0.5), 0);
  assert.equal(nearestPoint([0, 0, 1], [0, 1, 1], 0.1, 0.8), 1);
});

test("heights between points, and the top where the line is vertical", () => {
  close(heightAt([0, 0.5, 1], [0, 1, 1], 0.25), 0.5);
  assert.equal(heightAt([0, 0, 1], [0, 0.7, 1], 0), 0.7);
  assert.equal(heightAt([0, 1], [0, 1], 2), 1);
});

test("long segments get points in between, at fractions of places", () => {
  assert.deepEqual(refined([0, 0.1, 1], 0.5), [0, 1, 1.5, 2]);
  close(between([0, 0.1, 1], 1.5), 0.55);
});
