// Where a label may stand: inside the frame, beside its point, and over no curve.

const DISTANCES = [9, 13, 18, 24, 31, 39, 48, 58, 70, 85];
// Right before left, and a little above or below before far away: steps across and down.
const BESIDE = (far) => [
  [far, 0.9 * far], [far, -0.9 * far], [-far, -0.9 * far], [-far, 0.9 * far], [far, 0], [-far, 0],
  [DISTANCES[0], far], [DISTANCES[0], -far], [-DISTANCES[0], -far], [-DISTANCES[0], far],
];
/** Above and below the middle of a flat line. */
export const ABOVE = (far) => [[0, -far], [0, far], ...BESIDE(far)];
const HEIGHT = 13;
const ASCENT = 10;
const CLEAR = 2;

/** Return whether a box is touched by a broken line, given as points on the screen. */
export function touches(box, line) {
  for (let i = 1; i < line.length; i += 1) {
    if (crosses(box, line[i - 1], line[i])) return true;
  }
  return false;
}

/** Return whether a segment has a point inside a box: what is left of it between the four sides. */
function crosses({ left, right, top, bottom }, [x0, y0], [x1, y1]) {
  if (Math.max(x0, x1) < left || Math.min(x0, x1) > right) return false;
  if (Math.max(y0, y1) < top || Math.min(y0, y1) > bottom) return false;
  let [from, to] = [0, 1];
  for (const [start, way, low, high] of [[x0, x1 - x0, left, right], [y0, y1 - y0, top, bottom]]) {
    if (way === 0) continue;
    const ends = [(low - start) / way, (high - start) / way].sort((a, b) => a - b);
    from = Math.max(from, ends[0]);
    to = Math.min(to, ends[1]);
  }
  return from <= to;
}

/** Return the parts of lines near enough to a point to touch any label of it. */
export function linesAround(lines, [x, y], width) {
  const [across, down] = [DISTANCES.at(-1) + width + 2 * CLEAR, DISTANCES.at(-1) + HEIGHT];
  const box = { left: x - across, right: x + across, top: y - down, bottom: y + down };
  return lines.flatMap((line) => line.slice(1).map((end, i) => [line[i], end]).filter(([from, to]) => crosses(box, from, to)));
}

const apart = (a, b) => a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top;

/** Return where a label of a point may begin: `{ x, y, box }`, `y` being its base line; null if nowhere.
 *
 * `bounds` is the frame, `lines` are the curves in it, `taken` the boxes of other labels and points,
 * `sides` the places to try at each distance.
 */
export function freePlace([x, y], width, bounds, lines, taken, sides = BESIDE) {
  for (const distance of DISTANCES) {
    for (const [across, down] of sides(distance)) {
      const left = x + across - width * (across > 0 ? 0 : across < 0 ? 1 : 0.5);
      const middle = y + down;
      const box = {
        left: left - CLEAR, right: left + width + CLEAR, top: middle - HEIGHT / 2 - CLEAR, bottom: middle + HEIGHT / 2 + CLEAR,
      };
      const inside = box.left >= bounds.left && box.right <= bounds.right && box.top >= bounds.top && box.bottom <= bounds.bottom;
      if (inside && taken.every((other) => apart(box, other)) && !lines.some((line) => touches(box, line))) {
        return { x: left, y: middle - HEIGHT / 2 + ASCENT, box };
      }
    }
  }
  return null;
}

/** Return the box that a point of some radius covers. */
export function boxOf([x, y], radius) {
  return { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius };
}
