// Where the entries of a legend stand: side by side as long as they fit, then in the next row.

import { shortened } from "./format.js";

const [SWATCH, GAP] = [27, 16];
let ruler = null;

/** Return rows of entries: `{ layer, at, text }`, `at` being how far from the left. */
export function legendRows(layers, width, measure = textWidth) {
  const rows = [];
  let at = Infinity;
  for (const layer of layers) {
    const text = shortened(layer.label, 44);
    const size = SWATCH + measure(text);
    if (at + size > width) {
      rows.push([]);
      at = 0;
    }
    rows.at(-1).push({ layer, at, text });
    at += size + GAP;
  }
  return rows;
}

function textWidth(text) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = "12px system-ui, sans-serif";
  return ruler.measureText(text).width;
}
