// What can be done with a picture: take it along, or read its numbers in a table.

import { button, make } from "./dom.js";
import { percent, quantity, ranged, shortened } from "./format.js";
import { fileName, savePng, saveSvg } from "./saving.js";

/** Return the small buttons of a picture. */
export function pictureTools(spec, svg, store) {
  const name = () => fileName(spec.id, ...(spec.scores ? [] : [store.get().focus.name]));
  const about = () => aboutPicture(spec, store.get());
  const table = make("div", { class: "numbers wide", hidden: true, tabindex: 0, role: "region", "aria-label": `${spec.title}: numbers` });
  const fill = (view) => table.hidden || table.replaceChildren(numbersOf(spec, view));
  const toggle = button("Numbers", () => {
    table.hidden = !table.hidden;
    toggle.setAttribute("aria-expanded", String(!table.hidden));
    if (!table.isConnected) svg.after(table);
    fill(store.get());
  }, { "aria-expanded": "false", "aria-label": `${spec.title}: numbers as a table` });
  store.on("view", fill);
  return make(
    "span", { class: "tools" },
    spec.columns ? toggle : null,
    button("SVG", () => saveSvg(svg, name(), about()), { "aria-label": `Save ${spec.title} as SVG` }),
    button("PNG", () => savePng(svg, name(), about()), { "aria-label": `Save ${spec.title} as PNG` }),
  );
}

/** Return what a picture says about itself when it stands alone: above it, and below it. */
export function aboutPicture(spec, { page, focus, shown, stop }) {
  const models = spec.own ? [focus] : spec.scores ? page.models.filter((model) => spec.scores.includes(model.name)) : shown;
  return {
    head: [`${spec.title}${spec.own ? `: ${focus.name}` : ""}`, page.title],
    foot: [
      ...models.map(footOf),
      spec.seek ? `cut-off: ${told(focus, stop)}` : null,
      [page.source, page.date, `capcurve ${page.version}`].filter(Boolean).join(" · "),
    ].filter(Boolean),
  };
}

const told = (focus, stop) => `${shortened(focus.name)}, top ${percent(focus.q[stop])}`;

/** Return the size, accuracy ratio and digest of one score. */
export function footOf(model) {
  const { selected, captured } = model.words;
  const write = model.kind === "amounts" ? quantity : (cases) => cases.toLocaleString("en-US");
  const size = `${selected === "cases" ? "n" : selected} = ${write(model.n)}, ${captured} ${write(model.total)}`;
  const digest = model.digest ? `, digest ${model.digest}` : "";
  return `${shortened(model.name, 60)}: ${size}, accuracy ratio ${ranged(model.numbers.accuracy_ratio)}${digest}`;
}

function numbersOf(spec, view) {
  const { names, rows } = spec.columns(view);
  const of = spec.scores || spec.id.startsWith("trend") ? "" : `: ${view.focus.name}`;
  return make(
    "table", {},
    make("caption", {}, `${spec.title}${of}`),
    make("thead", {}, make("tr", {}, names.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, rows.map((row) => make("tr", {}, row.map((cell) => make("td", {}, cell))))),
  );
}
