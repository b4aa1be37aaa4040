// Numbers and sentences as people read them, the same as everywhere else in capcurve.

import { heightAt } from "./geometry.js";

const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });
const [SPREAD, SMALL_SUM, LARGE_SUM] = [1000, 100, 100_000];
// A float from 1/2 on has no more than 53 decimals, and no share below 1 needs more than 15 of its percents.
const [EXACT, MOST_DIGITS] = [60, 16];
// Cut-offs of more digits are shown with as few as select the same cases.
const [CUTOFF_DIGITS, MOST_PLACES] = [6, 40];
const [LEAST_COMPACT, LARGEST_COMPACT, LARGEST_PLAIN] = [1e-4, 1e15, 1e16];

/** Return a number with a fixed number of digits; exact halves go to the even digit. */
export function fixed(value, digits) {
  const text = Math.abs(value).toFixed(Math.min(digits + 40, 100));
  const cut = text.length - 40;
  const rest = text.slice(cut);
  const usual = value.toFixed(digits);
  if (!/^50*$/.test(rest)) return usual;
  const kept = text.slice(0, cut).replace(/\.$/, "");
  if (Number(kept.at(-1)) % 2) return usual;
  return (value < 0 ? "-" : "") + kept;
}

/** Return a written number with the minus sign that people read; a cut-off, which may be typed back, keeps the hyphen. */
export const trueMinus = (text) => text.replace(/^-/, "\u2212");

/** Return a number with a fixed number of digits and the minus sign that people read; nought has none. */
const signless = (value, digits) => {
  const text = fixed(value, digits);
  return Number(text) ? trueMinus(text) : text.replace("-", "");
};

/** Return a share in percent with one decimal; with more where that would read 0% or 100%. */
export function percent(share) {
  for (let digits = 1; digits < MOST_DIGITS; digits += 1) {
    const text = percents(share, digits);
    if (share === 0 || share === 1 || ![0, 100].includes(Number(text))) return trueMinus(`${text}%`);
  }
  return trueMinus(`${(100 * share).toExponential(1)}%`);
}

const percents = (share, digits) => (Math.abs(share) < 0.5 ? fixed(100 * share, digits) : hundredfold(share, digits));

/** Return a share in percent without needless digits, as along an axis and for a level. */
export const brief = (share) => percent(share).replace(".0%", "%");

/** Return a difference of shares with its sign, in percentage points. */
export function points(difference) {
  const text = signless(100 * difference, 1);
  return `${difference > 0 && Number(text) ? "+" : ""}${text} pp`;
}

/** Return percentage points along an axis. */
export const briefPoints = (difference) => `${trueMinus(String(Number((100 * difference).toPrecision(6))))} pp`;

/** Return 100 times a share with a fixed number of digits: near 1 the product itself would be 100. */
function hundredfold(share, digits) {
  const unit = 10n ** BigInt(EXACT - 2 - digits);
  const whole = BigInt(Math.abs(share).toFixed(EXACT).replace(".", ""));
  const twice = 2n * (whole % unit);
  const even = whole / unit;
  const rounded = twice > unit || (twice === unit && even % 2n) ? even + 1n : even;
  const text = String(rounded).padStart(digits + 1, "0");
  return `${share < 0 ? "-" : ""}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** Return a number of cases, or a weight: from 1 on four digits say enough. */
export function amount(cases) {
  if (Math.abs(cases) > Number.MAX_SAFE_INTEGER) return measured(cases, 6);
  if (Number.isInteger(cases) || Math.abs(cases) >= SPREAD) return grouped(fixed(cases, 1).replace(/\.0$/, ""));
  return measured(cases, Math.abs(cases) >= 1 ? 4 : 6);
}

/** Return a sum of money: small ones with two decimals, unless they are whole. */
export function money(sum) {
  return grouped(fixed(sum, Math.abs(sum) >= SMALL_SUM || Number.isInteger(sum) ? 0 : 2));
}

/** Return a sum or mean of amounts or exposures: four digits, and all before the point. */
export function quantity(value) {
  const size = Math.abs(value);
  if (Number.isNaN(value)) return "–";
  if (!Number.isInteger(value) && size >= 1 && size < LARGEST_PLAIN) return grouped(fixed(value, size >= LARGE_SUM ? 0 : size >= SMALL_SUM ? 1 : 2));
  return size >= 1 || value === 0 ? amount(value) : measured(value, 4);
}

/** Return a number to so many digits. */
const measured = (value, digits) => trueMinus(scoreText(Number(value.toPrecision(digits))));

/** Return a decimal with a comma before each three digits of its whole part. */
const grouped = (text) => trueMinus(text).replace(/^\u2212?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));

/** Return a sum as short as an axis has room for. */
export function compact(sum) {
  const size = Math.abs(sum);
  return size >= LARGEST_COMPACT || (size > 0 && size < LEAST_COMPACT) ? measured(sum, 3) : trueMinus(COMPACT.format(sum));
}

/** Return a number with three decimals, or a dash where there is none. */
export function three(value) {
  return value === null || value === undefined ? "–" : signless(value, 3);
}

/** Return a number with two decimals, or a dash where there is none. */
export function two(value) {
  return value === null || Number.isNaN(value) ? "–" : signless(value, 2);
}

/** Return a number with its limits. */
export function ranged([value, low, high], write = three) {
  if (value === null || low === null || low === undefined) return write(value);
  return `${write(value)} [${write(low)}, ${write(high)}]`;
}

/** Return a score or grade as Python writes it: the shortest decimal that is the same number. */
export function scoreText(score) {
  if (score === null || score === undefined) return "–";
  if (typeof score === "boolean") return score ? "True" : "False";
  if (typeof score !== "number") return String(score);
  if (!Number.isFinite(score)) return String(score).replace("Infinity", "inf");
  const [digits, power] = score.toExponential().split("e");
  if (power >= -4 && power < 16) return decimal(score);
  return `${digits}e${power[0]}${power.slice(1).padStart(2, "0")}`;
}

/** Return the shortest decimal from a score down, or up, to a limit, as a cut-off: all of them select the same cases.
 *
 * `limit` is the next score, which is not selected, or with `within` the last number known to select the same.
 */
export function shortestCutoff(score, limit, { falls, within = false }) {
  const full = scoreText(score);
  // Numbers of few digits, and those of 32 bits, which others may round again, stay as they are.
  if (typeof score !== "number" || Number.isInteger(score) || Math.fround(score) === score || digitsOf(score) <= CUTOFF_DIGITS) return full;
  const turn = falls ? 1 : -1;
  const same = (near) => turn * near <= turn * score && (limit === null || turn * near > turn * limit || (within && near === limit));
  for (let places = 0; places <= MOST_PLACES; places += 1) {
    const rounded = Number(score.toFixed(places));
    const step = turn * 10 ** -places;
    const near = [rounded, Number((rounded - step).toFixed(places))].find(same);
    if (near !== undefined) return [scoreText(near + 0), full].sort((a, b) => a.length - b.length)[0];
  }
  return full;
}

const digitsOf = (score) => score.toExponential().split("e")[0].replace(/[^\d]/g, "").length;

/** Return a number without exponent: JavaScript itself begins one at 1e-7. */
function decimal(score) {
  const text = String(score);
  if (!text.includes("e")) return text;
  const [digits, power] = text.replace("-", "").split("e-");
  return `${score < 0 ? "-" : ""}0.${"0".repeat(power - 1)}${digits.replace(".", "")}`;
}

/** Return a tick of an axis of scores, short. */
export function tickText(score) {
  return scoreText(Number(score.toPrecision(6))).replaceAll("-", "−").replace("inf", "∞");
}

/** Return text cut in the middle when it is longer than there is room for. */
export function shortened(text, most = 26) {
  const letters = [...text];
  if (letters.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${letters.slice(0, half).join("")}…${letters.slice(half + 1 - most).join("")}`;
}

/** Return the share from which lift is drawn: over fewer cases it is large by chance. */
export function firstShare(cases) {
  return Math.min(0.1, Math.max(0.01, 100 / Math.max(1, cases)));
}

/** Return the rule of a cut-off: which scores or grades are selected. */
export function rule(model, stop) {
  if (stop === 0) return "nobody is selected";
  const score = model.cutoff(stop);
  if (!model.grades) return `${shortened(model.name)}\u00a0${model.higher ? "≥" : "≤"}\u00a0${score}`;
  return stop === 1 ? `grade ${shortened(score)}` : `grades ${shortened(scoreText(model.score(1)))} to ${shortened(score)}`;
}

/** Return the sentence for a cut-off, which may be the nearest to a share that was asked for. */
export function sentence(model, stop, wanted = null) {
  const name = shortened(model.name, 60);
  if (stop === 0) return `By ${name}, nobody is selected, so nothing is captured.`;
  const { words, write } = model;
  const amounts = model.kind === "amounts";
  // Of another prevalence shares are not those of the cases that were counted.
  const part = model.stated ? "" : ` (${write(model.selected(stop))} of ${write(model.n)})`;
  const near = wanted === null || model.q[stop] === wanted || percent(model.q[stop]) !== percent(wanted) ? "" : `, at the cut-off nearest to ${brief(wanted)},`;
  const held = `${write(model.captured(stop))} of ${write(model.total)}`;
  const per = words.selected === "cases" ? "case" : `unit of ${words.selected}`;
  const mean = amounts ? `, a mean of ${quantity(model.mean(stop))} per ${per}` : "";
  const top = `By ${name}, the top ${percent(model.q[stop])} of ${words.selected}${part}${near} ${words.hold}`;
  if (!model.y) return `${top} ${held}${mean} (${rule(model, stop)}).`;
  const times = `${two(model.lift(stop))} times as ${amounts ? "much" : "many"} as a random selection of that size`;
  return `${top} ${percent(model.y[stop])} of ${words.allCaptured} (${held}), ${times}${mean} (${rule(model, stop)}).`;
}

/** Return what to know where no cut-off selects the share that was asked for; else nothing. */
export function besides(model, stop, wanted) {
  if (wanted === null || percent(model.q[stop]) === percent(wanted)) return "";
  const after = model.q.findIndex((q) => q > wanted);
  const sides = [after - 1, after].map((place) => percent(model.q[place]));
  const nearest = `No cut-off on this page selects exactly ${percent(wanted)}. The nearest select ${sides.join(" and ")}.`;
  if (!model.y) return nearest;
  return `${nearest} Between them the CAP gives ${percent(heightAt(model.q, model.y, wanted))} captured at ${percent(wanted)}.`;
}

/** Return what to know where a typed score is none of the stops; else nothing. */
export function answered(model, stop, asked) {
  if (asked === null || (stop === 0 ? asked.exact : [scoreText(model.score(stop)), model.cutoff(stop)].includes(asked.text))) return "";
  if (asked.exact) return `${asked.text} selects the same cases as ${model.cutoff(stop)}: no score lies between.`;
  const sign = model.grades ? "down to" : model.higher ? "≥" : "≤";
  const sides = [stop, stop + 1].map((place) => (place === 0 ? "nobody"
    : `${model.write(model.selected(place))} ${model.words.selected} (${sign}\u00a0${model.cutoff(place)})`));
  return `${asked.text} is not a cut-off of this page. The nearest select ${sides.join(" and ")}.`;
}
