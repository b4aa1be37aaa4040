// One score, read from what the page was given: what is selected and captured at every cut-off.

import { amount, percent, quantity, scoreText, shortened, shortestCutoff } from "./format.js";
import { nearest, running } from "./geometry.js";

const CASES = { selected: "cases", captured: "positives", allSelected: "all cases", allCaptured: "all positives", hold: "hold" };
const NAMED = new Map([["inf", Infinity], ["-inf", -Infinity], ["true", 1], ["false", 0]]);
// A comma before three digits is that of thousands, or of decimals.
const GROUPED = /^-?[1-9]\d{0,2}(,\d{3})+$/;
const MOST_NAMED = 12;
/** So many scores have a colour of their own. */
export const COLOURS = 6;

/** Return all that the page was given, with its models ready to be read. */
export function readPage(text) {
  const given = { words: CASES, ...JSON.parse(text) };
  const ranks = ranksOf(given.models);
  const models = given.models.map((model, place) => makeModel(model, place, given, ranks[place]));
  return { ...given, models };
}

/** Return in which order scores get their looks: as they come, or of more than have a colour of their own the best first. */
export function ranksOf(models) {
  const places = models.map((_, place) => place);
  if (models.length <= COLOURS) return places;
  const ratio = (place) => models[place].numbers.accuracy_ratio[0] ?? -Infinity;
  const best = [...places].sort((one, other) => ratio(other) - ratio(one) || one - other);
  return places.map((place) => best.indexOf(place));
}

const GRID = 10_000;

/** Return a segment with the points of its curves as shares: `q`, `y`, and of classes `fpr`. */
export function readSegment(segment) {
  const [x, y] = (segment.cap ?? []).map((rises) => running(rises).map((sum) => sum / GRID));
  if (!x) return { ...segment, curve: null };
  if (segment.n1 === undefined) return { ...segment, curve: { q: x, y } };
  const rate = segment.n1 / segment.n;
  return { ...segment, curve: { q: y.map((tpr, i) => rate * tpr + (1 - rate) * x[i]), y, fpr: x } };
}

/** Return the look of a score: six colours with a dash each, and then these with another dash. */
const lookOf = (rank) => `m${rank % COLOURS}${rank < COLOURS ? "" : " again"}`;

/** Return a model: the shares selected and captured by stop, `q` and `y`, and what is read off them. */
export function makeModel(given, place, page, rank = place) {
  const sums = page.kind === "amounts" ? ofAmounts(given, page.money) : ofClasses(given, page.prevalence ?? null, page.money);
  const { q, y } = sums;
  return {
    ...given, ...sums, kind: page.kind ?? "classes", write: page.kind === "amounts" ? quantity : given.estimated ? (cases) => amount(Math.round(cases)) : amount, words: page.words ?? CASES, segments: (given.segments ?? []).map(readSegment), place, rank, look: lookOf(rank), money: page.money, stated: (page.prevalence ?? null) !== null,
    last: q.length - 1,
    score: (stop) => (stop === 0 ? null : given.score[stop - 1]),
    cutoff: (stop) => cutoffText(given, stop),
    lift: (stop) => (y && q[stop] > 0 ? y[stop] / q[stop] : NaN),
    atShare: (share) => nearest(q, share),
    atWanted: (share) => stopAtWanted(q, share),
    atScore: (typed) => stopOfScore(given, typed),
  };
}

/** Return the score of a stop as people read it: few digits that select the same cases. */
function cutoffText({ score, reach, higher, grades }, stop) {
  if (stop === 0) return scoreText(null);
  if (grades) return scoreText(score[stop - 1]);
  const last = reach?.[stop] ?? null;
  const limit = last === null ? (score[stop] ?? null) : last;
  return shortestCutoff(score[stop - 1], limit === null ? null : numeric(limit), { falls: higher, within: last !== null });
}

/** Return what is read off cases of two classes. `rate` is the share of positives, `mean` that of those selected. */
function ofClasses(given, stated, money) {
  const [tp, fp] = [running(given.tp), running(given.fp)];
  const [n1, n0] = [tp.at(-1), fp.at(-1)];
  const [tpr, fpr] = [tp.map((sum) => sum / n1), fp.map((sum) => sum / n0)];
  const n = n1 + n0;
  const rate = stated ?? n1 / n;
  const q = stated === null
    ? tp.map((sum, stop) => (sum + fp[stop]) / n)
    : tpr.map((share, stop) => rate * share + (1 - rate) * fpr[stop]);
  // Where no negative is selected, this is 1 exactly, also of weights.
  const kept = (stop) => (stated === null ? tp[stop] / (tp[stop] + fp[stop]) : (rate * tpr[stop]) / q[stop]);
  const mean = (stop) => (q[stop] > 0 ? kept(stop) : NaN);
  return {
    tp, fp, tpr, fpr, n1, n0, n, cases: n, q, y: tpr, rate, total: n1,
    perfect: [[0, 0], [rate * n, n1], [n, n1]],
    selected: (stop) => tp[stop] + fp[stop],
    captured: (stop) => tp[stop],
    others: (stop) => fp[stop],
    mean,
    liftOfNegatives: (stop) => (q[stop] > 0 ? fpr[stop] / q[stop] : NaN),
    gap: (stop) => tpr[stop] - fpr[stop],
    columns: () => ({
      tp, fp, fn: tp.map((sum) => n1 - sum), tn: fp.map((sum) => n0 - sum), tpr, fpr,
      precision: tp.map((_, stop) => mean(stop)),
    }),
    profit: (stop) => n * (money.value * rate * tpr[stop] - money.cost * q[stop]),
  };
}

/** Return what is read off amounts. `rate` is the mean amount of all, `mean` that of those selected.
 *
 * `n` is the exposure, or the number of cases where none was given, `total` the amount of all. Where
 * amounts are negative too, shares of the total mean nothing, and `y` is null. `perfect` is in units.
 */
function ofAmounts(given, money) {
  const [selected, captured] = [running(given.selected), running(given.captured)];
  const best = given.perfect.map(running);
  const rows = given.rows ? running(given.rows) : selected;
  const [n, total] = [selected.at(-1), captured.at(-1)];
  const y = given.signed ? null : captured.map((sum) => sum / total);
  const mean = (stop) => (selected[stop] > 0 ? captured[stop] / selected[stop] : NaN);
  return {
    rows, cases: rows.at(-1), n, total, rate: total / n,
    q: selected.map((sum) => sum / n),
    y,
    perfect: best[0].map((sum, i) => [sum, best[1][i]]),
    selected: (stop) => selected[stop],
    captured: (stop) => captured[stop],
    mean,
    columns: () => ({
      ...(given.rows ? { n: rows, exposure: selected } : { n: rows }), amount: captured, ...(y ? { captured: y } : {}),
      mean_amount: selected.map((_, stop) => mean(stop)),
    }),
    profit: (stop) => money.value * captured[stop] - money.cost * selected[stop],
  };
}

/** Return the stop at a share that was asked for: one that reads like it, or the deepest within. */
function stopAtWanted(q, share) {
  const close = nearest(q, share);
  if (percent(q[close]) === percent(share)) return close;
  return q.findLastIndex((selected) => selected <= share);
}

/** Return the stop that a typed score selects, `{ stop, asked }`, or `{ wrong }`: what to type instead.
 *
 * `asked` holds the score as it was read, `text`, and `exact`: whether it is known that no score of
 * the data lies between it and that of the stop, so that both select the same cases.
 */
export function stopOfScore(given, typed) {
  const text = String(typed).trim().replace("\u2212", "-");
  const cut = given.grades ? given.grades.indexOf(text) : cutOf(text);
  const wrong = given.grades ? cut < 0 && notAmong(given.grades) : unread(given, text, cut);
  if (wrong) return { wrong: `“${shortened(text)}” ${wrong}.` };
  const place = given.grades ? (grade) => given.grades.indexOf(String(grade)) : exact;
  const selects = (score) => (given.higher && !given.grades ? place(score) >= cut : place(score) <= cut);
  const stop = given.score.filter(selects).length;
  const [reach, after] = [given.reach?.[stop] ?? null, given.score[stop]];
  const same = stop > 0 && place(given.score[stop - 1]) === cut;
  const read = same ? given.score[stop - 1] : typeof cut === "bigint" ? String(cut) : cut;
  return { stop, asked: { text: scoreText(read), exact: reach === null ? after === undefined || !selects(after) : !selects(reach) || place(reach) === cut } };
}

const notAmong = (grades) => `is not a grade: type ${grades.length > MOST_NAMED ? "one from the tables below" : `one of ${grades.join(", ")}`}`;

/** Return a typed score as what compares exactly: with a decimal comma, or in percent. */
function cutOf(text) {
  const bare = text.replace(/\s*%$/, "");
  return bare === "" ? NaN : exact(`${bare.replace(",", ".")}${bare === text ? "" : "e-2"}`);
}

/** Return why a typed score cannot be read; nothing where it can. */
function unread(given, text, cut) {
  if (GROUPED.test(text)) {
    const open = text.indexOf(",") === text.lastIndexOf(",");
    return `${open ? "can be read in two ways" : "has commas"}: type ${text.replaceAll(",", "")}${open ? ", or a decimal point" : ""}`;
  }
  if (Number.isNaN(cut)) return "is not a score: type a number";
  return text.endsWith("%") && !ofShares(given) ? "is not one of these scores, which are not shares: type it without the %" : "";
}

/** Whether every score is a probability, so that one may be typed in percent. */
function ofShares({ score }) {
  return [score[0], score.at(-1)].every((end) => numeric(end) >= 0 && numeric(end) <= 1);
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
