// Five cases small enough to follow by eye: low scores are bad, and 100 and 300 went bad.

import { makeModel } from "./model.js";

const SCORES = [100, 200, 300, 400, 500];
const OUTCOMES = [true, false, true, false, false];

/** The five cases as a model. */
export const fiveCases = {
  ...makeModel(
    {
      name: "five cases",
      tp: [0, ...OUTCOMES.map(Number)],
      fp: [0, ...OUTCOMES.map((positive) => Number(!positive))],
      score: SCORES,
      higher: false,
      grades: null,
      ks: 1,
    },
    0,
    { prevalence: null, money: null },
  ),
  scores: SCORES,
  outcomes: OUTCOMES,
};
