// Starts the page: reads what it was given and puts the moving pictures where the still ones were.

import { compareSection, legendBar } from "./compare.js";
import { controlBar } from "./controls.js";
import { make } from "./dom.js";
import { matrixCard } from "./matrix.js";
import { readPage } from "./model.js";
import { morphSection } from "./morph.js";
import { panels } from "./panels.js";
import { picture } from "./picture.js";
import { makeStore } from "./state.js";
import { stepsSection } from "./steps.js";
import { tableSection } from "./tables.js";
import { trendSection } from "./trend.js";

function start() {
  const page = readPage(document.getElementById("data").textContent);
  if (!page.models.length) return;
  const store = makeStore(page);
  const log = make("input", { type: "checkbox", id: "log", onchange: () => store.set({ log: log.checked }) });
  const live = document.getElementById("live");
  live.append(...[
    controlBar(store),
    make("section", { id: "pictures" }, make("h2", {}, "One cut-off in every picture"),
      make("p", { class: "soft hint" }, "Drag in any picture, use the arrow keys, or type a share or a score. ",
        make("label", { class: "check" }, log, "logarithmic lift")),
      legendBar(store),
      make("div", { class: "grid" }, matrixCard(store), panels(page).map((spec) => picture(spec, store).element))),
    morphSection(store), compareSection(store), trendSection(store), tableSection(store), stepsSection(store),
    make("p", { id: "said", role: "status", class: "said" }),
  ].filter(Boolean));
  live.hidden = false;
  document.getElementById("still").remove();
}

start();
