// Bundles the script and the style of the page into the Python package: node build.mjs [folder].

import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const here = new URL(".", import.meta.url).pathname;
const folder = process.argv[2] ?? `${here}../src/capcurve/report/assets`;

function licences() {
  const lock = JSON.parse(readFileSync(`${here}package-lock.json`, "utf-8"));
  const shipped = Object.entries(lock.packages).filter(([path, about]) => path && !about.dev && !about.optional);
  const texts = new Map();
  for (const [path] of shipped) {
    const [owner, ...terms] = readFileSync(`${here}${path}/LICENSE`, "utf-8").trim().split("\n\n");
    const text = terms.join("\n\n");
    texts.set(text, [...(texts.get(text) ?? []), `${path.replace("node_modules/", "")}: ${owner}`]);
  }
  return [...texts].map(([text, owners]) => `${owners.join("\n")}\n\n${text}`).join("\n\n");
}

const notice = `This page uses d3, bundled here with its licences:\n\n${licences()}`;
const common = { bundle: true, minify: true, legalComments: "none", charset: "utf8", logLevel: "warning" };
await build({
  ...common, entryPoints: [`${here}src/main.js`], outfile: `${folder}/page.js`, format: "iife", target: "es2022",
  banner: { js: `/*\n${notice}\n*/` },
});
await build({ ...common, entryPoints: [`${here}src/page.css`], outfile: `${folder}/page.css` });
writeFileSync(`${folder}/LICENSES.txt`, `${notice}\n`);
