// The one state of the page: which score, which cut-off, what is shown; and who is told of changes.

import { COLOURS } from "./model.js";
import { bestStops } from "./profit.js";
import { localDecimal } from "./saving.js";

/** The share selected at which a page opens where it knows no profit and certifies none. */
export const FIRST = 0.1;
/** Curves of segments beyond these could not be told apart. */
export const MOST_SEGMENTS = 12;

/** Return the store: `get()`, `set(changes)`, and `on(kind, listener)` for "stop" and "view".
 *
 * Listeners of "placed" are told once, by `placed()`, when all parts stand on the page.
 *
 * `wanted` is the share that was asked for, `asked` the score that was typed, with whether the stop
 * selects exactly what it does; each is null once the cut-off was moved in another way.
 * Of more scores than have a colour of their own the page opens on the best, and these alone are drawn
 * until others are ticked or chosen.
 * `segments` holds the chosen ones and in which look each is drawn; `decimal` is the decimal mark of
 * tables that are taken along.
 */
export function makeStore(page) {
  const many = page.models.length > COLOURS;
  const [first, best] = page.money ? mostProfit(page.models) : [many ? page.models.find(({ rank }) => rank === 0) : page.models[0], 0];
  const wanted = page.opens ?? FIRST;
  let state = {
    model: first.place,
    stop: best || first.atWanted(wanted) || 1,
    wanted: best ? null : wanted,
    asked: null,
    hidden: new Set(page.models.filter((model) => many && model !== first && model.rank >= COLOURS).map(({ place }) => place)),
    segments: new Map(),
    log: false,
    absolute: page.models.some((model) => !model.y),
    decimal: localDecimal(globalThis.navigator?.languages),
  };
  const listeners = { placed: [], stop: [], view: [] };
  const tell = (kind) => listeners[kind].forEach((listener) => listener(view()));
  const view = () => ({
    ...state,
    page,
    focus: page.models[state.model],
    shown: page.models.filter((model) => !state.hidden.has(model.place)),
  });
  return {
    get: view,
    on: (kind, listener) => listeners[kind].push(listener),
    placed: () => tell("placed"),
    set(changes) {
      const before = state;
      state = { ...state, ...changes };
      const model = page.models[state.model];
      if (changes.model !== undefined && many && state.hidden.has(model.place)) {
        state.hidden = new Set([...state.hidden].filter((place) => place !== model.place));
      }
      if (state.model !== before.model && changes.stop === undefined) {
        const share = page.models[before.model].q[before.stop];
        state.stop = state.wanted === null ? model.atShare(share) : model.atWanted(state.wanted) || 1;
      }
      if (changes.stop !== undefined) state.wanted = changes.wanted ?? null;
      if (changes.stop !== undefined || state.model !== before.model) state.asked = changes.asked ?? null;
      state.stop = Math.min(Math.max(state.stop, 0), model.last);
      const redrawn = ["model", "hidden", "segments", "log", "absolute"].some((key) => state[key] !== before[key]);
      if (redrawn) tell("view");
      if (redrawn || ["stop", "wanted", "asked"].some((key) => state[key] !== before[key])) tell("stop");
    },
  };
}

/** Return the score with the largest profit, and the stop where it is reached. */
function mostProfit(models) {
  const found = models.map((model) => [model, bestStops(model)[0]]);
  return found.reduce((most, each) => (each[0].profit(each[1]) > most[0].profit(most[1]) ? each : most));
}

/** Return the chosen segments with one more or one less; each keeps its look. */
export function withSegment(segments, place, chosen) {
  const found = new Map(segments);
  if (!chosen) found.delete(place);
  else {
    const taken = new Set(found.values());
    found.set(place, Array.from({ length: MOST_SEGMENTS }, (_, i) => i).find((look) => !taken.has(look)));
  }
  return found;
}
