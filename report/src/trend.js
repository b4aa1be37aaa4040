// The segments: their numbers with limits one after the other, a table, curves on request.

import { low } from "./axes.js";
import { swatch } from "./compare.js";
import { make } from "./dom.js";
import { amount, percent, ranged, shortened, three, two } from "./format.js";
import { picture } from "./picture.js";
import { MOST_SEGMENTS, withSegment } from "./state.js";
import { scrolled } from "./tables.js";

const MEASURES = { ar: "accuracy ratio", auc: "AUC", ks: "KS" };
// AUC = (AR + 1) / 2, so one picture shows both, with an axis for each.
const TRENDS = { ar: "Accuracy ratio and AUC", ks: "KS" };
const LETTER = 7;
const ROOM = 3;

/** Return the section; null without segments. */
export function trendSection(store) {
  const { page, focus } = store.get();
  if (!focus.segments.length) return null;
  const [body, caption] = [make("tbody"), make("caption")];
  const fill = (view) => {
    caption.textContent = `${view.focus.name} by ${page.by ?? "segment"}, with ${percent(view.focus.level)} intervals`;
    body.replaceChildren(...view.focus.segments.map(row));
  };
  fill(store.get());
  store.on("view", fill);
  const heads = [page.by ?? "segment", "cases", "positives", ...Object.values(MEASURES)];
  return make(
    "section", { id: "segments" },
    make("h2", {}, `By ${page.by ?? "segment"}`),
    make("div", { class: "grid pairs" }, Object.keys(TRENDS).map((measure) => picture(trendOf(measure, page), store).element)),
    scrolled("Segments", make(
      "table", {}, caption,
      make("thead", {}, make("tr", {}, heads.map((name) => make("th", { scope: "col" }, name)))), body,
    )),
  );
}

function row(segment) {
  const name = make("th", { scope: "row" }, make("span", { class: "cut", title: segment.key }, segment.key));
  const cells = segment.why ? [make("td", { colspan: 3 }, segment.why)]
    : Object.keys(MEASURES).map((measure) => make("td", {}, ranged(segment[measure])));
  return make("tr", {}, name, make("td", {}, amount(segment.n)), make("td", {}, amount(segment.n1)), cells);
}

/** Return the boxes that draw segments into CAP and ROC; null where there are no curves of them. */
export function segmentPicker(store) {
  const { page, focus } = store.get();
  if (!focus.segments.some((segment) => segment.cap)) return null;
  const list = make("div", { class: "chips" });
  const fill = (view) => list.replaceChildren(...view.focus.segments.map((segment, place) => chip(store, view, segment, place)));
  fill(store.get());
  store.on("view", fill);
  return make("details", { class: "picker-of-segments" },
    make("summary", {}, `Show a ${page.by ?? "segment"} in CAP and ROC`), list);
}

function chip(store, { segments }, segment, place) {
  const chosen = segments.has(place);
  const box = make("input", {
    type: "checkbox", checked: chosen, disabled: !segment.cap || (!chosen && segments.size >= MOST_SEGMENTS), "data-place": place,
    onchange: () => {
      store.set({ segments: withSegment(store.get().segments, place, box.checked) });
      document.querySelector(`.chips [data-place="${place}"]`)?.focus();
    },
  });
  return make("label", { class: "check" }, box, chosen ? swatch(`s${segments.get(place)}`) : null,
    make("span", { class: "cut", title: segment.key }, segment.key));
}

function trendOf(measure, page) {
  const known = (model) => model.segments.map((segment, i) => [i, ...segment[measure]]).filter(([, value]) => value !== null);
  const by = page.by ?? "segment";
  return {
    id: `trend-${measure}`,
    title: `${TRENDS[measure]} by ${by}`,
    height: low,
    x: {
      label: by,
      domain: ({ focus }) => [-0.5, focus.segments.length - 0.5],
      ticks: ({ focus }, width) => {
        const longest = Math.min(Math.max(...focus.segments.map(({ key }) => [...key].length)), 12);
        const each = Math.ceil(focus.segments.length / Math.max(Math.floor(width / (LETTER * (longest + ROOM))), 1));
        return focus.segments.map((_, i) => i).filter((i) => i % each === 0);
      },
      format: ({ focus }) => (place) => shortened(focus.segments[place]?.key ?? "", 12),
    },
    y: {
      label: MEASURES[measure],
      domain: (view) => {
        const found = view.shown.flatMap((model) => known(model).flatMap(([, ...values]) => values)).filter((v) => v !== null);
        if (!found.length) return [0, 1];
        const [least, most] = [Math.min(...found), Math.max(...found)];
        const room = Math.max((most - least) * 0.12, 0.01);
        return [least - room, most + room];
      },
      format: () => two,
    },
    right: measure === "ar" ? { label: "AUC", format: (ratio) => three((ratio + 1) / 2) } : null,
    layers: (view) => view.shown.flatMap((model, i) => {
      const aside = 0.14 * (i - (view.shown.length - 1) / 2);
      const points = known(model).map(([at, ...rest]) => [at + aside, ...rest]);
      return trendLayers(points, model, page.ordered);
    }),
    marks: () => [],
    note: () => (known(page.models[0]).some(([, , least]) => least !== null) ? null : "No intervals: they would need a bootstrap per segment."),
    columns: (view) => ({
      names: [by, ...view.shown.map((model) => `${MEASURES[measure]}, ${model.name}`)],
      rows: view.focus.segments.map((segment, i) => [segment.key, ...view.shown.map((model) => model.segments[i]?.why ?? ranged(model.segments[i][measure]))]),
    }),
  };
}

function trendLayers(points, model, ordered) {
  const limited = points.filter(([, , least]) => least !== null && least !== undefined);
  const values = points.map(([i, value]) => [i, value]);
  return [
    ...limited.map(([i, , least, most]) => ({ kind: "line", look: `line thin ${model.look} solid`, points: [[i, least], [i, most]] })),
    ordered ? { kind: "line", score: true, look: `line ${model.look}`, label: model.name, points: values } : null,
    { kind: "dots", score: true, look: `mark ${model.look}`, label: ordered ? null : model.name, points: values },
  ].filter(Boolean);
}
