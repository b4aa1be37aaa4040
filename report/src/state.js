// The one state of the page: which score, which cut-off, what is shown; and who is told of changes.

/** Return the store: `get()`, `set(changes)`, and `on(kind, listener)` for "stop" and "view". */
export function makeStore(page) {
  const first = page.models[0];
  let state = {
    model: 0,
    stop: first.atShare(0.1) || 1,
    hidden: new Set(),
    segments: new Set(),
    log: false,
  };
  const listeners = { stop: [], view: [] };
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
    set(changes) {
      const before = state;
      state = { ...state, ...changes };
      const model = page.models[state.model];
      if (state.model !== before.model && changes.stop === undefined) {
        state.stop = model.atShare(page.models[before.model].q[before.stop]);
      }
      state.stop = Math.min(Math.max(state.stop, 0), model.last);
      const redrawn = ["model", "hidden", "segments", "log"].some((key) => state[key] !== before[key]);
      if (redrawn) tell("view");
      if (redrawn || state.stop !== before.stop) tell("stop");
    },
  };
}
