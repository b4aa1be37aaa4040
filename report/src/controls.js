// The bar that stays in sight: the score shown, the cut-off as a slider and typed, the sentence.

import { told as toldAloud } from "./axes.js";
import { button, make, prose } from "./dom.js";
import { answered, besides, percent, sentence, shortened } from "./format.js";
import { moveByKey } from "./picture.js";
import { bestStops } from "./profit.js";
import { copy } from "./saving.js";

const TRAVEL = 1000;
// The box of the score is as wide as what stands in it, and never narrower than so many letters.
const FEW_LETTERS = 7;

/** Return the bar. */
export function controlBar(store) {
  const { page } = store.get();
  const told = make("p", { class: "sentence", "aria-live": "polite" });
  const brief = make("p", { class: "brief", "aria-hidden": "true" });
  const more = make("p", { class: "soft besides", role: "status" });
  const note = ({ focus, stop, wanted, asked }) => besides(focus, stop, wanted) || answered(focus, stop, asked);
  const reply = (wrong) => { more.replaceChildren(...prose(wrong ?? note(store.get()))); };
  const bar = make(
    "section", { class: "bar", "aria-label": "Cut-off" },
    make(
      "div", { class: "row" },
      page.models.length > 1 ? modelPicker(store) : null,
      slider(store), typed(store, "share", "top", "%", shareOf, stopOfShare, reply),
      typed(store, "cut", page.models[0].grades ? "grade" : "score", "", scoreOf, (model, text) => model.atScore(text), reply),
      page.money ? button("Largest profit", () => store.set({ stop: bestStops(store.get().focus)[0] })) : null,
      button("Copy sentence", () => copy(`${told.textContent} ${originOf(store.get())}`)),
    ),
    told, more, brief,
  );
  holdAtTop(bar);
  follow(store, (view) => {
    brief.textContent = toldAloud(view);
    told.replaceChildren(...prose(sentence(view.focus, view.stop, view.wanted)));
    reply();
  });
  return bar;
}

/** Return where a sentence comes from: file, date and digest. */
function originOf({ page, focus }) {
  return `[${[page.source, page.date, focus.digest ? `digest ${focus.digest}` : null, `capcurve ${page.version}`].filter(Boolean).join(", ")}]`;
}

const shareOf = ({ focus, stop }) => percent(focus.q[stop]).replace("%", "");
const scoreOf = ({ focus, stop, asked }) => (asked?.exact ? asked.text : stop === 0 ? "" : focus.cutoff(stop));

/** Mark the bar while it is held at the top, where a phone shows less of it; nothing below it moves by that. */
function holdAtTop(bar) {
  const above = make("div", { "aria-hidden": "true" });
  let whole = 0;
  const settle = () => {
    const held = bar.classList.contains("held");
    if (!held) whole = bar.offsetHeight;
    bar.style.marginBottom = held ? `calc(.7rem + ${Math.max(whole - bar.offsetHeight, 0)}px)` : "";
    // What gets the focus is scrolled to below the bar.
    document.documentElement.style.scrollPaddingTop = `${bar.offsetHeight + 8}px`;
  };
  // What is below the window counts as seen, so that a jump from below it to above it is noticed.
  new IntersectionObserver(([{ boundingClientRect: { top } }]) => {
    bar.classList.toggle("held", top < 0);
    settle();
  }, { rootMargin: "0px 0px 9999999px 0px" }).observe(above);
  new ResizeObserver(settle).observe(bar);
  queueMicrotask(() => bar.before(above));
}

/** Return the stop at a typed share, or what is wrong with it. */
function stopOfShare(model, text) {
  const wanted = Number(text.replace("%", "").replace(",", ".")) / 100;
  if (text.trim() === "" || !(wanted >= 0 && wanted <= 1)) return { wrong: `“${shortened(text.trim())}” is not a share: type a percentage from 0 to 100.` };
  return { stop: model.atWanted(wanted), wanted };
}

function follow(store, listener) {
  listener(store.get());
  store.on("stop", listener);
}

function modelPicker(store) {
  const { page } = store.get();
  const choices = page.models.map((model) => make("option", { value: model.place }, model.name));
  const list = make("select", { id: "score", onchange: () => store.set({ model: Number(list.value) }) }, choices);
  follow(store, (view) => { list.value = view.focus.place; });
  return make("label", { class: "picker" }, make("span", {}, "Score shown"), list);
}

function slider(store) {
  const { page } = store.get();
  const range = make("input", {
    type: "range", id: "slider", min: 0, max: TRAVEL, step: 1, "aria-label": `Cut-off: top share of ${page.words.selected} selected`,
    oninput: () => store.set({ stop: store.get().focus.atShare(range.value / TRAVEL) }),
    onkeydown: (event) => moveByKey(event, store),
  });
  const step = (by) => () => store.set({ stop: store.get().stop + by });
  follow(store, (view) => {
    range.value = TRAVEL * view.focus.q[view.stop];
    range.setAttribute("aria-valuetext", toldAloud(view));
  });
  return make(
    "div", { class: "slide" },
    button("‹", step(-1), { "aria-label": "One cut-off up: select fewer" }), range,
    button("›", step(1), { "aria-label": "One cut-off down: select more" }),
  );
}

/** Return a box in which the cut-off is typed; `reply` shows what is wrong with an entry. */
function typed(store, id, label, unit, write, find, reply) {
  let written = "";
  const apply = () => {
    // What stands there rounded is no wish of the reader.
    const { wrong, ...found } = box.value === written ? {} : find(store.get().focus, box.value);
    if (wrong === undefined) {
      store.set(found);
      show(store.get());
    } else box.setAttribute("aria-invalid", "true");
    reply(wrong);
  };
  const show = (view) => {
    written = write(view);
    box.value = written;
    if (id === "cut") box.size = Math.max(written.length, FEW_LETTERS);
    box.setAttribute("aria-invalid", "false");
  };
  const box = make("input", {
    id, type: "text", inputmode: "decimal", autocomplete: "off", class: id, onchange: apply,
    onkeydown: (event) => event.key === "Enter" && apply(),
  });
  follow(store, show);
  return make("label", { class: "typed" }, make("span", {}, label), box, unit ? make("span", {}, unit) : null);
}
