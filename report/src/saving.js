// Taking things along: pictures as SVG and PNG, tables as CSV, text and HTML, sentences.

import { announce } from "./dom.js";

const COPIED = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity",
  "stroke-linejoin", "stroke-linecap", "font-size", "font-weight", "font-family", "text-anchor",
  "opacity", "paint-order", "visibility", "display",
];
const PIXELS = 3;

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

/** Return a picture as a document of its own: its look written into every element. */
export function svgText(svg, caption) {
  const copy = svg.cloneNode(true);
  const [seen, written] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  seen.forEach((element, place) => {
    const look = getComputedStyle(element);
    for (const name of COPIED) written[place].setAttribute(name, look.getPropertyValue(name));
    written[place].removeAttribute("class");
  });
  const { width, height } = svg.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height + 20);
  copy.setAttribute("viewBox", `0 0 ${width} ${height + 20}`);
  for (const name of ["class", "tabindex", "role", "aria-valuenow", "aria-valuetext"]) copy.removeAttribute(name);
  copy.prepend(paper(svg, width, height + 20));
  copy.append(footLine(svg, caption, height + 12));
  return new XMLSerializer().serializeToString(copy);
}

function paper(svg, width, height) {
  const sheet = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const colour = getComputedStyle(svg).getPropertyValue("--paper").trim();
  for (const [name, value] of Object.entries({ width, height, fill: colour })) sheet.setAttribute(name, value);
  return sheet;
}

function footLine(svg, caption, y) {
  const line = document.createElementNS("http://www.w3.org/2000/svg", "text");
  const look = getComputedStyle(svg);
  const told = { x: 8, y, fill: look.color, "font-size": 10, "font-family": look.fontFamily };
  for (const [name, value] of Object.entries(told)) line.setAttribute(name, value);
  line.textContent = caption;
  return line;
}

/** Save a picture as SVG. */
export function saveSvg(svg, name, caption) {
  download(`${name}.svg`, new Blob([svgText(svg, caption)], { type: "image/svg+xml" }));
}

/** Save a picture as PNG, sharp enough for print. */
export function savePng(svg, name, caption) {
  const { width, height } = svg.viewBox.baseVal;
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width * PIXELS, (height + 20) * PIXELS];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download(`${name}.png`, blob), "image/png");
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(svg, caption))}`;
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

/** Return rows as CSV; cells with commas, quotes or line ends are quoted. */
export function csv(names, rows) {
  const cell = (value) => {
    const text = value === null || value === undefined || Number.isNaN(value) ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `${[names, ...rows].map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}
