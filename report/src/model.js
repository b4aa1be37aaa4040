// One score, read from what the page was given: counts and rates at every cut-off.

import { percent } from "./format.js";
import { nearest, running } from "./geometry.js";

const NAMED = new Map([["inf", Infinity], ["-inf", -Infinity], ["true", 1], ["false", 0]]);

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

/** Return the look of a score: six colours with a dash each, and then these with another dash. */
const lookOf = (place) => `m${place % 6}${place < 6 ? "" : " again"}`;

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
    ...given, segments: (given.segments ?? []).map(readSegment), place, look: lookOf(place), tp, fp, tpr, fpr, q, rate, n1, n0, n: n1 + n0, money,
    last: tp.length - 1,
    score: (stop) => (stop === 0 ? null : given.score[stop - 1]),
    selected: (stop) => tp[stop] + fp[stop],
    lift: (stop) => (q[stop] > 0 ? tpr[stop] / q[stop] : NaN),
    liftOfNegatives: (stop) => (q[stop] > 0 ? fpr[stop] / q[stop] : NaN),
    precision: (stop) => (q[stop] > 0 ? (rate * tpr[stop]) / q[stop] : NaN),
    gap: (stop) => tpr[stop] - fpr[stop],
    profit: (stop) => (n1 + n0) * (money.value * rate * tpr[stop] - money.cost * q[stop]),
    atShare: (share) => nearest(q, share),
    atWanted: (share) => stopAtWanted(q, share),
    atScore: (typed) => stopOfScore(given, typed),
  };
}

/** Return the stop at a share that was asked for: one that reads like it, or the deepest within. */
function stopAtWanted(q, share) {
  const close = nearest(q, share);
  if (percent(q[close]) === percent(share)) return close;
  return q.findLastIndex((selected) => selected <= share);
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
  const cut = exact(text.replace("\u2212", "-").replace(",", "."));
  if (text === "" || Number.isNaN(cut)) return null;
  const selected = (score) => (given.higher ? exact(score) >= cut : exact(score) <= cut);
  return given.score.filter(selected).length;
}

/** Return a score as what compares exactly: whole numbers of any size, floats, infinities. */
function exact(score) {
  return /^[+-]?\d+$/.test(score) ? BigInt(score) : numeric(score);
}

/** Return a score as a number. */
export function numeric(score) {
  const named = NAMED.get(String(score).toLowerCase());
  return named ?? Number(score);
}
