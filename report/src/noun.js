// Calls positives by the target's own noun in every text of the page, whoever writes it and whenever.

const POSITIVE = /(?<![\w"'=`-])(?<!(?:false|true) )(a )?(positives?)(?![\w-])/gi;
const SPOKEN = ["aria-label", "aria-valuetext", "title"];

/** Return a text with a noun, one and several, where it has positives. */
export function spoken(text, [one, several]) {
  return text.replace(POSITIVE, (_, article = "", known) => {
    const said = /s$/i.test(known) ? several : one;
    const before = article && /^[aeio]/i.test(said) ? `${article[0]}n ` : article;
    return before + (known[0] === "P" ? said[0].toUpperCase() + said.slice(1) : said);
  });
}

/** Say the noun in all that is in an element, and in what comes into it later. */
export function speak(root, noun) {
  const say = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const said = spoken(node.data, noun);
      if (said !== node.data) node.data = said;
      return;
    }
    for (const name of SPOKEN) {
      const text = node.getAttribute?.(name);
      if (text && spoken(text, noun) !== text) node.setAttribute(name, spoken(text, noun));
    }
    node.childNodes.forEach(say);
  };
  say(root);
  new MutationObserver((changes) => changes.forEach(({ target, addedNodes }) => {
    say(target.nodeType === Node.TEXT_NODE || !addedNodes.length ? target : addedNodes[0].parentNode ?? target);
  })).observe(root, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: SPOKEN });
}
