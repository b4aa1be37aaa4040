// The frame of every picture: axes, legend, layers, a point that moves and can be dragged.

import { axisBottom, axisLeft } from "d3-axis";
import { drag } from "d3-drag";
import { scaleLinear, scaleLog } from "d3-scale";
import { pointer, select } from "d3-selection";
import { make } from "./dom.js";
import { areaPath, linePath } from "./geometry.js";
import { legendRows } from "./legend.js";
import { pictureTools } from "./tools.js";

export const WIDTH = 420;
const [PLOT, TOP] = [280, 10];
const [LEFT, RIGHT, BOTTOM, ROW] = [52, 14, 52, 17];
let made = 0;

/** Return a picture that follows the store: `{ element, svg }`.
 *
 * `spec` holds `id`, `title`, `x` and `y` (label, domain, ticks, format), `layers(view)`,
 * `marks(view)` for the cut-off, `seek(view, x, y)` for dragging, and `columns(view)`.
 */
export function picture(spec, store) {
  const svg = select(make("div")).append("svg").attr("class", "picture");
  const parts = {
    axes: svg.append("g"), plot: svg.append("g"), legend: svg.append("g"), marks: svg.append("g"),
  };
  const clip = `clip-${(made += 1)}`;
  svg.append("clipPath").attr("id", clip).append("rect");
  parts.plot.attr("clip-path", `url(#${clip})`);
  let frame = null;
  const redraw = (view) => {
    frame = drawFrame(spec, view, svg, parts);
    drawLayers(frame, spec.layers(view), parts.plot);
  };
  const move = (view) => drawMarks(frame, spec.marks(view), parts.marks, describe(spec, svg, view));
  if (spec.seek) makeMovable(spec, svg, store, () => frame);
  else svg.attr("role", "img").attr("aria-label", spec.title);
  redraw(store.get());
  move(store.get());
  store.on("view", redraw);
  store.on("stop", move);
  const heading = make("h3", {}, spec.title);
  const element = make(
    "figure", { id: spec.id, class: "card" },
    make("figcaption", {}, heading, pictureTools(spec, svg.node(), store)),
    svg.node(),
    spec.note ? make("p", { class: "soft" }, spec.note) : null,
  );
  return { element, svg: svg.node() };
}

function drawFrame(spec, view, svg, parts) {
  const layers = spec.layers(view);
  const rows = legendRows(layers.filter((layer) => layer.label), WIDTH - LEFT - RIGHT);
  const height = TOP + PLOT + BOTTOM + ROW * rows.length;
  const x = scaleLinear(spec.x.domain(view, layers), [LEFT, WIDTH - RIGHT]);
  const upright = spec.y.log?.(view) ? scaleLog : scaleLinear;
  const y = upright(spec.y.domain(view, layers), [TOP + PLOT, TOP]);
  svg.attr("viewBox", `0 0 ${WIDTH} ${height}`);
  svg.select("clipPath rect").attr("x", LEFT - 1).attr("y", TOP - 4)
    .attr("width", WIDTH - LEFT - RIGHT + 2).attr("height", PLOT + 8);
  const frame = { x, y };
  drawAxes(frame, spec, view, parts.axes);
  drawLegend(rows, parts.legend);
  return frame;
}

function drawAxes({ x, y }, spec, view, group) {
  group.selectAll("*").remove();
  const bottom = axisBottom(x).ticks(5).tickSize(-PLOT).tickPadding(9);
  if (spec.x.ticks) bottom.tickValues(spec.x.ticks(view));
  bottom.tickFormat(spec.x.format(view));
  const left = axisLeft(y).ticks(5).tickSize(-(WIDTH - LEFT - RIGHT)).tickPadding(8);
  const ticks = spec.y.ticks?.(view);
  if (ticks) left.tickValues(ticks.filter((tick) => within(tick, y.domain())));
  left.tickFormat(spec.y.format(view));
  group.append("g").attr("class", "axis").attr("transform", `translate(0,${TOP + PLOT})`).call(bottom);
  group.append("g").attr("class", "axis").attr("transform", `translate(${LEFT},0)`).call(left);
  group.selectAll(".axis").attr("font-family", null).attr("font-size", null);
  const name = (text) => (typeof text === "function" ? text(view) : text);
  const centre = (LEFT + WIDTH - RIGHT) / 2;
  group.append("text").attr("class", "name").attr("x", centre).attr("y", TOP + PLOT + 40).text(name(spec.x.label));
  group.append("text").attr("class", "name")
    .attr("transform", `translate(12,${TOP + PLOT / 2}) rotate(-90)`).text(name(spec.y.label));
}

const within = (value, [low, high]) => value >= low && value <= high;

function drawLegend(rows, group) {
  group.selectAll("*").remove();
  rows.forEach((row, down) => {
    for (const { layer, at, text } of row) {
      const y = TOP + PLOT + BOTTOM + 10 + down * ROW;
      const swatch = layer.kind === "line" ? group.append("path").attr("d", `M${LEFT + at} ${y - 4}h22`)
        : group.append("rect").attr("x", LEFT + at).attr("y", y - 9).attr("width", 22).attr("height", 10);
      swatch.attr("class", layer.look);
      group.append("text").attr("class", "legend").attr("x", LEFT + at + 27).attr("y", y).text(text);
    }
  });
}

/** Draw lines, areas, bars and rules; what lies outside the frame is cut off. */
export function drawLayers({ x, y }, layers, group) {
  group.selectAll("*").remove();
  const base = y.range()[0];
  for (const layer of layers) {
    if (layer.kind === "line") {
      const points = layer.points.map((point) => [x(point[0]), y(point[1])]);
      group.append("path").attr("class", layer.look).attr("d", linePath(points));
    } else if (layer.kind === "area") {
      const edge = (height) => layer.points.map((point) => [x(point[0]), y(point[height])]);
      group.append("path").attr("class", layer.look).attr("d", areaPath(edge(1), edge(2)));
    } else if (layer.kind === "bars") {
      group.selectAll(null).data(layer.points).join("rect").attr("class", layer.look)
        .attr("x", (bar) => x(bar[0])).attr("width", (bar) => Math.max(x(bar[1]) - x(bar[0]) - 0.5, 0.5))
        .attr("y", (bar) => y(bar[2])).attr("height", (bar) => base - y(bar[2]));
    } else if (layer.kind === "segment") {
      const [left, low, high, text] = layer.points;
      const at = x(left);
      const start = at < (x.range()[0] + x.range()[1]) * 0.62;
      group.append("path").attr("class", layer.look).attr("d", `M${at} ${y(low)}V${y(high)}`);
      group.append("text").attr("class", "told").attr("x", at + (start ? 6 : -6))
        .attr("text-anchor", start ? "start" : "end").attr("y", (y(low) + y(high)) / 2 + 4).text(text);
    } else if (layer.kind === "dots") {
      group.selectAll(null).data(layer.points).join("circle").attr("class", layer.look).attr("r", 3.5)
        .attr("cx", (point) => x(point[0])).attr("cy", (point) => y(point[1]));
    }
  }
}

function drawMarks({ x, y }, marks, group, describe) {
  const base = y.range()[0];
  const right = x.range()[1];
  group.selectAll("path").data(marks).join("path").attr("class", "guide")
    .attr("d", (mark) => (Number.isFinite(mark.x) ? `M${x(mark.x)} ${base}V${y.range()[1]}` : null));
  const visible = marks.filter((mark) => Number.isFinite(mark.y));
  const place = (mark) => Math.min(Math.max(y(mark.y), y.range()[1]), base);
  group.selectAll("circle").data(visible).join("circle").attr("r", 5)
    .attr("class", (mark) => `mark ${mark.look ?? "c0"}`)
    .attr("cx", (mark) => x(mark.x)).attr("cy", place);
  group.selectAll("text").data(visible.filter((mark) => mark.text)).join("text").attr("class", "told")
    .attr("text-anchor", (mark) => (x(mark.x) > right - 70 ? "end" : "start"))
    .attr("x", (mark) => x(mark.x) + (x(mark.x) > right - 70 ? -9 : 9))
    .attr("y", (mark) => {
      const wanted = place(mark) + (mark.above ? -9 : 16);
      return Math.min(Math.max(wanted, y.range()[1] + 10), base - 5);
    })
    .text((mark) => mark.text);
  describe?.();
}

function describe(spec, svg, view) {
  if (!spec.seek) return null;
  return () => {
    const share = 100 * view.focus.q[view.stop];
    svg.attr("aria-valuenow", share.toFixed(2)).attr("aria-valuetext", spec.told(view));
  };
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

/** Move the cut-off by a key: arrows one cut-off, pages 5% of the cases, ends to the ends. */
export function moveByKey(event, store) {
  const { focus, stop } = store.get();
  const by = (share) => focus.atShare(Math.min(Math.max(focus.q[stop] + share, 0), 1));
  const moves = {
    ArrowLeft: () => stop - 1, ArrowDown: () => stop - 1,
    ArrowRight: () => stop + 1, ArrowUp: () => stop + 1,
    PageDown: () => Math.min(by(-0.05), stop - 1), PageUp: () => Math.max(by(0.05), stop + 1),
    Home: () => 0, End: () => focus.last,
  };
  if (!moves[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  store.set({ stop: moves[event.key]() });
}
