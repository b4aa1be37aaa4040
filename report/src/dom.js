// Making elements: text goes in as text, never as markup.

/** Return an element with attributes and children; strings become text, null is left out. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Return text in pieces, of which numbers and dates stay on one line, hyphens and all. */
export const prose = (text) => text.split(/((?<!\w)\d[\w.,]*(?:-\d[\w.]*)*)/)
  .map((part, i) => (i % 2 ? make("span", { class: "whole" }, part) : part)).filter(Boolean);

/** Return a name that may be broken after an underscore, never within a word. */
export const breakable = (name) => name.split(/(?<=_)/).flatMap((part, i) => (i ? [make("wbr"), part] : [part]));

/** Return a section that is folded away until a reader asks for it. */
export function fold(id, title, ...content) {
  return make("details", { id, class: "fold" }, make("summary", {}, make("h2", {}, title)), ...content);
}

/** Return a button that says what it does. */
export function button(label, act, attributes = {}) {
  return make("button", { type: "button", onclick: act, ...attributes }, label);
}

/** Say something to people who hear the page instead of seeing it, and show it shortly. */
export function announce(text) {
  const place = document.getElementById("said");
  place.textContent = text;
  place.classList.add("seen");
  window.setTimeout(() => place.classList.remove("seen"), 2500);
}
