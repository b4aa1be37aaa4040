// The address of the page says which cut-off of which score is shown, so that a mail can point at it.

const PAUSE = 300;
const MOST_DIGITS = 15;

/** Move to the cut-off that the address names, and keep the address up to date. */
export function followLink(store) {
  const open = () => {
    const changes = linked(store.get().page.models, window.location.hash);
    if (changes) store.set(changes);
  };
  open();
  window.addEventListener("hashchange", open);
  let timer = 0;
  store.on("stop", (view) => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => write(linkTo(view)), PAUSE);
  });
}

/** Return what an address asks for, as changes of the state; null where that is nothing. */
export function linked(models, hash) {
  const asked = new URLSearchParams(hash.replace(/^#/, ""));
  const share = Number(asked.get("q") || NaN);
  if (!(share >= 0 && share <= 1)) return null;
  const model = Math.max(models.findIndex(({ name }) => name === asked.get("score")), 0);
  return { model, stop: models[model].atWanted(share), wanted: share };
}

/** Return the address of a cut-off: the share in as few digits as lead there. */
export function linkTo({ focus, stop }) {
  const share = focus.q[stop];
  let q = share;
  for (let digits = 1; digits <= MOST_DIGITS; digits += 1) {
    q = Number(share.toPrecision(digits));
    if (q <= 1 && focus.atWanted(q) === stop) break;
  }
  return `#${new URLSearchParams({ q, ...(focus.place ? { score: focus.name } : {}) })}`;
}

/** Write the address, where a page may: one inside another page may not. */
function write(hash) {
  try {
    window.history.replaceState(null, "", hash);
  } catch {
    // The page works the same.
  }
}
