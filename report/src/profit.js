// The profit of acting on the top share of cases, where value and cost are given.

import { atShares, byShare, shares, told, whereShown } from "./axes.js";
import { compact, money, percent } from "./format.js";

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
    label: ({ page }) => `profit (value ${money(page.money.value)}, cost ${money(page.money.cost)})`,
    domain: (view, layers) => {
      const heights = layers.flatMap((layer) => layer.points.map((point) => point[1]));
      return [Math.min(0, ...heights), Math.max(...heights) * 1.1 || 1];
    },
    format: () => compact,
  },
  layers: (view) => [
    { kind: "line", look: "line random", label: "nobody selected: 0", points: [[0, 0], [1, 0]] },
    ...view.shown.map((model) => {
      const best = bestStops(model)[0];
      return {
        kind: "line", score: true, look: `line ${model.look}`, points: model.q.map((q, i) => [q, model.profit(i)]),
        label: model.name, detail: `best ${money(model.profit(best))} at ${percent(model.q[best])}`,
      };
    }),
  ],
  marks: (view) => {
    const profit = view.focus.profit(view.stop);
    return whereShown(view, { x: view.focus.q[view.stop], y: profit, look: view.focus.look, text: money(profit) });
  },
  seek: byShare,
  columns: (view) => atShares(view, ["profit"], (model, stop) => [money(model.profit(stop))]),
};
