// How the scores of each class, or of exposure and amount, are spread, with the cut-off among them.

import { scaleLinear } from "d3-scale";
import { told } from "./axes.js";
import { countBelow } from "./geometry.js";
import { brief, rule, scoreText, shortened, tickText } from "./format.js";
import { numeric } from "./model.js";

const LETTER = 7;
const CLASSES = [["positives", "positives"], ["negatives", "negatives"]];

/** Return what the bars of a score are of, the captured first: where they are held, what they are called. */
const partsOf = ({ spread, words }) => (spread.captured ? [["captured", words.captured], ["selected", words.selected]] : CLASSES);

// An open bar stands this many bins apart from the others, and is one bin wide.
const APART = 0.6;

/** Return where each bar begins and ends: labels at equal distances, bins at their value. */
export function places({ labels, edges, below, above }) {
  if (labels) return labels.map((_, i) => [i - 0.5, i + 0.5]);
  const [width, first, last] = [edges[1] - edges[0], edges[0], edges.at(-1)];
  return [
    ...(below ? [[first - (1 + APART) * width, first - APART * width]] : []),
    ...edges.slice(1).map((edge, i) => [edges[i], edge]),
    ...(above ? [[last + APART * width, last + (1 + APART) * width]] : []),
  ];
}

/** Return what the cases of each bar have in common: their score, or where it lies. */
export function ranges({ labels, edges, below, above }) {
  if (labels) return labels.map(scoreText);
  return [
    ...(below ? [`< ${scoreText(edges[0])}`] : []),
    ...edges.slice(1).map((edge, i) => `${scoreText(edges[i])} to < ${scoreText(edge)}`),
    ...(above ? [`≥ ${scoreText(edges.at(-1))}`] : []),
  ];
}

/** Return bars as `[from, to, share]`. */
export function bars(spread, share) {
  const total = spread[share].reduce((sum, cases) => sum + cases, 0);
  return places(spread).map(([from, to], i) => [from, to, spread[share][i] / total]);
}

/** Return the outline of bars, down to the ground where they stand apart. */
export function outline(found) {
  return found.flatMap(([from, to, share], i) => [
    ...(i && found[i - 1][1] === from ? [] : [[from, 0]]), [from, share], [to, share],
    ...(found[i + 1]?.[0] === to ? [] : [[to, 0]]),
  ]);
}

const ends = (spread) => [places(spread)[0][0], places(spread).at(-1)[1]];

/** Return the sentence on the bars that are open; nothing where there are none. */
export function beyond(model) {
  const { name, spread } = model;
  if (!spread || !(spread.below || spread.above)) return "";
  const told = ranges(spread).map((range, i) => [range, i]).filter(([range]) => /^[<≥]/.test(range))
    .map(([range, i]) => `${shortened(name)} ${range}: ${partsOf(model).map(([held, called]) => `${model.write(spread[held][i])} ${called}`).join(", ")}`);
  return `${told.length > 1 ? "Open-ended bars" : "Open-ended bar"}, set apart: ${told.join("; ")}.`;
}

/** Return where the cut-off stands along the axis of scores: just beside the last score selected. */
export function cutPlace(model, stop) {
  const { spread, higher } = model;
  const [low, high] = ends(spread);
  if (stop === 0) return higher ? high : low;
  if (!spread.labels) return inPicture(spread, numeric(model.score(stop)), higher);
  const place = spread.labels.findIndex((label) => String(label) === String(model.score(stop)));
  return higher ? place - 0.5 : place + 0.5;
}

/** Return where a score stands in the picture: beyond the edges, at the side of the open bar. */
function inPicture(spread, score, higher) {
  const [first, last] = [spread.edges[0], spread.edges.at(-1)];
  const [low, high] = ends(spread);
  const part = (APART * (spread.edges[1] - first)) / 2;
  if (score < first) return higher ? low : first - part;
  if (score >= last) return higher ? last + part : high;
  return score;
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

export const scoresPanel = (page) => ({
  id: "scores",
  title: page.kind === "amounts" ? `${page.words.selected[0].toUpperCase()}${page.words.selected.slice(1)} and ${page.words.captured} by score` : "Score distribution by class",
  own: true,
  note: ({ focus }) => beyond(focus),
  told,
  x: {
    label: (view) => shortened(view.focus.name),
    domain: (view) => (view.focus.spread ? ends(view.focus.spread) : [0, 1]),
    ticks: ({ focus }, width) => tickPlaces(focus.spread, width),
    format: ({ focus }) => (value) => tickName(focus.spread, value),
  },
  y: {
    label: ({ focus }) => `share of ${page.kind === "amounts" ? "each" : "each class"} in each ${focus.grades ? "grade" : focus.spread?.labels ? "score" : "bar"}`,
    domain: (view, layers) => [0, Math.max(0.01, ...layers.flatMap((l) => l.points.map((p) => p.at(-1)))) * 1.08],
    format: () => brief,
  },
  layers: ({ focus }) => {
    if (!focus.spread) return [];
    const [[held, first], [whole, second]] = partsOf(focus);
    const [front, behind] = [bars(focus.spread, held), bars(focus.spread, whole)];
    return [
      { kind: "bars", look: "bar negatives", label: `${second}, ${shortened(focus.name)}`, points: behind },
      { kind: "bars", score: true, look: `bar ${focus.look}`, label: `${first}, ${shortened(focus.name)}`, points: front },
      { kind: "line", look: "line thin negatives", points: outline(behind) },
      { kind: "line", look: `line thin ${focus.look}`, points: outline(front) },
    ];
  },
  marks: ({ focus, stop }) => (focus.spread ? [{ x: cutPlace(focus, stop), y: NaN, text: rule(focus, stop) }] : []),
  seek: ({ focus }, x) => stopAt(focus, x),
  columns: ({ focus }) => {
    const parts = focus.spread ? partsOf(focus) : [];
    return {
      names: ["score", ...parts.map(([, called]) => called)],
      rows: (focus.spread ? ranges(focus.spread) : []).map((range, i) => [range, ...parts.map(([held]) => focus.write(focus.spread[held][i]))]),
    };
  },
});

/** Return where ticks stand: at every so many labels, or at round values and the open bars. */
function tickPlaces(spread, width) {
  if (!spread) return [];
  const longest = Math.max(...(spread.labels ?? spread.edges).map((value) => [...labelText(value)].length));
  const most = Math.max(Math.floor(width / (LETTER * (Math.min(longest, 9) + 2))), 2);
  if (spread.labels) {
    const each = Math.ceil(spread.labels.length / most);
    return spread.labels.map((_, i) => i).filter((i) => i % each === 0);
  }
  const { edges, below, above } = spread;
  const inner = scaleLinear([edges[0], edges.at(-1)], [0, 1]).ticks(Math.min(most - 2, 6));
  const middle = (place) => (place[0] + place[1]) / 2;
  const room = ((longest + 4) * LETTER * (ends(spread)[1] - ends(spread)[0])) / width;
  const open = [...(below ? [middle(places(spread)[0])] : []), ...(above ? [middle(places(spread).at(-1))] : [])];
  return [...inner.filter((value) => open.every((at) => Math.abs(at - value) > room)), ...open];
}

/** Return the name of a tick; that of an open bar says that it is open. */
function tickName(spread, value) {
  if (!spread) return "";
  if (spread.labels) return labelText(spread.labels[value]);
  if (value < spread.edges[0]) return `< ${tickText(spread.edges[0])}`;
  if (value > spread.edges.at(-1)) return `≥ ${tickText(spread.edges.at(-1))}`;
  return tickText(value);
}

const labelText = (score) => shortened(typeof score === "number" ? tickText(score) : scoreText(score), 9);
