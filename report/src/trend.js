// The segments: their accuracy ratios with limits one after the other, a table, curves on request.

import { make } from "./dom.js";
import { amount, ranged, shortened, two } from "./format.js";
import { picture } from "./picture.js";
import { scrolled } from "./tables.js";

const MEASURES = { ar: "accuracy ratio", auc: "AUC", ks: "KS" };
const MOST_LABELS = 5;

/** Return the section; null without segments. */
export function trendSection(store) {
  const { page, focus } = store.get();
  if (!focus.segments.length) return null;
  const body = make("tbody");
  const fill = (view) => body.replaceChildren(...view.focus.segments.map((segment, place) => row(store, segment, place)));
  fill(store.get());
  store.on("view", (view) => body.dataset.model !== String(view.model) && (body.dataset.model = view.model, fill(view)));
  body.dataset.model = String(store.get().model);
  const heads = [page.by ?? "segment", "cases", "positives", ...Object.values(MEASURES)];
  return make(
    "section", { id: "segments" },
    make("h2", {}, `By ${page.by ?? "segment"}`),
    make("div", { class: "grid" }, Object.keys(MEASURES).map((measure) => picture(trendOf(measure, page), store).element)),
    scrolled("Segments", make(
      "table", {}, make("caption", {}, "Segments; tick one to see its curve in CAP and ROC"),
      make("thead", {}, make("tr", {}, heads.map((name) => make("th", { scope: "col" }, name)))), body,
    )),
  );
}

function row(store, segment, place) {
  const box = make("input", {
    type: "checkbox", disabled: !segment.cap, onchange: () => {
      const segments = new Set(store.get().segments);
      if (box.checked) segments.add(place);
      else segments.delete(place);
      store.set({ segments });
    },
  });
  const name = make("th", { scope: "row" }, make("label", { class: "check" }, box, make("span", { class: "cut", title: segment.key }, segment.key)));
  const cells = segment.why ? [make("td", { colspan: 3 }, segment.why)]
    : Object.keys(MEASURES).map((measure) => make("td", {}, ranged(segment[measure])));
  return make("tr", {}, name, make("td", {}, amount(segment.n)), make("td", {}, amount(segment.n1)), cells);
}

function trendOf(measure, page) {
  const known = (model) => model.segments.map((segment, i) => [i, ...segment[measure]]).filter(([, value]) => value !== null);
  return {
    id: `trend-${measure}`,
    title: `${MEASURES[measure]} by ${page.by ?? "segment"}`,
    x: {
      label: page.by ?? "segment",
      domain: ({ focus }) => [-0.5, focus.segments.length - 0.5],
      ticks: ({ focus }) => {
        const each = Math.ceil(focus.segments.length / MOST_LABELS);
        return focus.segments.map((_, i) => i).filter((i) => i % each === 0);
      },
      format: ({ focus }) => (place) => shortened(focus.segments[place]?.key ?? "", 8),
    },
    y: {
      label: MEASURES[measure],
      domain: (view) => {
        const found = view.shown.flatMap((model) => known(model).flatMap(([, ...values]) => values)).filter((v) => v !== null);
        const [low, high] = [Math.min(...found), Math.max(...found)];
        const room = Math.max((high - low) * 0.12, 0.01);
        return [low - room, high + room];
      },
      format: () => two,
    },
    layers: (view) => view.shown.flatMap((model, i) => {
      const aside = 0.14 * (i - (view.shown.length - 1) / 2);
      const points = known(model).map(([at, ...rest]) => [at + aside, ...rest]);
      return trendLayers(points, model, page.ordered, model === view.focus || view.shown.length <= 2);
    }),
    marks: () => [],
    note: known(page.models[0]).some(([, , low]) => low !== null) ? null : "Without intervals: these would take resampling every segment.",
    columns: ({ focus }) => ({
      names: [page.by ?? "segment", MEASURES[measure]],
      rows: focus.segments.map((segment) => [segment.key, segment.why ?? ranged(segment[measure])]),
    }),
  };
}

/** Limits are drawn for the score looked at, and for all when they are no more than two. */
function trendLayers(points, model, ordered, withLimits) {
  const look = `m${model.place}`;
  const limited = withLimits ? points.filter(([, , low]) => low !== null && low !== undefined) : [];
  return [
    ...limited.map(([i, , low, high]) => ({ kind: "line", look: `line thin ${look} solid`, points: [[i, low], [i, high]] })),
    ordered ? { kind: "line", look: `line ${look}`, label: model.name, points: points.map(([i, value]) => [i, value]) } : null,
    { kind: "dots", look: `mark ${look}`, label: ordered ? null : model.name, points: points.map(([i, value]) => [i, value]) },
  ].filter(Boolean);
}
