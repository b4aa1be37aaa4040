// What positives are called.

import assert from "node:assert/strict";
import { test } from "node:test";

import { spoken } from "../src/noun.js";

test("a noun takes the place of positives, but not in terms of their own", () => {
  const say = (text) => spoken(text, ["event", "events"]);
  assert.equal(say("187 of 715 positives, a positive"), "187 of 715 events, an event");
  assert.equal(say("Positives captured (TPR)"), "Events captured (TPR)");
  assert.equal(say("false positive rate, true positives, positive_rate"), "false positive rate, true positives, positive_rate");
});
