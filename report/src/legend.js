// Where the entries of a legend stand: side by side as long as they fit, then in the next row.

import { shortened } from "./format.js";

const [SWATCH, GAP] = [27, 16];
const NORMAL = "12px system-ui, sans-serif";
export const BOLD = `600 ${NORMAL}`;
let ruler = null;

/** Return the entries of a legend, the curves of the scores first. */
export function entriesOf(layers) {
  const named = layers.filter((layer) => layer.label);
  return [...named.filter((layer) => layer.score), ...named.filter((layer) => !layer.score)];
}

/** Return rows of entries: `{ layer, at, text }`, `at` being how far from the left.
 *
 * Where a label has no room for its detail beside it, that stands below; only a label that is
 * wider than a whole row is cut.
 */
export function legendRows(layers, width, measure = textWidth) {
  const rows = [];
  let at = Infinity;
  for (const layer of layers) {
    const detail = layer.detail ? `  ${layer.detail}` : "";
    const below = detail && SWATCH + measure(layer.label + detail) > width;
    const text = fitting(layer.label, width - SWATCH, measure) + (below ? "" : detail);
    const size = SWATCH + measure(text);
    if (at + size > width) {
      rows.push([]);
      at = 0;
    }
    rows.at(-1).push({ layer, at, text });
    at += size + GAP;
    if (below) {
      rows.push([{ layer: null, at: 0, text: layer.detail }]);
      at = Infinity;
    }
  }
  return rows;
}

/** Return how wide the widest entry is. */
export function longestEntry(layers, measure = textWidth) {
  return Math.max(0, ...layers.map(({ label, detail }) => SWATCH + measure(detail ? `${label}  ${detail}` : label)));
}

/** Return text cut in the middle until it is no wider than there is room for. */
export function fitting(text, width, measure = textWidth) {
  for (let letters = 60; letters > 8; letters -= 2) {
    const cut = shortened(text, letters);
    if (measure(cut) <= width) return cut;
  }
  return shortened(text, 8);
}

/** Return words in lines that are no wider than there is room for. */
export function wrapped(text, width, measure = textWidth) {
  const lines = [];
  for (const word of text.split(" ")) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && measure(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(fitting(word, width, measure));
  }
  return lines;
}

/** Return how wide text is on the screen. */
export function textWidth(text, font = NORMAL) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = font;
  return ruler.measureText(text).width;
}
