// From CAP to ROC: each point moves left as the axis loses the positives, and the ratio stays.

import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { button, fold, make } from "./dom.js";
import { brief, percent, shortened, three } from "./format.js";
import { areaPath, heightAt, linePath, morphed, ratioOnTheWay } from "./geometry.js";
import { ABOVE, boxOf, freePlace } from "./labels.js";
import { BOLD, textWidth } from "./legend.js";
import { fiveCases } from "./teaching.js";

const [SIZE, LEFT, TOP, BOTTOM, RIGHT] = [420, 54, 26, 48, 14];
const LETTERS = [0.55, 0.65, 0.75, 0.85, 0.45, 0.35, 0.25];
const DURATION = 1600;
const ease = (t) => t * t * (3 - 2 * t);

/** Return the section with the moving picture, its slider and what it shows. */
export function morphSection(store) {
  const parts = makeParts();
  const state = { t: 0, teaching: false, running: 0, to: 1 };
  const model = () => (state.teaching ? fiveCases : store.get().focus);
  const draw = () => drawAt(parts, model(), state, state.teaching ? null : store.get().stop);
  const go = (t) => {
    state.t = t;
    parts.range.value = String(Math.round(1000 * t));
    draw();
  };
  const stop = () => {
    window.cancelAnimationFrame(state.running);
    state.running = 0;
  };
  const play = () => {
    stop();
    const [from, to] = [state.t, state.t < 0.5 ? 1 : 0];
    parts.play.textContent = to === 1 ? "Back to the CAP" : "CAP → ROC";
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return go(to);
    const start = performance.now();
    const frame = (now) => {
      const part = Math.min(Math.max((now - start) / DURATION, 0), 1);
      go(from + (to - from) * ease(part));
      state.running = part < 1 ? window.requestAnimationFrame(frame) : 0;
    };
    state.running = window.requestAnimationFrame(frame);
    return undefined;
  };
  parts.play = button("CAP → ROC", play, { id: "play", class: "main" });
  parts.range = make("input", {
    type: "range", id: "morph", min: 0, max: 1000, step: 1, value: 0, "aria-label": "From CAP (left) to ROC (right)",
    oninput: () => {
      stop();
      state.t = parts.range.value / 1000;
      parts.play.textContent = state.t < 0.5 ? "CAP → ROC" : "Back to the CAP";
      draw();
    },
  });
  const teach = make("input", { type: "checkbox", id: "teach", onchange: () => {
    state.teaching = teach.checked;
    draw();
  } });
  const section = layout(parts, teach);
  const follow = () => section.open && draw();
  store.on("view", follow);
  store.on("stop", () => state.teaching || follow());
  section.addEventListener("toggle", follow);
  draw();
  return section;
}

function makeParts() {
  const svg = select(make("div")).append("svg").attr("class", "picture").attr("viewBox", `0 0 ${SIZE} ${SIZE}`)
    .attr("role", "img").attr("aria-label", "The CAP turning into the ROC");
  const parts = { svg, axes: svg.append("g") };
  for (const [name, look] of [["upper", "band chance"], ["lower", "band m0"], ["diagonal", "line random"], ["ideal", "line perfect"], ["own", "line m0"]]) {
    parts[name] = svg.append("path").attr("class", look);
  }
  parts.rises = svg.append("g");
  parts.shift = svg.append("path").attr("class", "line segment");
  parts.mark = svg.append("circle").attr("r", 5).attr("class", "mark m0");
  parts.xName = svg.append("text").attr("class", "name").attr("x", (LEFT + SIZE - RIGHT) / 2).attr("y", SIZE - 6);
  svg.append("text").attr("class", "name").attr("transform", `translate(12,${(TOP + SIZE - BOTTOM) / 2}) rotate(-90)`)
    .text("share of positives captured");
  parts.labels = ["A", "B"].map((name) => svg.append("text").attr("class", "told letter").text(name));
  parts.words = ["stage", "ratio", "moved", "explained"].map((id) => make("p", { id }));
  parts.x = scaleLinear([0, 1], [LEFT, SIZE - RIGHT]);
  parts.y = scaleLinear([0, 1], [SIZE - BOTTOM, TOP]);
  const plain = (axis, side) => axis.ticks(5).tickFormat(brief).tickSize(-(SIZE - side)).tickPadding(9);
  parts.axes.append("g").attr("class", "axis").attr("transform", `translate(0,${SIZE - BOTTOM})`).call(plain(axisBottom(parts.x), TOP + BOTTOM));
  parts.axes.append("g").attr("class", "axis").attr("transform", `translate(${LEFT},0)`).call(plain(axisLeft(parts.y), LEFT + RIGHT));
  parts.axes.selectAll(".axis").attr("font-family", null).attr("font-size", null);
  return parts;
}

function drawAt(parts, model, { t, teaching }, stop) {
  const { x, y } = parts;
  const at = (q, captured) => [morphed(q, captured, model.rate, t), captured];
  const own = model.q.map((q, i) => at(q, model.tpr[i]));
  const ideal = [[0, 0], at(model.rate, 1), [1, 1]];
  const placed = (points) => points.map(([across, up]) => [x(across), y(up)]);
  const [score, best, random] = [own, ideal, [[0, 0], [1, 1]]].map(placed);
  parts.own.attr("class", `line ${model.look}`).attr("d", linePath(score));
  parts.mark.attr("class", `mark ${model.look}`);
  parts.ideal.attr("d", linePath(best));
  parts.diagonal.attr("d", linePath(random));
  parts.lower.attr("class", `band ${model.look}`).attr("d", areaPath(score, random));
  parts.upper.attr("d", areaPath(best, score));
  const letters = placeLetters(parts, model, t);
  markCutOff(parts, model, t, stop, at);
  drawRises(parts, model, own, teaching, [score, best, random], letters);
  tell(parts, model, t, teaching, stop);
}

/** Put each letter where its area is widest, which stays at one height; return where they stand. */
function placeLetters({ labels, x, y }, model, t) {
  const along = (height) => heightAt(model.tpr, model.q, height);
  const widths = [(height) => height - along(height), (height) => along(height) - model.rate * height];
  return widths.map((width, i) => {
    const height = LETTERS.reduce((best, next) => (width(next) > width(best) + 1e-9 ? next : best));
    const edges = [along(height), i ? model.rate * height : height];
    const [one, other] = edges.map((q) => morphed(q, height, model.rate, t));
    const [across, down] = [x((one + other) / 2), y(height)];
    labels[i].attr("display", width(height) > 0.04 ? null : "none").attr("x", across).attr("y", down + 5);
    return boxOf([across, down], 9);
  });
}

function markCutOff({ mark, shift, x, y }, model, t, stop, at) {
  const visible = stop === null ? "none" : null;
  mark.attr("display", visible);
  shift.attr("display", visible);
  if (stop === null) return;
  const [q, captured] = [model.q[stop], model.tpr[stop]];
  const [now] = at(q, captured);
  mark.attr("cx", x(now)).attr("cy", y(captured));
  shift.attr("d", `M${x(q)} ${y(captured)}H${x(now)}`);
}

function drawRises({ rises, x, y }, model, own, teaching, lines, letters) {
  const steps = teaching ? own.slice(1).map((point, i) => ({ from: own[i], to: point, positive: model.outcomes[i] })) : [];
  rises.selectAll("path").data(steps).join("path")
    .attr("class", (step) => `line step ${step.positive ? "m0" : "negatives"}`)
    .attr("d", ({ from, to }) => `M${x(from[0])} ${y(from[1])}L${x(to[0])} ${y(to[1])}`);
  rises.selectAll("circle").data(teaching ? own : []).join("circle").attr("class", "mark m0").attr("r", 4)
    .attr("cx", (p) => x(p[0])).attr("cy", (p) => y(p[1]));
  rises.selectAll("text").data(namesOf(steps, model, x, y, lines, letters)).join("text").attr("class", "told")
    .attr("x", (name) => name.x).attr("y", (name) => name.y).text((name) => name.text);
}

/** Return the name of each step beside its middle, where it covers no line. */
function namesOf(steps, model, x, y, lines, letters) {
  const bounds = { left: LEFT, right: SIZE - RIGHT, top: 2, bottom: SIZE - BOTTOM };
  const taken = [...letters, ...steps.map(({ to }) => boxOf([x(to[0]), y(to[1])], 6))];
  return steps.flatMap(({ from, to, positive }, i) => {
    const text = `${model.scores[i]} ${positive ? "+" : "−"}`;
    const middle = [x((from[0] + to[0]) / 2), y((from[1] + to[1]) / 2)];
    const found = freePlace(middle, textWidth(text, BOLD), bounds, lines, taken, from[1] === to[1] ? ABOVE : undefined);
    if (found) taken.push(found.box);
    return found ? [{ ...found, text }] : [];
  });
}

function tell(parts, model, t, teaching, stop) {
  const ratio = ratioOnTheWay(model.q, model.tpr, model.rate, t);
  const name = t === 0 ? "share of cases selected" : t === 1 ? "false positive rate: share of negatives selected"
    : "in between: positives are being removed from the x axis";
  parts.xName.text(name);
  const [stage, ratioWords, moved, explained] = parts.words;
  stage.textContent = t === 0 ? "CAP: x counts all cases." : t === 1 ? "ROC: x counts the negatives only."
    : `${brief(t)} of the way from CAP to ROC.`;
  ratioWords.textContent = `Accuracy ratio of ${teaching ? "the five cases" : shortened(model.name)}: A / (A + B) = ${three(ratio)}. It stays the same: both areas stretch by the same factor.`;
  if (!teaching) {
    const most = model.rate * model.gap(stop);
    const width = model.rate * model.gap(model.ks);
    moved.textContent = `At the cut-off of ${shortened(model.name)}, x moves left by π·(TPR − FPR) = ${percent(model.rate)} × ${three(model.gap(stop))} = ${percent(most)} of the width; nowhere by more than π·KS = ${percent(width)}.`;
    explained.textContent = model.rate < 0.1 ? "Positives are so rare here that CAP and ROC almost coincide. The five-case example makes the movement visible." : "";
    return;
  }
  moved.textContent = "Five cases, scores 100 to 500, low is bad; 100 and 300 went bad (+). π = 40%.";
  explained.textContent = t === 0 ? "Each bad case moves the CAP up and to the right by 1/5; each good one only to the right by 1/5."
    : t === 1 ? "The steps of the bad cases (+) are now vertical: x no longer counts them. Each good case (−) is now 1/3 wide."
      : "The steps of the bad cases (+) turn vertical; those of the good cases (−) widen from 1/5 to 1/3.";
}

function layout(parts, teach) {
  return fold(
    "morphing", "How the CAP becomes the ROC",
    make(
      "div", { class: "pair" },
      make("figure", { class: "card" }, parts.svg.node()),
      make(
        "div", { class: "card beside" },
        make("div", { class: "row" }, parts.play, make("label", { class: "slide" }, make("span", {}, "CAP"), parts.range, make("span", {}, "ROC"))),
        parts.words,
        make("label", { class: "check" }, teach, "Show the five-case example"),
        make("p", { class: "soft" }, "x becomes (x − π·y) / (1 − π), π being the share of positives. Shaded: A between the random line and the score, B between the score and the perfect curve."),
      ),
    ),
  );
}
