// Axes that pictures share, the table behind them, and what the cut-off is called aloud.

import { brief, percent, quantity, rule } from "./format.js";

/** An axis from 0 to 100%. */
export const unit = { domain: () => [0, 1], format: () => brief };

/** The axis of the share of cases, or of exposure, selected. */
export const shares = { ...unit, label: ({ page }) => `share of ${page.words.allSelected} selected` };

/** Return the height of a plot of which two stand side by side. */
export const low = (width) => (width < 560 ? 280 : 220);

/** Return what the cut-off is called aloud. */
export function told(view) {
  const { focus, stop } = view;
  const held = focus.y ? percent(focus.y[stop]) : quantity(focus.captured(stop));
  return `top ${percent(focus.q[stop])}, ${held} captured, ${rule(focus, stop)}`;
}

/** Return the stop at a share of cases. */
export function byShare(view, x) {
  return view.focus.atShare(x);
}

/** Return the marks of the score that is looked at, none while its curve is hidden. */
export function whereShown(view, ...marks) {
  return view.shown.includes(view.focus) ? marks : [];
}

/** Return a table with a row for each tenth of what can be selected. */
export function atShares({ focus }, names, cells) {
  const stops = Array.from({ length: 11 }, (_, tenth) => focus.atShare(tenth / 10));
  return {
    names: ["selected", "score", ...names],
    rows: [...new Set(stops)].map((stop) =>
      [percent(focus.q[stop]), focus.cutoff(stop), ...cells(focus, stop)]),
  };
}
