// CAP and ROC: the curves of all scores shown, the perfect and the random one, and the bands.

import { atShares, byShare, shares, told, unit, whereShown } from "./axes.js";
import { percent, ranged, shortened } from "./format.js";
import { nearestPoint } from "./geometry.js";

const bandPoints = ({ q, low, high }) => q.map((share, i) => [share, low[i], high[i]]);

/** Return the bands of the score that is looked at; they hide with its curve. */
function bandLayers({ focus, shown }) {
  const { chance, model } = focus.bands;
  if (!chance || !shown.includes(focus)) return [];
  const level = percent(chance.level);
  return [
    { kind: "area", look: "band chance", label: `random score, ${level} band`, points: bandPoints(chance) },
    { kind: "area", look: `band ${focus.look}`, label: `${shortened(focus.name)}, ${level} band`, points: bandPoints(model) },
  ];
}

/** Return the curves of the segments that were chosen, each in a look of its own. */
function segmentLayers({ focus, segments, shown }, along) {
  if (!shown.includes(focus)) return [];
  return [...segments].filter(([place]) => focus.segments[place]?.cap).map(([place, look]) => {
    const segment = focus.segments[place];
    const [fpr, tpr] = segment.cap;
    return {
      kind: "line", look: `line s${look}`, label: segment.key,
      points: tpr.map((y, i) => [along(fpr[i], y, segment.n1 / segment.n), y]),
    };
  });
}

const scoreLayers = ({ shown }, name, key, points) => shown.map((model) => ({
  kind: "line", score: true, look: `line ${model.look}`, points: points(model),
  label: model.name, detail: `${name} ${ranged(model.numbers[key])}`,
}));

export const capPanel = {
  id: "cap",
  title: "CAP",
  told,
  height: (width) => (width < 640 ? 280 : 360),
  beside: true,
  x: shares,
  y: { ...unit, label: "share of positives captured" },
  layers: (view) => [
    ...bandLayers(view),
    { kind: "line", look: "line perfect", label: "perfect", points: [[0, 0], [view.focus.rate, 1], [1, 1]] },
    { kind: "line", look: "line random", label: "random", points: [[0, 0], [1, 1]] },
    ...segmentLayers(view, (fpr, tpr, rate) => rate * tpr + (1 - rate) * fpr),
    ...scoreLayers(view, "AR", "accuracy_ratio", (model) => model.q.map((q, i) => [q, model.tpr[i]])),
  ],
  marks: (view) => whereShown(view, {
    x: view.focus.q[view.stop], y: view.focus.tpr[view.stop], look: view.focus.look, text: percent(view.focus.tpr[view.stop]),
  }),
  seek: byShare,
  columns: (view) => atShares(view, ["captured", "perfect"], (model, stop) =>
    [percent(model.tpr[stop]), percent(Math.min(1, model.q[stop] / model.rate))]),
};

export const rocPanel = {
  id: "roc",
  title: "ROC",
  told,
  x: { ...unit, label: "false positive rate" },
  y: { ...unit, label: "true positive rate" },
  layers: (view) => [
    { kind: "line", look: "line random", label: "random", points: [[0, 0], [1, 1]] },
    ...segmentLayers(view, (fpr) => fpr),
    ...scoreLayers(view, "AUC", "roc_auc", (model) => model.fpr.map((x, i) => [x, model.tpr[i]])),
  ],
  marks: (view) => {
    const [fpr, tpr] = [view.focus.fpr[view.stop], view.focus.tpr[view.stop]];
    return whereShown(view, { x: fpr, y: tpr, look: view.focus.look, text: `${percent(fpr)}, ${percent(tpr)}` });
  },
  seek: (view, x, y) => nearestPoint(view.focus.fpr, view.focus.tpr, x, y),
  columns: (view) => atShares(view, ["false positive rate", "true positive rate"], (model, stop) =>
    [percent(model.fpr[stop]), percent(model.tpr[stop])]),
};
