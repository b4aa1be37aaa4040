// CAP and ROC: the curves of all scores shown, the perfect and the random one, and the bands.

import { atShares, byShare, told, unit, whereShown } from "./axes.js";
import { make } from "./dom.js";
import { brief, compact, percent, ranged, shortened } from "./format.js";
import { heightAt, nearestPoint } from "./geometry.js";

const bandPoints = ({ q, low, high }) => q.map((share, i) => [share, low[i], high[i]]);

/** Return the bands of the score that is looked at; they hide with its curve. */
function bandLayers({ absolute, focus, shown }) {
  const { chance, model } = focus.bands;
  if (!model || absolute || !shown.includes(focus)) return [];
  const level = brief(model.level);
  const own = { kind: "area", look: `band ${focus.look}`, label: `${shortened(focus.name)}, ${level} band`, points: bandPoints(model) };
  // Weights have no band of random scores.
  return chance ? [{ kind: "area", look: "band chance", label: `random score, ${level} band`, points: bandPoints(chance) }, own] : [own];
}

/** Return the curves of the segments that were chosen, each in a look of its own. */
function segmentLayers({ absolute, focus, segments, shown }, along) {
  if (absolute || !shown.includes(focus)) return [];
  return [...segments].filter(([place]) => focus.segments[place]?.curve).map(([place, look]) => {
    const { key, curve } = focus.segments[place];
    return { kind: "line", look: `line s${look}`, label: key, points: curve.y.map((y, i) => [curve[along][i], y]) };
  });
}

const scoreLayers = ({ shown }, name, key, points) => shown.map((model) => ({
  kind: "line", score: true, look: `line ${model.look}`, points: points(model),
  label: model.name, detail: `${name} ${ranged(model.numbers[key])}`,
}));

/** Return the points of a CAP: in shares, or in cases or exposure and what these hold. */
export function capPoints(model, absolute) {
  return model.q.map((q, stop) => (absolute ? [model.selected(stop), model.captured(stop)] : [q, model.y[stop]]));
}

/** Return the points of the CAP that no other order of the same cases exceeds. */
export function perfectPoints({ perfect, n, total }, absolute) {
  return absolute ? perfect : perfect.map(([x, y]) => [x / n, y / total]);
}

/** Return the perfect curve, or of horizons, by which shares of positives differ, that of each. */
export function perfectLayers({ absolute, focus, page, shown }) {
  const apart = new Map(shown.map((model) => [model.rate.toPrecision(4), model]));
  if (apart.size < 2) return [{ kind: "line", look: "line perfect", label: "perfect", points: perfectPoints(focus, absolute) }];
  return [...apart.values()].map((model) => ({
    kind: "line", look: `line perfect ${model.look}`, label: `perfect at ${percent(model.rate)} ${page.words.captured}`,
    points: perfectPoints(model, absolute),
  }));
}

/** Return an axis of the CAP from 0, or from the lowest sum, to the largest of all scores. */
const scaled = (place, label) => ({
  label,
  domain: ({ absolute, page }) => {
    if (!absolute) return [0, 1];
    const sums = page.models.flatMap((model) => [...capPoints(model, true), ...model.perfect].map((point) => point[place]));
    return [Math.min(0, ...sums), Math.max(0, ...sums)];
  },
  format: ({ absolute }) => (absolute ? compact : brief),
});

const heights = (points, x) => heightAt(points.map((point) => point[0]), points.map((point) => point[1]), x);

export const capPanel = {
  id: "cap",
  title: "CAP",
  told,
  height: (width) => (width < 640 ? 280 : 360),
  beside: true,
  x: scaled(0, ({ absolute, page }) => (absolute ? `${page.words.selected} selected` : `share of ${page.words.allSelected} selected`)),
  y: scaled(1, ({ absolute, page }) => (absolute ? `${page.words.captured} captured` : `share of ${page.words.allCaptured} captured`)),
  layers: (view) => {
    const { absolute, focus } = view;
    return [
      ...bandLayers(view),
      ...perfectLayers(view),
      { kind: "line", look: "line random", label: "random", points: [[0, 0], absolute ? [focus.n, focus.total] : [1, 1]] },
      ...segmentLayers(view, "q"),
      ...scoreLayers(view, "AR", "accuracy_ratio", (model) => capPoints(model, absolute)),
    ];
  },
  marks: (view) => {
    const { absolute, focus, stop } = view;
    const [x, y] = capPoints(focus, absolute)[stop];
    return whereShown(view, { x, y, look: focus.look, text: absolute ? focus.write(y) : percent(y) });
  },
  seek: (view, x) => byShare(view, view.absolute ? x / view.focus.n : x),
  columns: (view) => {
    const { absolute, focus } = view;
    const write = absolute ? focus.write : percent;
    return atShares(view, ["captured", "perfect"], (model, stop) => {
      const [x, y] = capPoints(model, absolute)[stop];
      return [write(y), write(heights(perfectPoints(model, absolute), x))];
    });
  },
};

/** Return the box that turns the CAP's axes from shares into units; null where only one of both fits. */
export function scalePicker(store) {
  const { page } = store.get();
  if (page.prevalence !== null || page.models.some((model) => !model.y)) return null;
  const box = make("input", { type: "checkbox", id: "absolute", onchange: () => store.set({ absolute: box.checked }) });
  return make("label", { class: "check scale" }, box, `Show ${page.words.selected} and ${page.words.captured} instead of shares`);
}

export const rocPanel = {
  id: "roc",
  title: "ROC",
  told,
  x: { ...unit, label: "false positive rate" },
  y: { ...unit, label: "true positive rate" },
  layers: (view) => [
    { kind: "line", look: "line random", label: "random", points: [[0, 0], [1, 1]] },
    ...segmentLayers(view, "fpr"),
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
