// What can be done with a picture: take it along, or read its numbers in a table.

import { button, make } from "./dom.js";
import { ranged } from "./format.js";
import { fileName, savePng, saveSvg } from "./saving.js";

/** Return the small buttons of a picture. */
export function pictureTools(spec, svg, store) {
  const name = () => fileName(spec.id, store.get().focus.name);
  const caption = () => footOf(store.get().focus);
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
    button("SVG", () => saveSvg(svg, name(), caption()), { "aria-label": `Save ${spec.title} as SVG` }),
    button("PNG", () => savePng(svg, name(), caption()), { "aria-label": `Save ${spec.title} as PNG` }),
  );
}

/** Return what a picture says about its data when it stands alone. */
export function footOf(model) {
  const size = `n = ${model.n.toLocaleString("en-US")}, positives ${model.n1.toLocaleString("en-US")}`;
  return `${size}, accuracy ratio ${ranged(model.numbers.accuracy_ratio)}`;
}

function numbersOf(spec, view) {
  const { names, rows } = spec.columns(view);
  return make(
    "table", {},
    make("caption", {}, `${spec.title}: ${view.focus.name}`),
    make("thead", {}, make("tr", {}, names.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, rows.map((row) => make("tr", {}, row.map((cell) => make("td", {}, cell))))),
  );
}
