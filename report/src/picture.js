// The frame of every picture: axes, legend, layers, a point that moves and can be dragged.

import { axisBottom, axisLeft, axisRight } from "d3-axis";
import { drag } from "d3-drag";
import { scaleLinear, scaleLog } from "d3-scale";
import { pointer, select } from "d3-selection";
import { make } from "./dom.js";
import { areaPath, linePath } from "./geometry.js";
import { boxOf, freePlace, linesAround } from "./labels.js";
import { BOLD, entriesOf, fitting, legendRows, longestEntry, textWidth } from "./legend.js";
import { pictureTools } from "./tools.js";

// Where a picture is not shown, and never narrower than letters need.
const [USUAL, NARROWEST] = [420, 300];
const [TOP, RIGHT, BOTTOM, ROW] = [10, 20, 52, 17];
const [LEAST_LEFT, LEAST_RIGHT] = [54, 62];
// A picture of this width has room for its legend beside the plot.
const WIDE = 640;
// Names stand at the ends of lines where they take no more of the width, this far apart.
const [MOST_OF_ENDS, LINE] = [0.25, 15];
// A label further from its point than this is tied to it by a line.
const NEAR = 20;
const TICK = "11px system-ui, sans-serif";
let made = 0;

/** Return a picture that follows the store.
 *
 * `spec` holds `id`, `title`, `x` and `y` (label, domain, ticks, format), `layers(view)`,
 * `marks(view)` for the cut-off, `seek(view, x, y)` for dragging, and `columns(view)`; `own` where
 * it shows the one score that is looked at, `note(view)` below it, `height` of the plot, `beside`
 * where its legend may stand beside the plot, and `right` for a second way to read y.
 */
export function picture(spec, store) {
  const svg = select(make("div")).append("svg").attr("class", "picture");
  const parts = {
    axes: svg.append("g"), plot: svg.append("g"), ends: svg.append("g"), legend: svg.append("g"), marks: svg.append("g"),
  };
  const clip = `clip-${(made += 1)}`;
  svg.append("clipPath").attr("id", clip).append("rect");
  parts.plot.attr("clip-path", `url(#${clip})`);
  const note = make("p", { class: "soft" });
  let [frame, width, late] = [null, null, false];
  // What is folded away is drawn when it is opened.
  const waits = () => (late = Boolean(svg.node().closest("details:not([open])")));
  const move = (view) => {
    if (waits()) return;
    drawMarks(frame, spec.marks(view), parts.marks);
    if (spec.seek) describe(spec, svg, view);
  };
  const redraw = (view) => {
    if (waits()) return;
    frame = drawFrame(spec, view, svg, parts, width);
    frame.lines = drawLayers(frame, spec.layers(view), parts.plot);
    note.textContent = spec.note?.(view) ?? "";
    note.hidden = !note.textContent;
  };
  if (spec.seek) makeMovable(spec, svg, store, () => frame);
  else svg.attr("role", "img").attr("aria-label", spec.title);
  store.on("view", redraw);
  store.on("stop", move);
  // Letters keep their size on every screen: the picture is drawn as wide as it stands there.
  const fit = () => {
    const found = Math.max(Math.round(svg.node().getBoundingClientRect().width || USUAL), NARROWEST);
    if (found === width && !late) return;
    width = found;
    redraw(store.get());
    move(store.get());
  };
  store.on("placed", () => {
    fit();
    svg.node().closest("details")?.addEventListener("toggle", fit);
  });
  const element = make(
    "figure", { id: spec.id, class: "card" },
    make("figcaption", {}, make("h3", {}, spec.title), pictureTools(spec, svg.node(), store)),
    svg.node(), note,
  );
  new ResizeObserver(fit).observe(svg.node());
  return { element, svg: svg.node() };
}

/** Return the height of a plot: the wider, the flatter. */
const flat = (width) => (width < 1000 ? 280 : 190);

function drawFrame(spec, view, svg, parts, width) {
  const layers = spec.layers(view);
  const plot = spec.height?.(width) ?? flat(width);
  const y = (spec.y.log?.(view) ? scaleLog : scaleLinear)(spec.y.domain(view, layers), [TOP + plot, TOP]);
  const format = spec.y.format(view);
  const ticks = (spec.y.ticks?.(view) ?? y.ticks(5)).filter((tick) => within(tick, y.domain()));
  const left = Math.max(LEAST_LEFT, 30 + Math.max(...ticks.map((tick) => textWidth(format(tick), TICK))));
  const beside = spec.beside && width >= WIDE;
  const ends = endsOf(spec, layers, width);
  const entries = entriesOf(layers).filter((layer) => !ends.includes(layer));
  const longest = longestEntry(entries);
  const right = spec.right ? LEAST_RIGHT : beside ? Math.min(longest + 34, 0.45 * width)
    : ends.length ? Math.max(...ends.map(({ label }) => textWidth(label, BOLD))) + 14 : RIGHT;
  const x = scaleLinear(spec.x.domain(view, layers), [left, width - right]);
  // Where the plot is too narrow for it the legend begins at the edge of the picture.
  const margin = longest > width - left - RIGHT ? 4 : left;
  const rows = legendRows(entries, beside ? right - 30 : width - margin - RIGHT);
  const height = TOP + plot + BOTTOM + (beside ? 0 : ROW * rows.length);
  svg.attr("viewBox", `0 0 ${width} ${height}`);
  const base = TOP + plot;
  svg.select("clipPath rect").attr("x", left - 1).attr("y", TOP - 4).attr("width", width - left - right + 2).attr("height", plot + 8);
  const frame = { x, y, ticks, format, base, left, right: width - right, lines: [] };
  drawAxes(frame, spec, view, parts.axes);
  drawEnds(frame, ends, parts.ends);
  drawLegend(rows, parts.legend, beside ? [frame.right + 24, TOP + 12, true] : [margin, base + BOTTOM + 10, false]);
  return frame;
}

/** Return the lines whose names stand at their ends: several, with room beside the plot. */
function endsOf(spec, layers, width) {
  const lines = layers.filter((layer) => spec.ends && layer.kind === "line" && layer.label && layer.points.length);
  return lines.length > 1 && lines.every(({ label }) => textWidth(label, BOLD) <= MOST_OF_ENDS * width) ? lines : [];
}

/** Write the name of each line beside its end, no two over each other. */
function drawEnds({ x, y, right }, lines, group) {
  const rising = lines.map((layer) => ({ layer, at: y(layer.points.at(-1)[1]) + 4 }))
    .sort((a, b) => a.at - b.at);
  rising.forEach((name, i) => { if (i) name.at = Math.max(name.at, rising[i - 1].at + LINE); });
  const least = Math.max(0, (rising.at(-1)?.at ?? 0) - y.range()[0]);
  group.selectAll("text").data(rising).join("text").attr("class", ({ layer }) => `told ${layer.look.replace("line ", "")}`)
    .attr("x", Math.max(right, x.range()[1]) + 6).attr("y", ({ at }) => at - least).text(({ layer }) => layer.label);
}

function drawAxes({ x, y, ticks, format, base, left, right }, spec, view, group) {
  group.selectAll("*").remove();
  const place = (across, down) => group.append("g").attr("class", "axis").attr("transform", `translate(${across},${down})`);
  const bottom = axisBottom(x).ticks(5).tickSize(TOP - base).tickPadding(9);
  if (spec.x.ticks) bottom.tickValues(spec.x.ticks(view, right - left));
  place(0, base).call(bottom.tickFormat(spec.x.format(view, right - left)));
  place(left, 0).call(axisLeft(y).tickValues(ticks).tickSize(left - right).tickPadding(8).tickFormat(format));
  if (spec.right) place(right, 0).call(axisRight(y).tickValues(spec.right.ticks?.(y) ?? ticks).tickSize(0).tickPadding(8).tickFormat(spec.right.format));
  group.selectAll(".axis").attr("font-family", null).attr("font-size", null);
  const name = (text) => (typeof text === "function" ? text(view) : text);
  const upright = (across, turn, text) => group.append("text").attr("class", "name")
    .attr("transform", `translate(${across},${(TOP + base) / 2}) rotate(${turn})`).text(fitting(text, base - TOP + BOTTOM));
  group.append("text").attr("class", "name").attr("x", (left + right) / 2).attr("y", base + 40).text(fitting(name(spec.x.label), right));
  upright(12, -90, name(spec.y.label));
  if (spec.right) upright(right + 50, 90, spec.right.label);
}

const within = (value, [low, high]) => value >= low && value <= high;

function drawLegend(rows, group, [left, top, oneByOne]) {
  group.selectAll("*").remove();
  const placed = oneByOne ? rows.flat().map((entry) => [{ ...entry, at: 0 }]) : rows;
  placed.forEach((row, down) => {
    for (const { layer, at, text } of row) {
      const y = top + down * (oneByOne ? ROW + 5 : ROW);
      const swatch = !layer ? null : layer.kind === "area" || layer.kind === "bars"
        ? group.append("rect").attr("x", left + at).attr("y", y - 9).attr("width", 22).attr("height", 10)
        : group.append("path").attr("d", `M${left + at} ${y - 4}h22`);
      swatch?.attr("class", layer.look);
      group.append("text").attr("class", "legend").attr("x", left + at + 27).attr("y", y).text(text);
    }
  });
}

/** Draw lines, areas, bars and dots, what lies outside the frame cut off; return the lines. */
export function drawLayers({ x, y }, layers, group) {
  group.selectAll("*").remove();
  const lines = [];
  for (const layer of layers) {
    const placed = () => layer.points.map((point) => [x(point[0]), y(point[1])]);
    if (layer.kind === "line") {
      lines.push(placed());
      group.append("path").attr("class", layer.look).attr("d", linePath(lines.at(-1)));
    } else if (layer.kind === "area") {
      const edge = (height) => layer.points.map((point) => [x(point[0]), y(point[height])]);
      group.append("path").attr("class", layer.look).attr("d", areaPath(edge(1), edge(2)));
    } else if (layer.kind === "bars") {
      group.selectAll(null).data(layer.points).join("rect").attr("class", layer.look)
        .attr("x", (bar) => x(bar[0])).attr("width", (bar) => Math.max(x(bar[1]) - x(bar[0]) - 0.5, 0.5))
        .attr("y", (bar) => Math.min(y(bar[2]), y(0))).attr("height", (bar) => Math.abs(y(0) - y(bar[2])));
    } else if (layer.kind === "dots") {
      group.selectAll(null).data(placed()).join("circle").attr("class", layer.look).attr("r", 3.5)
        .attr("cx", ([across]) => across).attr("cy", ([, down]) => down);
    }
  }
  return lines;
}

function drawMarks(frame, marks, group) {
  const { x, y, base } = frame;
  group.selectAll("path.guide").data(marks).join("path").attr("class", "guide")
    .attr("d", (mark) => (Number.isFinite(mark.x) ? `M${x(mark.x)} ${base}V${y.range()[1]}` : null));
  const visible = marks.filter((mark) => Number.isFinite(mark.y));
  const place = (mark) => [x(mark.x), Math.min(Math.max(y(mark.y), y.range()[1]), base)];
  group.selectAll("circle").data(visible).join("circle").attr("r", 5)
    .attr("class", (mark) => `mark ${mark.look}`)
    .attr("cx", (mark) => place(mark)[0]).attr("cy", (mark) => place(mark)[1]);
  const labels = labelled(frame, visible, place);
  group.selectAll("path.leader").data(labels.filter(({ leader }) => leader)).join("path").attr("class", (label) => `leader ${label.look}`)
    .attr("d", (label) => linePath(label.leader));
  group.selectAll("text").data(labels).join("text").attr("class", (label) => `told ${label.look}`)
    .attr("x", (label) => label.x).attr("y", (label) => label.y).text((label) => label.text);
}

/** Return the labels of the marks with their places; one that would cover a curve is left out. */
function labelled({ lines, left, right, base }, marks, place) {
  const bounds = { left: left + 1, right: right - 1, top: TOP, bottom: base - 1 };
  const taken = marks.map((mark) => boxOf(place(mark), 7));
  return marks.filter((mark) => mark.text).flatMap((mark) => {
    const [at, width] = [place(mark), textWidth(mark.text, BOLD)];
    const found = freePlace(at, width, bounds, linesAround(lines, at, width), taken);
    if (found) taken.push(found.box);
    return found ? [{ ...found, text: mark.text, look: mark.look, leader: leaderTo(at, found.box) }] : [];
  });
}

/** Return the line from a point to a label that stands far from it; null where it is near. */
function leaderTo([x, y], { left, right, top, bottom }) {
  const end = [Math.min(Math.max(x, left), right), Math.min(Math.max(y, top), bottom)];
  const far = Math.hypot(end[0] - x, end[1] - y);
  return far > NEAR ? [[x + (7 * (end[0] - x)) / far, y + (7 * (end[1] - y)) / far], end] : null;
}

function describe(spec, svg, view) {
  const share = 100 * view.focus.q[view.stop];
  svg.attr("aria-valuenow", share.toFixed(2)).attr("aria-valuetext", spec.told(view));
}

function makeMovable(spec, svg, store, frame) {
  svg.attr("role", "slider").attr("tabindex", 0).attr("aria-label", `${spec.title}: cut-off`)
    .attr("aria-valuemin", 0).attr("aria-valuemax", 100).classed("movable", true);
  const seek = (event) => {
    const [left, top] = pointer(event, svg.node());
    const { x, y } = frame();
    store.set({ stop: spec.seek(store.get(), x.invert(left), y.invert(top)) });
  };
  svg.call(drag().container(svg.node()).on("start drag", (event) => seek(event.sourceEvent)));
  svg.on("keydown", (event) => moveByKey(event, store));
}

// What one key press adds to the share selected.
const [ARROW, PAGE] = [0.001, 0.05];

/** Move the cut-off by a key: arrows 0.1% of all or with Shift one cut-off, pages 5%, ends to the ends. */
export function moveByKey(event, store) {
  const { focus, stop } = store.get();
  const by = (share) => focus.atShare(Math.min(Math.max(focus.q[stop] + share, 0), 1));
  const fewer = (share) => (event.shiftKey ? stop - 1 : Math.min(by(-share), stop - 1));
  const more = (share) => (event.shiftKey ? stop + 1 : Math.max(by(share), stop + 1));
  const moves = new Map([
    ["ArrowLeft", () => fewer(ARROW)], ["ArrowDown", () => fewer(ARROW)],
    ["ArrowRight", () => more(ARROW)], ["ArrowUp", () => more(ARROW)],
    ["PageDown", () => fewer(PAGE)], ["PageUp", () => more(PAGE)],
    ["Home", () => 0], ["End", () => focus.last],
  ]);
  const found = moves.get(event.key);
  if (!found || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  store.set({ stop: found() });
}
