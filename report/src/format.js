// Numbers and sentences as people read them, the same as everywhere else in capcurve.

const GROUPS = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });
const SPREAD = 1000;

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

/** Return a share in percent to one decimal; to more where that would read 0% or 100%. */
export function percent(share) {
  const value = 100 * share;
  for (let digits = 1; digits < 12; digits += 1) {
    const text = fixed(value, digits);
    const end = Number(text);
    if (value === 0 || value === 100 || (end !== 0 && end !== 100)) {
      return minus(`${text.replace(/0+$/, "").replace(/\.$/, "")}%`);
    }
  }
  return `${value}%`;
}

/** Return a number of cases, or a weight. */
export function amount(cases) {
  if (Number.isInteger(cases) || Math.abs(cases) >= SPREAD) return minus(GROUPS.format(cases));
  return minus(String(Number(cases.toPrecision(6))));
}

/** Return a sum as short as an axis has room for. */
export function compact(sum) {
  return minus(COMPACT.format(sum));
}

/** Return a number with three decimals, or a dash where there is none. */
export function three(value) {
  return value === null || value === undefined ? "–" : minus(fixed(value, 3));
}

/** Return a number with two decimals, or a dash where there is none. */
export function two(value) {
  return value === null || Number.isNaN(value) ? "–" : minus(fixed(value, 2));
}

/** Return a number with its limits. */
export function ranged([value, low, high], write = three) {
  if (value === null || low === null || low === undefined) return write(value);
  return `${write(value)} [${write(low)}, ${write(high)}]`;
}

/** Return a score as short as it stays readable. */
export function scoreText(score) {
  if (score === null || score === undefined) return "–";
  if (typeof score === "string") return { inf: "∞", "-inf": "−∞" }[score] ?? score;
  const exact = String(score);
  return minus(exact.length <= 9 ? exact : String(Number(score.toPrecision(6))));
}

/** Return a p-value. */
export function chance(p) {
  return p < 0.001 ? "< 0.001" : fixed(p, 3);
}

/** Return text with a true minus sign. */
export function minus(text) {
  return text.replace("-", "−");
}

/** Return text cut in the middle when it is longer than there is room for. */
export function shortened(text, most = 26) {
  const letters = [...text];
  if (letters.length <= most) return text;
  const tail = Math.floor(most / 2);
  return `${letters.slice(0, most - tail - 1).join("")}…${letters.slice(-tail).join("")}`;
}

/** Return the rule of a cut-off: which scores are selected. */
export function rule(model, stop) {
  if (stop === 0) return "nobody is selected";
  const score = scoreText(model.score(stop));
  if (model.grades) return `grades down to ${score}`;
  return `score\u00a0${model.higher ? "≥" : "≤"}\u00a0${score}`;
}

/** Return the sentence for a cut-off. */
export function sentence(model, stop) {
  if (stop === 0) return "Nobody is selected, so nothing is captured.";
  const lift = model.lift(stop);
  const found = `The top ${percent(model.q[stop])} of cases hold ${percent(model.tpr[stop])} of all positives`;
  const times = `${two(lift)} times as many as a random selection of that size`;
  return `${found}, ${times}: ${amount(model.tp[stop])} of the ${amount(model.selected(stop))} selected are positive (${rule(model, stop)}).`;
}
