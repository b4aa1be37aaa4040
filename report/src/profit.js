// The profit of acting on the top share of cases, where value and cost are given.

import { atShares, byShare, shares, told } from "./axes.js";
import { amount, compact, percent } from "./format.js";

/** Return the stops at which profit is largest. */
export function bestStops(model) {
  if (model.best.length) return model.best;
  const profits = model.q.map((_, stop) => model.profit(stop));
  return [profits.indexOf(Math.max(...profits))];
}

export const profitPanel = {
  id: "profit",
  title: "Profit",
  told,
  x: shares,
  y: {
    label: ({ page }) => `value ${amount(page.money.value)}, cost ${amount(page.money.cost)}`,
    domain: (view, layers) => {
      const heights = layers.flatMap((layer) => layer.points.map((point) => point[1]));
      return [Math.min(0, ...heights), Math.max(...heights) * 1.1 || 1];
    },
    format: () => compact,
  },
  layers: (view) => [
    { kind: "line", look: "line random", label: "nothing done: 0", points: [[0, 0], [1, 0]] },
    ...view.shown.map((model) => {
      const best = bestStops(model)[0];
      return {
        kind: "line", look: `line m${model.place}`, points: model.q.map((q, i) => [q, model.profit(i)]),
        label: `${view.shown.length > 1 ? `${model.name}  ` : ""}best ${amount(Math.round(model.profit(best)))} at ${percent(model.q[best])}`,
      };
    }),
  ],
  marks: ({ focus, stop }) => [
    { x: focus.q[stop], y: focus.profit(stop), look: `m${focus.place}`, text: amount(Math.round(focus.profit(stop))), above: true },
  ],
  seek: byShare,
  columns: (view) => atShares(view, ["profit"], (model, stop) => [amount(Math.round(model.profit(stop)))]),
};
