// Bundles the script and the style of the page into the Python package: node build.mjs [folder].

import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const here = new URL(".", import.meta.url).pathname;
const folder = process.argv[2] ?? `${here}../src/capcurve/show/assets`;
const common = { bundle: true, minify: true, legalComments: "none", charset: "utf8", logLevel: "warning" };
const script = {
  ...common, entryPoints: [`${here}src/main.js`], outfile: `${folder}/page.js`, format: "iife", target: "es2022",
  // Scales are of numbers alone, so the page does without most of what d3-interpolate brings.
  alias: { "d3-interpolate": `${here}src/interpolate.js` },
};

/** Return the packages of which something is in the bundle. */
async function shipped() {
  const { metafile } = await build({ ...script, metafile: true, write: false });
  const [{ inputs }] = Object.values(metafile.outputs);
  const used = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  return [...new Set(used.map((path) => /node_modules\/[^/]+/.exec(path)?.[0]).filter(Boolean))].sort();
}

function licences(paths) {
  const texts = new Map();
  for (const path of paths) {
    const [owner, ...terms] = readFileSync(`${here}${path}/LICENSE`, "utf-8").trim().split("\n\n");
    const text = terms.join("\n\n");
    texts.set(text, [...(texts.get(text) ?? []), `${path.replace("node_modules/", "")}: ${owner}`]);
  }
  return [...texts].map(([text, owners]) => `${owners.join("\n")}\n\n${text}`).join("\n\n");
}

const notice = `This page uses d3, bundled here with its licences:\n\n${licences(await shipped())}`;
await build({ ...script, banner: { js: `/*\n${notice}\n*/` } });
await build({ ...common, entryPoints: [`${here}src/page.css`], outfile: `${folder}/page.css` });
writeFileSync(`${folder}/LICENSES.txt`, `${notice}\n`);
