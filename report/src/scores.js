// How the scores of each class are spread, with the cut-off among them.

import { told } from "./axes.js";
import { countBelow } from "./geometry.js";
import { amount, percent, rule, scoreText, shortened } from "./format.js";
import { numeric } from "./model.js";

/** Return bars as `[from, to, share]`, grades at equal distances and numbers at their value. */
export function bars(spread, share) {
  const total = spread[share].reduce((sum, cases) => sum + cases, 0);
  return spread[share].map((cases, i) => {
    const [from, to] = spread.labels ? [i - 0.5, i + 0.5] : [spread.edges[i], spread.edges[i + 1]];
    return [from, to, cases / total];
  });
}

const outline = (found) => [
  [found[0][0], 0], ...found.flatMap(([from, to, share]) => [[from, share], [to, share]]), [found.at(-1)[1], 0],
];

function ends(spread) {
  if (spread.labels) return [-0.5, spread.labels.length - 0.5];
  return [spread.edges[0], spread.edges.at(-1)];
}

/** Return where the cut-off stands along the axis of scores: just beside the last score selected. */
export function cutPlace(model, stop) {
  const { spread, higher } = model;
  const [low, high] = ends(spread);
  if (stop === 0) return higher ? high : low;
  if (!spread.labels) return Math.min(Math.max(numeric(model.score(stop)), low), high);
  const place = spread.labels.findIndex((label) => String(label) === String(model.score(stop)));
  return higher ? place - 0.5 : place + 0.5;
}

function stopAt(model, x) {
  const { spread, higher } = model;
  if (spread.labels) {
    const edge = Math.round(x + 0.5);
    return Math.min(Math.max(higher ? model.last - edge : edge, 0), model.last);
  }
  const rising = model.q.slice(1).map((_, i) => (higher ? -1 : 1) * numeric(model.score(i + 1)));
  return countBelow(rising, higher ? -x : x);
}

export const scoresPanel = {
  id: "scores",
  title: "Scores of each class",
  told,
  x: {
    label: (view) => (view.focus.grades ? "grade" : "score"),
    domain: (view) => (view.focus.spread ? ends(view.focus.spread) : [0, 1]),
    ticks: ({ focus }) => labelPlaces(focus.spread),
    format: ({ focus }) => (value) => {
      const labels = focus.spread?.labels;
      return labels ? shortened(scoreText(labels[value]), 9) : scoreText(value);
    },
  },
  y: {
    label: "share of each class",
    domain: (view, layers) => [0, Math.max(0.01, ...layers.flatMap((l) => l.points.map((p) => p.at(-1)))) * 1.08],
    format: () => percent,
  },
  layers: ({ focus }) => {
    if (!focus.spread) return [];
    const [positives, negatives] = [bars(focus.spread, "positives"), bars(focus.spread, "negatives")];
    return [
      { kind: "bars", look: "bar negatives", label: "negatives", points: negatives },
      { kind: "bars", look: `bar m${focus.place}`, label: "positives", points: positives },
      { kind: "line", look: "line thin negatives", points: outline(negatives) },
      { kind: "line", look: `line thin m${focus.place}`, points: outline(positives) },
    ];
  },
  marks: ({ focus, stop }) => (focus.spread ? [{ x: cutPlace(focus, stop), y: NaN, text: rule(focus, stop) }] : []),
  seek: ({ focus }, x) => stopAt(focus, x),
  columns: ({ focus }) => ({
    names: ["score", "positives", "negatives"],
    rows: (focus.spread?.positives ?? []).map((cases, i) => [
      focus.spread.labels ? scoreText(focus.spread.labels[i])
        : `${scoreText(focus.spread.edges[i])} to ${scoreText(focus.spread.edges[i + 1])}`,
      amount(cases), amount(focus.spread.negatives[i]),
    ]),
  }),
};

function labelPlaces(spread) {
  if (!spread?.labels) return null;
  const each = Math.ceil(spread.labels.length / 9);
  return spread.labels.map((_, i) => i).filter((i) => i % each === 0);
}
