// Lift of all that is selected, and of each band alone.

import { atShares, byShare, shares, told, whereShown } from "./axes.js";
import { ofBothClasses } from "./classes.js";
import { firstShare, percent, shortened, two } from "./format.js";
import { between, nearest, refined } from "./geometry.js";

function ratioPoints(model, shareOf, from) {
  const places = refined(model.q, 0.004).filter((place) => between(model.q, place) >= from);
  return places.map((place) => {
    const q = between(model.q, place);
    return [q, between(model[shareOf], place) / q];
  });
}

function topOf(layers) {
  const highest = Math.max(...layers.flatMap((layer) => layer.points.map((point) => point.at(-1))));
  return Math.max(highest * 1.06, 1.2);
}

export const liftPanel = {
  id: "lift",
  title: "Cumulative lift",
  told,
  x: shares,
  y: {
    label: "lift: times a random selection",
    log: (view) => view.log,
    domain: (view, layers) => [view.log ? lowest(layers) : 0, topOf(layers)],
    format: () => (value) => String(Number(value.toPrecision(3))),
    ticks: (view) => (view.log ? [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100] : null),
  },
  layers: (view) => {
    const { focus } = view;
    return [
      { kind: "line", look: "line random", label: "random: 1", points: [[0, 1], [1, 1]] },
      ...view.shown.map((model) => ({
        kind: "line", score: true, look: `line ${model.look}`, points: ratioPoints(model, "tpr", firstShare(model.cases)),
        label: `positives, ${shortened(model.name)}`,
      })),
      ...whereShown(view, {
        kind: "line", score: true, look: "line negatives", label: `negatives, ${shortened(focus.name)}`, points: ratioPoints(focus, "fpr", firstShare(focus.cases)),
      }),
    ];
  },
  marks: (view) => {
    const { focus, stop } = view;
    return whereShown(
      view,
      { x: focus.q[stop], y: focus.lift(stop), look: focus.look, text: two(focus.lift(stop)) },
      { x: focus.q[stop], y: focus.liftOfNegatives(stop), look: "negatives" },
    );
  },
  seek: byShare,
  columns: (view) => atShares(view, ["lift of positives", "lift of negatives"], (model, stop) =>
    [two(model.lift(stop)), two(model.liftOfNegatives(stop))]),
};

function lowest(layers) {
  const found = layers.flatMap((layer) => layer.points.map((point) => point[1])).filter((y) => y > 0);
  return Math.min(0.5, Math.max(Math.min(...found), 0.05));
}

// A spike of a dozen cases would flatten what the other bands show.
const MOST_BANDS = 20;

/** Return the ends of the groups for which lift is shown: all scores, or twentieths of the cases. */
export function liftGroups(model) {
  if (model.distinct <= MOST_BANDS) return model.q.map((_, stop) => stop);
  const ends = Array.from({ length: MOST_BANDS + 1 }, (_, i) => nearest(model.q, i / MOST_BANDS));
  return [...new Set([0, ...ends, model.last])].sort((a, b) => a - b);
}

function localSteps(model, share) {
  const ends = liftGroups(model);
  return ends.slice(1).map((end, i) => {
    const [from, to] = [model.q[ends[i]], model.q[end]];
    return { from, to, lift: (model[share][end] - model[share][ends[i]]) / (to - from) };
  }).filter((step) => step.to > step.from);
}

const stairs = (steps) => steps.flatMap(({ from, to, lift }) => [[from, lift], [to, lift]]);

const stepAt = (model, share, stop) => {
  const q = model.q[stop];
  return localSteps(model, share).find((step) => q <= step.to + 1e-12) ?? { lift: NaN };
};

export const localLiftPanel = {
  id: "local-lift",
  title: "Lift by band",
  own: true,
  told,
  x: shares,
  y: {
    label: (view) => (view.focus.distinct <= MOST_BANDS ? `lift of each ${view.focus.grades ? "grade" : "score"}` : "lift of each 5% of cases"),
    domain: (view, layers) => [0, topOf(layers)],
    format: () => (value) => String(Number(value.toPrecision(3))),
  },
  layers: ({ focus }) => [
    { kind: "line", look: "line random", label: "random: 1", points: [[0, 1], [1, 1]] },
    ...ofBothClasses(focus, (share) => stairs(localSteps(focus, share))),
  ],
  marks: ({ focus, stop }) => {
    const lift = stop ? stepAt(focus, "tpr", stop).lift : NaN;
    return [
      { x: focus.q[stop], y: lift, look: focus.look, text: two(lift) },
      { x: focus.q[stop], y: stop ? stepAt(focus, "fpr", stop).lift : NaN, look: "negatives" },
    ];
  },
  seek: byShare,
  columns: ({ focus }) => ({
    names: ["from", "to", "lift of positives", "lift of negatives"],
    rows: localSteps(focus, "tpr").map(({ from, to, lift }, i) =>
      [percent(from), percent(to), two(lift), two(localSteps(focus, "fpr")[i].lift)]),
  }),
};
