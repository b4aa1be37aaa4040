// The linked pictures: which stand on a page, in the order in which they are read.

import { capturedPanel, gapPanel, recallPanel } from "./classes.js";
import { rocPanel } from "./curves.js";
import { liftPanel, localLiftPanel } from "./lift.js";
import { meanPanel, topPanel } from "./means.js";
import { profitPanel } from "./profit.js";
import { scoresPanel } from "./scores.js";

const OF_CLASSES = [rocPanel, capturedPanel, gapPanel, liftPanel, localLiftPanel, recallPanel];

/** Return the pictures beside the CAP, in the order in which they are read. */
export function panels(page) {
  const list = page.kind === "amounts" ? [meanPanel(page), topPanel(page)] : [...OF_CLASSES];
  if (page.money) list.push(profitPanel);
  if (page.models.some((model) => model.spread)) list.push(scoresPanel(page));
  return list;
}
