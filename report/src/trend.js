// The segments: their numbers with limits one after the other, a table, curves on request.

import { low } from "./axes.js";
import { swatch } from "./compare.js";
import { make } from "./dom.js";
import { amount, brief, compact, quantity, ranged, shortened, three, two } from "./format.js";
import { meanName } from "./means.js";
import { picture } from "./picture.js";
import { MOST_SEGMENTS, withSegment } from "./state.js";
import { decimalsOfQuantities, scrolled, summed } from "./tables.js";

const MEASURES = {
  ar: { name: "accuracy ratio", write: three },
  auc: { name: "AUC", write: three },
  ks: { name: "KS", write: three },
};
// AUC = (AR + 1) / 2 would draw the same line again.
const TRENDS = { ar: "Accuracy ratio", ks: "KS" };
const LETTER = 7;
const ROOM = 3;
const MOST_LETTERS = 60;

/** Return what is known of each segment: measures, pictures of them, and columns before them. */
function shownOf(page) {
  if (page.kind !== "amounts") {
    return { measures: MEASURES, trends: TRENDS, sums: { cases: "n", positives: "n1" }, writeSum: amount };
  }
  const name = meanName(page);
  return {
    measures: { mean: { name, write: quantity, own: true }, ar: MEASURES.ar },
    trends: { ar: "Accuracy ratio", mean: `${name[0].toUpperCase()}${name.slice(1)}` },
    sums: { cases: "n", ...(page.exposed ? { [page.words.selected]: "exposure" } : {}), [page.words.captured]: "amount" },
    writeSum: quantity,
  };
}

/** Return the section; null without segments. */
export function trendSection(store) {
  const { page, focus } = store.get();
  if (!focus.segments.length) return null;
  const shown = shownOf(page);
  const [body, caption] = [make("tbody"), make("caption")];
  const fill = (view) => {
    caption.textContent = `${view.focus.name} by ${page.by ?? "segment"}, with ${brief(view.focus.level)} intervals`;
    body.replaceChildren(...view.focus.segments.map((segment) => row(segment, alike(shown, view.focus.segments))));
  };
  fill(store.get());
  store.on("view", fill);
  const heads = [page.by ?? "segment", ...Object.keys(shown.sums), ...Object.values(shown.measures).map(({ name }) => name)];
  return make(
    "section", { id: "segments" },
    make("h2", {}, `By ${page.by ?? "segment"}`),
    make("div", { class: "grid pairs" }, Object.keys(shown.trends).map((measure) => picture(trendOf(measure, page, shown), store).element)),
    scrolled("Segments", make(
      "table", {}, caption,
      make("thead", {}, make("tr", {}, heads.map((name) => make("th", { scope: "col" }, name)))), body,
    )),
  );
}

/** Return what is shown with as many decimals of the mean in every row. */
function alike(shown, segments) {
  if (!shown.measures.mean) return shown;
  const digits = decimalsOfQuantities(segments.map(({ mean }) => mean[0] ?? NaN));
  const mean = { ...shown.measures.mean, write: (value) => (digits ? summed(value, digits) : quantity(value)) };
  return { ...shown, measures: { ...shown.measures, mean } };
}

function row(segment, { measures, sums, writeSum }) {
  // Of crossed segments both ends tell them apart, so that the middle is what is left out.
  const name = make("th", { scope: "row", title: segment.key }, shortened(segment.key, MOST_LETTERS));
  const names = Object.keys(measures);
  const cells = names.every((measure) => segment[measure][0] === null) ? [make("td", { colspan: names.length }, segment.why)]
    : names.map((measure) => make("td", {}, told(segment, measure, measures[measure].write)));
  return make("tr", {}, name, Object.values(sums).map((sum) => make("td", {}, writeSum(segment[sum]))), cells);
}

/** Return the boxes that draw segments into the curves; null where there are no curves of them. */
export function segmentPicker(store) {
  const { page, focus } = store.get();
  if (!focus.segments.some((segment) => segment.curve)) return null;
  const list = make("div", { class: "chips" });
  const fill = (view) => list.replaceChildren(...view.focus.segments.map((segment, place) => chip(store, view, segment, place)));
  fill(store.get());
  store.on("view", fill);
  return make("details", { class: "picker-of-segments" },
    make("summary", {}, `Show a ${page.by ?? "segment"} in ${page.kind === "amounts" ? "the CAP" : "CAP and ROC"}`), list);
}

function chip(store, { segments }, segment, place) {
  const chosen = segments.has(place);
  const box = make("input", {
    type: "checkbox", checked: chosen, disabled: !segment.curve || (!chosen && segments.size >= MOST_SEGMENTS), "data-place": place,
    onchange: () => {
      store.set({ segments: withSegment(store.get().segments, place, box.checked) });
      document.querySelector(`.chips [data-place="${place}"]`)?.focus();
    },
  });
  return make("label", { class: "check" }, box, chosen ? swatch(`s${segments.get(place)}`) : null,
    make("span", { class: "cut", title: segment.key }, segment.key));
}

function trendOf(measure, page, { measures, trends }) {
  const { name, write, own } = measures[measure];
  const drawn = (view) => (own ? [view.focus] : view.shown);
  const known = (model) => model.segments.map((segment, i) => [i, ...segment[measure]]).filter(([, value]) => value !== null);
  const by = page.by ?? "segment";
  return {
    id: `trend-${measure}`,
    title: `${trends[measure]} by ${by}`,
    own,
    height: low,
    ends: page.ordered && !own,
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
      label: name,
      domain: (view) => {
        const found = drawn(view).flatMap((model) => known(model).flatMap(([, ...values]) => values)).filter((v) => v !== null);
        if (!found.length) return [0, 1];
        // From 0 on, so that small differences look small.
        const initials = drawn(view).map(({ initial }) => (measure === "ar" && initial) || 0);
        const [least, most] = [Math.min(0, ...found), Math.max(0, ...found, ...initials)];
        const room = Math.max((most - least) * 0.06, own ? Math.abs(most) * 0.01 : 0.01);
        return [least < 0 ? least - room : 0, most > 0 ? most + room : 0];
      },
      format: () => (own ? compact : two),
    },
    layers: (view) => drawn(view).flatMap((model, i, all) => {
      const initial = measure === "ar" ? initialLayers(model, all.length > 1) : [];
      const aside = 0.14 * (i - (all.length - 1) / 2);
      const points = known(model).map(([at, ...rest]) => [at + aside, ...rest]);
      return [...initial, ...trendLayers(points, model, page.ordered, own ? name : model.name)];
    }),
    marks: () => [],
    columns: (view) => ({
      names: [by, ...drawn(view).map((model) => (own ? name : `${name}, ${model.name}`))],
      rows: view.focus.segments.map(({ key }, i) => [key, ...drawn(view).map(({ segments }) => told(segments[i], measure, write))]),
    }),
  };
}

/** Return the line of the accuracy ratio that a score began with, where a control chart knows it. */
function initialLayers({ initial, name, segments }, several) {
  if (initial === null || initial === undefined) return [];
  const label = `initial${several ? `, ${shortened(name)}` : ""} ${three(initial)}`;
  return [{ kind: "line", look: "line random", label, points: [[-0.5, initial], [segments.length - 0.5, initial]] }];
}

const told = (segment, measure, write) => (segment[measure][0] === null ? segment.why : ranged(segment[measure], write));

function trendLayers(points, model, ordered, name) {
  const limited = points.filter(([, , least]) => least !== null && least !== undefined);
  const values = points.map(([i, value]) => [i, value]);
  return [
    ...limited.map(([i, , least, most]) => ({ kind: "line", look: `line thin ${model.look} solid`, points: [[i, least], [i, most]] })),
    ordered ? { kind: "line", score: true, look: `line ${model.look}`, label: name, points: values } : null,
    { kind: "dots", score: true, look: `mark dot ${model.look}`, label: ordered ? null : name, points: values },
  ].filter(Boolean);
}
