// One score, read from what the page was given: counts and rates at every cut-off.

import { countBelow, nearest, running } from "./geometry.js";

/** Return all that the page was given, with its models ready to be read. */
export function readPage(text) {
  const given = JSON.parse(text);
  const models = given.models.map((model, place) => makeModel(model, place, given));
  return { ...given, models };
}

const GRID = 10_000;

/** Return a segment with the points of its ROC as shares. */
export function readSegment(segment) {
  const shares = segment.cap?.map((rises) => running(rises).map((sum) => sum / GRID));
  return { ...segment, cap: shares ?? null };
}

/** Return a model: `tp`, `fp`, `tpr`, `fpr`, `q` by stop, and what is read off them. */
export function makeModel(given, place, page) {
  const tp = running(given.tp);
  const fp = running(given.fp);
  const [n1, n0] = [tp.at(-1), fp.at(-1)];
  const [tpr, fpr] = [tp.map((sum) => sum / n1), fp.map((sum) => sum / n0)];
  const stated = page.prevalence !== null;
  const rate = stated ? page.prevalence : n1 / (n1 + n0);
  const q = stated
    ? tpr.map((share, stop) => rate * share + (1 - rate) * fpr[stop])
    : tp.map((sum, stop) => (sum + fp[stop]) / (n1 + n0));
  const money = page.money;
  return {
    ...given, segments: (given.segments ?? []).map(readSegment), place, tp, fp, tpr, fpr, q, rate, n1, n0, n: n1 + n0, money,
    last: tp.length - 1,
    score: (stop) => (stop === 0 ? null : given.score[stop - 1]),
    selected: (stop) => tp[stop] + fp[stop],
    lift: (stop) => (q[stop] > 0 ? tpr[stop] / q[stop] : NaN),
    liftOfNegatives: (stop) => (q[stop] > 0 ? fpr[stop] / q[stop] : NaN),
    precision: (stop) => (q[stop] > 0 ? (rate * tpr[stop]) / q[stop] : NaN),
    gap: (stop) => tpr[stop] - fpr[stop],
    profit: (stop) => (n1 + n0) * (money.value * rate * tpr[stop] - money.cost * q[stop]),
    atShare: (share) => nearest(q, share),
    atScore: (typed) => stopOfScore(given, typed),
  };
}

/** Return the stop that selects every case on the better side of a typed score; null if none. */
export function stopOfScore(given, typed) {
  const text = String(typed).trim();
  if (given.grades) {
    const named = given.grades.indexOf(text);
    if (named < 0) return null;
    const places = given.score.map((grade) => given.grades.indexOf(String(grade)));
    return places.filter((place) => place <= named).length;
  }
  const cut = Number(text.replace("−", "-").replace(",", "."));
  if (text === "" || Number.isNaN(cut)) return null;
  const rising = given.score.map((score) => (given.higher ? -1 : 1) * numeric(score));
  const limit = given.higher ? -cut : cut;
  return countBelow(rising, limit) + rising.filter((score) => score === limit).length;
}

/** Return a score as a number. */
export function numeric(score) {
  if (score === "inf") return Infinity;
  if (score === "-inf") return -Infinity;
  return Number(score);
}
