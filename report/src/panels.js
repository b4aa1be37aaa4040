// The linked pictures: which stand on a page, in the order in which they are read.

import { capturedPanel, gapPanel, recallPanel } from "./classes.js";
import { rocPanel } from "./curves.js";
import { liftPanel, localLiftPanel } from "./lift.js";
import { meanPanel, topPanel } from "./means.js";
import { profitPanel } from "./profit.js";
import { scoresPanel } from "./scores.js";

/** Return the pictures below the CAP: `main` ones, and `more`, which say the same in other ways. */
export function panels(page) {
  const profit = page.money ? [profitPanel] : [];
  const scores = page.models.some((model) => model.spread) ? [scoresPanel(page)] : [];
  if (page.kind === "amounts") return { main: [meanPanel(page), topPanel(page), ...profit, ...scores], more: [] };
  return { main: [rocPanel, capturedPanel, liftPanel, ...profit], more: [gapPanel, localLiftPanel, recallPanel, ...scores] };
}
