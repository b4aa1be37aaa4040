// Geometry of broken lines: reading, nearest points, areas, and the way from CAP to ROC.

/** Return where a point of the CAP stands at time t on its way to the ROC (t from 0 to 1). */
export function morphed(x, y, rate, t) {
  return (1 - t) * x + (t * (x - rate * y)) / (1 - rate);
}

/** Return running sums of rises. */
export function running(rises) {
  let sum = 0;
  return rises.map((rise) => (sum += rise));
}

/** Return how many of the ascending values are below the limit. */
export function countBelow(values, limit) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Return the place of the ascending value that is nearest; of equal ones the first. */
export function nearest(values, wanted) {
  const after = Math.min(countBelow(values, wanted), values.length - 1);
  if (after === 0) return 0;
  const before = after - 1;
  const place = wanted - values[before] <= values[after] - wanted ? before : after;
  return countBelow(values, values[place]);
}

/** Return the place of the point that is nearest in the plane. */
export function nearestPoint(xs, ys, x, y) {
  let best = 0;
  let least = Infinity;
  for (let place = 0; place < xs.length; place += 1) {
    const distance = (xs[place] - x) ** 2 + (ys[place] - y) ** 2;
    if (distance < least) [best, least] = [place, distance];
  }
  return best;
}

/** Return the height of a broken line at x; where it is vertical, the top. */
export function heightAt(xs, ys, x) {
  const after = countBelow(xs, x);
  if (after >= xs.length) return ys[xs.length - 1];
  if (xs[after] === x) {
    let last = after;
    while (last + 1 < xs.length && xs[last + 1] === x) last += 1;
    return Math.max(ys[after], ys[last]);
  }
  if (after === 0) return ys[0];
  const part = (x - xs[after - 1]) / (xs[after] - xs[after - 1]);
  return ys[after - 1] + part * (ys[after] - ys[after - 1]);
}

/** Return the area between a broken line and the diagonal, below the diagonal counted negative. */
export function aboveDiagonal(xs, ys) {
  let twice = 0;
  for (let i = 1; i < xs.length; i += 1) {
    twice += (xs[i] - xs[i - 1]) * (ys[i] + ys[i - 1]) - (xs[i] ** 2 - xs[i - 1] ** 2);
  }
  return twice / 2;
}

/** Return the accuracy ratio of a CAP that is on its way to the ROC: A / (A + B). */
export function ratioOnTheWay(xs, ys, rate, t) {
  const moved = xs.map((x, place) => morphed(x, ys[place], rate, t));
  const ideal = [0, morphed(rate, 1, rate, t), 1];
  return aboveDiagonal(moved, ys) / aboveDiagonal(ideal, [0, 1, 1]);
}

/** Return places with one more between neighbours further apart than `step`, as fractions. */
export function refined(xs, step) {
  const places = [];
  for (let i = 1; i < xs.length; i += 1) {
    const parts = Math.max(1, Math.ceil((xs[i] - xs[i - 1]) / step));
    for (let part = 0; part < parts; part += 1) places.push(i - 1 + part / parts);
  }
  places.push(xs.length - 1);
  return places;
}

/** Return a column's value at a place between two of its entries. */
export function between(values, place) {
  const left = Math.floor(place);
  if (left === place) return values[left];
  return values[left] + (place - left) * (values[left + 1] - values[left]);
}

const short = (value) => Math.round(100 * value) / 100;

/** Return the path of a broken line through points on the screen, to a hundredth of a pixel. */
export function linePath(points) {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${short(x)},${short(y)}`).join("");
}

/** Return the path around what lies between two broken lines. */
export function areaPath(there, back) {
  return `${linePath([...there, ...[...back].reverse()])}Z`;
}
