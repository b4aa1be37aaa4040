// Taking things along: pictures as SVG and PNG, tables as CSV, text and HTML, sentences.

import { announce } from "./dom.js";
import { scoreText } from "./format.js";
import { textWidth, wrapped } from "./legend.js";

const COPIED = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity",
  "stroke-linejoin", "stroke-linecap", "font-size", "font-weight", "font-family", "text-anchor",
  "opacity", "paint-order", "visibility", "display",
];
const PIXELS = 3;
const SPACE = "http://www.w3.org/2000/svg";
const FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const MARGIN = 10;
const [INK, SOFT] = ["#1b1f24", "#57606a"];
const HEAD = { key: "head", size: 13, weight: 600, line: 18 };
const FOOT = { key: "foot", size: 10, weight: 400, line: 14 };

/** Return a file name made of safe letters. */
export function fileName(...parts) {
  return parts.join("-").replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80);
}

/** Offer text or a picture as a download. */
export function download(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  announce(`${name} saved`);
}

/** Return a picture as a document of its own, light on any screen: `{ text, width, height }`.
 *
 * `about` holds the lines above and below it: title, scores, digest, date.
 */
export function svgText(svg, about) {
  const root = document.documentElement;
  root.classList.add("light"); // the computed look is that of paper while this stands
  const { width, height } = svg.viewBox.baseVal;
  const [head, foot] = [HEAD, FOOT].map(({ key, size, weight }) =>
    about[key].flatMap((line) => wrapped(line, width - 2 * MARGIN, (text) => textWidth(text, `${weight} ${size}px system-ui, sans-serif`) * 1.08)));
  const copy = withLook(svg);
  root.classList.remove("light");
  const top = MARGIN + head.length * HEAD.line + 4;
  const whole = top + height + 6 + foot.length * FOOT.line + MARGIN;
  const sheet = element("svg", { xmlns: SPACE, width, height: whole, viewBox: `0 0 ${width} ${whole}`, "font-family": FONT });
  const place = element("g", { transform: `translate(0,${top})`, "font-size": "12px", fill: INK });
  place.append(...copy.childNodes);
  sheet.append(
    element("rect", { width, height: whole, fill: "#ffffff" }),
    ...head.map((line, i) => element("text", { x: MARGIN, y: MARGIN + HEAD.line * (i + 0.75), "font-size": HEAD.size, "font-weight": HEAD.weight, fill: INK }, line)),
    place,
    ...foot.map((line, i) => element("text", { x: MARGIN, y: top + height + 6 + FOOT.line * (i + 0.75), "font-size": FOOT.size, fill: SOFT }, line)),
  );
  return { text: new XMLSerializer().serializeToString(sheet), width, height: whole };
}

/** Return a copy of a picture whose look is written into every element. */
function withLook(svg) {
  const copy = svg.cloneNode(true);
  const [seen, written] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  seen.forEach((part, place) => {
    const look = getComputedStyle(part);
    for (const name of COPIED) written[place].setAttribute(name, look.getPropertyValue(name));
    written[place].removeAttribute("class");
  });
  return copy;
}

function element(tag, attributes, text = "") {
  const found = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) if (name !== "xmlns") found.setAttribute(name, value);
  found.textContent = text;
  return found;
}

/** Save a picture as SVG. */
export function saveSvg(svg, name, about) {
  download(`${name}.svg`, new Blob([svgText(svg, about).text], { type: "image/svg+xml" }));
}

/** Save a picture as PNG, sharp enough for print. */
export function savePng(svg, name, about) {
  const { text, width, height } = svgText(svg, about);
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width * PIXELS, height * PIXELS];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download(`${name}.png`, blob), "image/png");
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

/** Put text on the clipboard, as HTML too when given. */
export async function copy(text, html = null) {
  try {
    if (html === null) await navigator.clipboard.writeText(text);
    else await navigator.clipboard.write([clipboardItem(text, html)]);
    announce("Copied");
  } catch {
    announce(copyTheOldWay(text) ? "Copied" : "This browser does not let pages copy");
  }
}

function clipboardItem(text, html) {
  return new ClipboardItem({
    "text/plain": new Blob([text], { type: "text/plain" }),
    "text/html": new Blob([html], { type: "text/html" }),
  });
}

function copyTheOldWay(text) {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

/** Return text that no spreadsheet takes for a formula: an apostrophe goes before what begins like one. */
export function defused(value) {
  const named = typeof value === "string" && Number.isNaN(Number(value)) && !/^[+-]inf$/.test(value);
  return named && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
}

/** Return the decimal mark of the reader's language: a point or a comma. */
export function localDecimal(languages) {
  const parts = new Intl.NumberFormat(languages).formatToParts(1.5);
  return parts.find(({ type }) => type === "decimal").value === "," ? "," : ".";
}

/** Return a value as a spreadsheet takes it: a number plain, nothing where there is none. */
export function plainText(value, decimal = ".") {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  if (typeof value === "string") return defused(value);
  return typeof value === "number" ? scoreText(value).replace(".", decimal) : scoreText(value);
}

/** Return rows as CSV; cells with commas, semicolons, quotes or line ends are quoted.
 *
 * Where the decimal mark is a comma, fields are separated by semicolons, and names that are not
 * ASCII have a byte order mark before the first: so spreadsheets there read it.
 */
export function csv(names, rows, decimal = ".") {
  const between = decimal === "," ? ";" : ",";
  const cell = (value) => {
    const text = plainText(value, decimal);
    return (between === ";" ? /[";\r\n]/ : /[",\r\n]/).test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const text = `${[names, ...rows].map((row) => row.map(cell).join(between)).join("\r\n")}\r\n`;
  return decimal === "," && /[^\x00-\x7f]/.test(text) ? `\ufeff${text}` : text;
}

/** Return rows as text with tabs, which a spreadsheet puts into cells. */
export function tabbed(rows, decimal = ".") {
  return rows.map((row) => row.map((value) => plainText(value, decimal).replace(/[\t\r\n]+/g, " ")).join("\t")).join("\n");
}
