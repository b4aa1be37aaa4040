// The linked pictures: which lines each shows, where the cut-off stands in it, what dragging means.

import { between, nearest, refined } from "./geometry.js";
import { firstShare, fixed, percent, shortened, three, two } from "./format.js";
import { capPanel, rocPanel } from "./curves.js";
import { scoresPanel } from "./scores.js";
import { profitPanel } from "./profit.js";
import { atShares, byShare, shares, told, unit, whereShown } from "./axes.js";

/** Return the pictures beside the CAP, in the order in which they are read. */
export function panels(page) {
  const list = [rocPanel, capturedPanel, gapPanel, liftPanel, localLiftPanel, recallPanel];
  if (page.money) list.push(profitPanel);
  if (page.models.some((model) => model.spread)) list.push(scoresPanel);
  return list;
}

export { capPanel };

/** Return the curves of both classes of the score that is looked at. */
function ofBothClasses(model, points) {
  const name = shortened(model.name);
  return [
    { kind: "line", score: true, look: `line ${model.look}`, label: `positives, ${name}`, points: points("tpr") },
    { kind: "line", score: true, look: "line negatives", label: `negatives, ${name}`, points: points("fpr") },
  ];
}

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

const liftPanel = {
  id: "lift",
  title: "Cumulative lift",
  told,
  x: shares,
  y: {
    label: "times a random selection",
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
        kind: "line", score: true, look: `line ${model.look}`, points: ratioPoints(model, "tpr", firstShare(model.n)),
        label: `positives, ${shortened(model.name)}`,
      })),
      ...whereShown(view, {
        kind: "line", score: true, look: "line negatives", label: `negatives, ${shortened(focus.name)}`, points: ratioPoints(focus, "fpr", firstShare(focus.n)),
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

/** Return the ends of the groups for which lift is shown: all scores, or twentieths of the cases. */
export function liftGroups(model) {
  if (model.distinct <= 40) return model.q.map((_, stop) => stop);
  const ends = Array.from({ length: 21 }, (_, i) => nearest(model.q, i / 20));
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

const localLiftPanel = {
  id: "local-lift",
  title: "Lift per band (non-cumulative)",
  own: true,
  told,
  x: shares,
  y: {
    label: (view) => (view.focus.distinct <= 40 ? "lift of each score" : "lift of each 5% of cases"),
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

const capturedPanel = {
  id: "captured",
  title: "Captured response and KS",
  own: true,
  told,
  x: shares,
  y: { ...unit, label: "share of each class captured" },
  layers: ({ focus }) => {
    const at = focus.q[focus.ks];
    const [low, high] = [focus.fpr[focus.ks], focus.tpr[focus.ks]];
    return [
      { kind: "line", look: "line random", label: "random", points: [[0, 0], [1, 1]] },
      ...ofBothClasses(focus, (share) => focus.q.map((q, i) => [q, focus[share][i]])),
      { kind: "line", score: true, look: "line segment", label: `KS ${three(focus.numbers.ks[0])} at ${percent(at)}`, points: [[at, low], [at, high]] },
    ];
  },
  marks: ({ focus, stop }) => [
    { x: focus.q[stop], y: focus.tpr[stop], look: focus.look, text: percent(focus.tpr[stop]) },
    { x: focus.q[stop], y: focus.fpr[stop], look: "negatives", text: percent(focus.fpr[stop]) },
  ],
  seek: byShare,
  columns: (view) => atShares(view, ["positives", "negatives"], (model, stop) =>
    [percent(model.tpr[stop]), percent(model.fpr[stop])]),
};

const gapPanel = {
  id: "gap",
  title: "KS gap",
  told,
  x: shares,
  y: {
    label: "positives captured less negatives",
    domain: (view, layers) => {
      const heights = layers.flatMap((layer) => layer.points.map((point) => point[1]));
      return [Math.min(0, 1.1 * Math.min(...heights)), Math.max(0.05, 1.12 * Math.max(...heights))];
    },
    format: () => (value) => fixed(value, 2),
  },
  layers: (view) => [
    { kind: "line", look: "line random", label: "random: 0", points: [[0, 0], [1, 0]] },
    ...view.shown.map((model) => ({
      kind: "line", score: true, look: `line ${model.look}`, points: model.q.map((q, i) => [q, model.gap(i)]),
      label: model.name, detail: `KS ${three(model.numbers.ks[0])} at ${percent(model.q[model.ks])}`,
    })),
  ],
  marks: (view) => {
    const gap = view.focus.gap(view.stop);
    return whereShown(view, { x: view.focus.q[view.stop], y: gap, look: view.focus.look, text: three(gap) });
  },
  seek: byShare,
  columns: (view) => atShares(view, ["gap"], (model, stop) => [three(model.gap(stop))]),
};

const recallPoints = (model) => refined(model.tpr, 0.004)
  .map((place) => [between(model.tpr, place), (model.rate * between(model.tpr, place)) / between(model.q, place)])
  .filter(([, precision]) => Number.isFinite(precision));

const recallPanel = {
  id: "precision-recall",
  title: "Precision and recall",
  told,
  x: { ...unit, label: "recall: share of positives captured" },
  y: {
    label: "precision",
    domain: (view, layers) => [0, Math.min(1, Math.max(...layers.flatMap((l) => l.points.map((p) => p[1]))) * 1.08)],
    format: () => percent,
  },
  layers: (view) => [
    { kind: "line", look: "line random", label: `prevalence ${percent(view.focus.rate)}`, points: [[0, view.focus.rate], [1, view.focus.rate]] },
    ...view.shown.map((model) => ({
      kind: "line", score: true, look: `line ${model.look}`, label: model.name,
      points: recallPoints(model).filter(([x]) => x * model.n1 >= Math.min(20, model.n1 / 20)),
    })),
  ],
  marks: (view) => {
    const precision = view.focus.precision(view.stop);
    return whereShown(view, { x: view.focus.tpr[view.stop], y: precision, look: view.focus.look, text: percent(precision || 0) });
  },
  seek: (view, x) => nearest(view.focus.tpr, x),
  columns: (view) => atShares(view, ["recall", "precision"], (model, stop) =>
    [percent(model.tpr[stop]), stop ? percent(model.precision(stop)) : "–"]),
};

