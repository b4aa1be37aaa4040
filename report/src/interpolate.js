// What scales of numbers need of d3-interpolate, which brings colours, transforms and strings too.

/** Return what goes from one number to another, as d3-interpolate has it. */
export function interpolateNumber(from, to) {
  return (t) => from * (1 - t) + to * t;
}

/** Return the same in whole numbers. */
export function interpolateRound(from, to) {
  return (t) => Math.round(from * (1 - t) + to * t);
}

/** Return the same for what a scale is given, which here is numbers. */
export const interpolate = interpolateNumber;

/** Scales of several pieces, which no picture has. */
export const piecewise = undefined;
