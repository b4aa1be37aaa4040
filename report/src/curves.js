// CAP and ROC: the curves of all scores shown, the perfect and the random one, and the bands.

import { atShares, byShare, shares, told, unit } from "./axes.js";
import { percent, three } from "./format.js";
import { nearestPoint } from "./geometry.js";

const bandPoints = ({ q, low, high }) => q.map((share, i) => [share, low[i], high[i]]);

function bandLayers(focus) {
  const { chance, model } = focus.bands;
  if (!chance) return [];
  const level = percent(chance.level);
  return [
    { kind: "area", look: "band chance", label: `random score, ${level} band`, points: bandPoints(chance) },
    { kind: "area", look: `band m${focus.place}`, label: `this CAP, ${level} band`, points: bandPoints(model) },
  ];
}

/** Return the curves of the segments that were chosen. */
function segmentLayers(view, along) {
  const chosen = view.focus.segments.filter((segment, place) => view.segments.has(place) && segment.cap);
  return chosen.map((segment) => {
    const [fpr, tpr] = segment.cap;
    const place = (view.page.models.length + view.focus.segments.indexOf(segment)) % 6;
    return {
      kind: "line", look: `line thin m${place}`, label: segment.key,
      points: tpr.map((y, i) => [along(fpr[i], y, segment.n1 / segment.n), y]),
    };
  });
}

export const capPanel = {
  id: "cap",
  title: "CAP",
  told,
  x: shares,
  y: { ...unit, label: "share of positives captured" },
  layers: (view) => [
    ...bandLayers(view.focus),
    { kind: "line", look: "line perfect", label: "perfect", points: [[0, 0], [view.focus.rate, 1], [1, 1]] },
    { kind: "line", look: "line random", label: "random", points: [[0, 0], [1, 1]] },
    ...segmentLayers(view, (fpr, tpr, rate) => rate * tpr + (1 - rate) * fpr),
    ...view.shown.map((model) => ({
      kind: "line", look: `line m${model.place}`, points: model.q.map((q, i) => [q, model.tpr[i]]),
      label: `${model.name}  AR ${three(model.numbers.accuracy_ratio[0])}`,
    })),
  ],
  marks: ({ focus, stop }) => [
    { x: focus.q[stop], y: focus.tpr[stop], look: `m${focus.place}`, text: percent(focus.tpr[stop]) },
  ],
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
    ...view.shown.map((model) => ({
      kind: "line", look: `line m${model.place}`, points: model.fpr.map((x, i) => [x, model.tpr[i]]),
      label: `${model.name}  AUC ${three(model.numbers.roc_auc[0])}`,
    })),
  ],
  marks: ({ focus, stop }) => [
    { x: focus.fpr[stop], y: focus.tpr[stop], look: `m${focus.place}`, text: `${percent(focus.fpr[stop])}, ${percent(focus.tpr[stop])}` },
  ],
  seek: (view, x, y) => nearestPoint(view.focus.fpr, view.focus.tpr, x, y),
  columns: (view) => atShares(view, ["false positive rate", "true positive rate"], (model, stop) =>
    [percent(model.fpr[stop]), percent(model.tpr[stop])]),
};
