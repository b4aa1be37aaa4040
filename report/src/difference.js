// Where one CAP really lies above another: the difference with its band.

import { brief, briefPoints, percent, points, shortened } from "./format.js";
import { heightAt } from "./geometry.js";
import { picture } from "./picture.js";
import { byShare, low, shares, told } from "./axes.js";

/** Return the picture of a difference of two CAPs with its band. */
export function bandPicture(band, store) {
  const spec = {
    id: `difference-${band.name}`.replace(/[^\p{L}\p{N}]+/gu, "-"),
    scores: [band.first, band.second],
    title: `CAP difference: ${shortened(band.first)} minus ${shortened(band.second)}`,
    note: () => clearShares(band),
    told,
    height: low,
    x: shares,
    y: {
      label: "positives captured, difference",
      domain: () => [Math.min(0, ...band.low) * 1.1, Math.max(0.001, ...band.high) * 1.1],
      format: () => briefPoints,
    },
    layers: () => [
      { kind: "area", look: "band m0", label: `${brief(band.level)} band, ${band.kind}`, points: band.q.map((q, i) => [q, band.low[i], band.high[i]]) },
      { kind: "line", look: "line random", label: "no difference", points: [[0, 0], [1, 0]] },
      { kind: "line", score: true, look: "line m0", label: "difference", points: band.q.map((q, i) => [q, band.estimate[i]]) },
    ],
    marks: ({ focus, stop }) => {
      const y = heightAt(band.q, band.estimate, focus.q[stop]);
      return [{ x: focus.q[stop], y, look: "m0", text: points(y) }];
    },
    seek: byShare,
    columns: () => ({
      names: ["selected", "low", "difference", "high"],
      rows: band.q.map((q, i) => [percent(q), points(band.low[i]), points(band.estimate[i]), points(band.high[i])]).filter((_, i) => i % 10 === 0),
    }),
  };
  return picture(spec, store).element;
}

/** Return the sentence on where the band leaves zero. */
export function clearShares({ first, second, q, low, high }) {
  const ranges = (held) => {
    const found = [];
    q.forEach((share, i) => {
      if (!held(i)) return;
      if (i && held(i - 1) && found.length) found.at(-1)[1] = share;
      else found.push([share, share]);
    });
    return found.map(([from, to]) => (from === to ? `in the top ${percent(from)}` : `from the top ${percent(from)} to the top ${percent(to)}`));
  };
  const told = [[first, ranges((i) => low[i] > 0)], [second, ranges((i) => high[i] < 0)]]
    .filter(([, found]) => found.length)
    .map(([name, found]) => `${shortened(name, 60)} captures significantly more ${found.join(" and ")}.`);
  if (told.length) return told.join(" ");
  return "Zero is inside the band everywhere: neither score demonstrably captures more at any depth.";
}
