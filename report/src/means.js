// Mean amounts: of each band, and of all that is selected, which is the lift in other units.

import { scaleLinear, scaleLog } from "d3-scale";
import { atShares, byShare, shares, told, whereShown } from "./axes.js";
import { compact, firstShare, percent, quantity, shortened, two } from "./format.js";
import { between, nearest, refined } from "./geometry.js";
import { liftPanel } from "./lift.js";
import { outline } from "./scores.js";

// Up to so many distinct scores each is a band of its own; of more, the bins of the gains table are.
const MOST_BANDS = 20;
const MOST_TICKS = 9;
// Running sums of one total differ by this much between scores.
const ROUNDING = 1e-9;

/** Return what the mean amount is called, alone and with what it is per. */
export const meanName = ({ words }) => `mean ${words.captured}`;
const perUnit = ({ exposed, words }) => `${words.captured === "amount" ? "mean amount" : words.captured} per ${exposed ? `unit of ${words.selected}` : "case"}`;

/** Return the bands of a score: the shares between which each lies, and its mean amount. */
export function bands(model) {
  const ends = model.distinct <= MOST_BANDS || !model.gains ? model.q.map((_, stop) => stop).slice(1)
    : model.gains.columns.selected.map((share) => nearest(model.q, share));
  return ends.map((end, i) => {
    const start = i ? ends[i - 1] : 0;
    const held = model.captured(end) - model.captured(start);
    return { from: model.q[start], to: model.q[end], end, mean: held / (model.selected(end) - model.selected(start)) };
  }).filter(({ from, to }) => to > from);
}

/** Return an axis of mean amounts, from 0, or from the lowest where that is negative. */
const meanAxis = (page) => ({
  label: perUnit(page),
  domain: (view, layers) => {
    const found = layers.flatMap((layer) => layer.points.map((point) => point.at(-1)));
    const [least, most] = [Math.min(0, ...found), Math.max(0, ...found)];
    return [least * 1.06, most * 1.06 || (least ? 0 : 1)];
  },
  format: () => compact,
});

const overall = (model) => ({
  kind: "line", look: "line random", label: `of all: ${quantity(model.rate)}`, points: [[0, model.rate], [1, model.rate]],
});

/** Return the picture of the mean amount of each band. */
export const meanPanel = (page) => ({
  id: "mean-amount",
  title: `${upper(meanName(page))} by band`,
  own: true,
  told,
  x: shares,
  y: meanAxis(page),
  layers: ({ focus }) => {
    const bars = bands(focus).map(({ from, to, mean }) => [from, to, mean]);
    return [
      { kind: "bars", score: true, look: `bar ${focus.look}`, label: shortened(focus.name), points: bars },
      { kind: "line", look: `line thin ${focus.look} solid`, points: outline(bars) },
      overall(focus),
    ];
  },
  marks: (view) => {
    const band = bands(view.focus).find(({ end }) => view.stop <= end);
    return [markOf(view, view.stop && band ? band.mean : NaN, quantity)];
  },
  seek: byShare,
  columns: ({ focus }) => ({
    names: ["from", "to", "score", meanName(page)],
    rows: bands(focus).map(({ from, to, end, mean }) => [percent(from), percent(to), focus.cutoff(end), quantity(mean)]),
  }),
});

const upper = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;

/** Return the mean amounts of all that is selected, by the share selected. */
function topMeans(model, from) {
  const [selected, captured] = [model.q.map((_, stop) => model.selected(stop)), model.q.map((_, stop) => model.captured(stop))];
  return refined(model.q, 0.004).filter((place) => between(model.q, place) >= from)
    .map((place) => [between(model.q, place), between(captured, place) / between(selected, place)]);
}

/** Return the picture of the mean amount of all that is selected; where it exists, as lift too. */
export const topPanel = (page) => (page.models.some((model) => !model.y) ? signedTop(page) : liftOfAmounts(page));

function signedTop(page) {
  return {
    id: "top-mean",
    title: `${upper(meanName(page))} of the cases selected`,
    told,
    x: shares,
    y: meanAxis(page),
    layers: ({ focus, shown }) => [
      overall(focus),
      ...shown.map((model) => ({
        kind: "line", score: true, look: `line ${model.look}`, label: shortened(model.name), points: topMeans(model, firstShare(model.cases)),
      })),
    ],
    marks: (view) => whereShown(view, markOf(view, view.focus.mean(view.stop), quantity)),
    seek: byShare,
    columns: (view) => atShares(view, [meanName(page)], (model, stop) => [quantity(model.mean(stop))]),
  };
}

function liftOfAmounts(page) {
  const { rate } = page.models[0];
  const common = page.models.every((model) => Math.abs(model.rate - rate) <= ROUNDING * Math.abs(rate));
  return {
    ...liftPanel,
    title: "Cumulative lift and mean of the top",
    right: common ? { label: perUnit(page), ticks: (lifts) => roundMeans(lifts, rate), format: (lift) => compact(lift * rate) } : null,
    layers: ({ shown }) => [
      { kind: "line", look: "line random", label: "random: 1", points: [[0, 1], [1, 1]] },
      ...shown.map((model) => ({
        kind: "line", score: true, look: `line ${model.look}`, label: shortened(model.name),
        points: topMeans(model, firstShare(model.cases)).map(([q, height]) => [q, height / model.rate]),
      })),
    ],
    marks: (view) => whereShown(view, markOf(view, view.focus.lift(view.stop), two)),
    columns: (view) => atShares(view, ["lift", meanName(page)], (model, stop) => [two(model.lift(stop)), quantity(model.mean(stop))]),
  };
}

/** Return the lifts at which the mean amount is round, along an axis of lifts. */
function roundMeans(lifts, rate) {
  const [least, most] = lifts.domain().map((lift) => lift * rate);
  const means = lifts.base ? scaleLog([least, most], [0, 1]).ticks(5) : scaleLinear([least, most], [0, 1]).ticks(5);
  const few = means.length > MOST_TICKS ? means.filter((mean) => /^[125]e/.test(mean.toExponential())) : means;
  return few.map((mean) => mean / rate);
}

const markOf = ({ focus, stop }, y, write) => ({ x: focus.q[stop], y, look: focus.look, text: write(y) });
