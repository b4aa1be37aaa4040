// Starts the page: reads what it was given and puts the moving pictures where the still ones were.

import { compareSection, legendBar } from "./compare.js";
import { controlBar } from "./controls.js";
import { fold, make } from "./dom.js";
import { cutOffCard } from "./cutoff.js";
import { followLink } from "./link.js";
import { readPage } from "./model.js";
import { morphSection } from "./morph.js";
import { speak } from "./noun.js";
import { capPanel, scalePicker } from "./curves.js";
import { panels } from "./panels.js";
import { picture } from "./picture.js";
import { makeStore } from "./state.js";
import { stepsSection } from "./steps.js";
import { tableSection } from "./tables.js";
import { segmentPicker, trendSection } from "./trend.js";

function start() {
  const page = readPage(document.getElementById("data").textContent);
  if (!page.models.length) return;
  const store = makeStore(page);
  followLink(store);
  const live = document.getElementById("live");
  // Of periods under a control chart their trend is what one came for; else the CAP is, and then how segments differ.
  const [trend, monitored] = [trendSection(store), document.getElementById("monitoring")];
  const held = (id) => document.getElementById(id);
  const parts = held("parts");
  const [first, later] = monitored ? [[trend, monitored], []] : [[], [trend]];
  const early = [...first, controlBar(store), capSection(store, parts?.querySelector("h2 + .main"))];
  early.forEach((section) => section?.classList.add("early"));
  live.append(...[
    ...early, held("further"), held("horizons"), ...later,
    pictureSection(store), compareSection(store, held("at-share")), held("more-numbers"), parts,
    held("notes"), page.kind === "amounts" ? null : morphSection(store),
    tableSection(store), stepsSection(store),
    make("p", { id: "said", role: "status", class: "said" }),
  ].filter(Boolean));
  if (page.noun) speak(live, page.noun);
  live.hidden = false;
  for (const still of document.querySelectorAll(".still")) still.remove();
  store.placed();
}

/** Return the CAP with what the cut-off means beside it, and the reliability of PDs. */
function capSection(store, reliability) {
  const cap = picture(capPanel, store).element;
  cap.append(...[scalePicker(store), legendBar(store), segmentPicker(store)].filter(Boolean));
  return make("section", { id: "first" },
    make("h2", { class: "unseen" }, "CAP and what it captures at one cut-off"),
    make("div", { class: "stage" }, cap, reliability, cutOffCard(store)));
}

/** Return all other pictures that follow the cut-off. */
function pictureSection(store) {
  const { page } = store.get();
  const log = make("input", { type: "checkbox", id: "log", onchange: () => store.set({ log: log.checked }) });
  const { main, more } = panels(page);
  const grid = (specs) => make("div", { class: "grid" }, specs.map((spec) => picture(spec, store).element));
  return make("section", { id: "pictures" },
    make("h2", {}, "The same cut-off in every picture"),
    make("p", { class: "soft hint" }, "Drag in any picture, use the arrow keys, or type a share or a score. ",
      page.models.every((model) => model.y) ? make("label", { class: "check" }, log, "Logarithmic lift axis") : null),
    grid(main), more.length ? fold("more", "More curves", grid(more)) : null);
}

start();
