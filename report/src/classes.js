// Pictures of two classes: what is captured of each, the gap between them, precision and recall.

import { atShares, byShare, shares, told, unit, whereShown } from "./axes.js";
import { brief, fixed, percent, shortened, three } from "./format.js";
import { between, nearest, refined } from "./geometry.js";

/** Return the curves of both classes of the score that is looked at. */
export function ofBothClasses(model, points) {
  const name = shortened(model.name);
  return [
    { kind: "line", score: true, look: `line ${model.look}`, label: `positives, ${name}`, points: points("tpr") },
    { kind: "line", score: true, look: "line negatives", label: `negatives, ${name}`, points: points("fpr") },
  ];
}

export const capturedPanel = {
  id: "captured",
  title: "Captured by class, with KS",
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

export const gapPanel = {
  id: "gap",
  title: "Gap between the classes captured",
  told,
  x: shares,
  y: {
    label: "positives minus negatives captured",
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

export const recallPanel = {
  id: "precision-recall",
  title: "Precision and recall",
  told,
  x: { ...unit, label: "recall: share of positives captured" },
  y: {
    label: "precision",
    domain: (view, layers) => [0, Math.min(1, Math.max(...layers.flatMap((l) => l.points.map((p) => p[1]))) * 1.08)],
    format: () => brief,
  },
  layers: (view) => [
    { kind: "line", look: "line random", label: `prevalence ${percent(view.focus.rate)}`, points: [[0, view.focus.rate], [1, view.focus.rate]] },
    ...view.shown.map((model) => ({
      kind: "line", score: true, look: `line ${model.look}`, label: model.name,
      points: recallPoints(model).filter(([x]) => x * model.n1 >= Math.min(20, model.n1 / 20)),
    })),
  ],
  marks: (view) => {
    const precision = view.focus.mean(view.stop);
    return whereShown(view, { x: view.focus.tpr[view.stop], y: precision, look: view.focus.look, text: percent(precision || 0) });
  },
  seek: (view, x) => nearest(view.focus.tpr, x),
  columns: (view) => atShares(view, ["recall", "precision"], (model, stop) =>
    [percent(model.tpr[stop]), stop ? percent(model.mean(stop)) : "–"]),
};
