// Bundles the script and the style of the page into the Python package, and says what they hold.

import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const here = new URL(".", import.meta.url).pathname;
const folder = `${here}../src/capcurve/show/assets`;
const common = { bundle: true, minify: true, legalComments: "none", charset: "utf8", logLevel: "warning" };
const script = {
  ...common, entryPoints: [`${here}src/main.js`], outfile: `${folder}/page.js`, format: "iife", target: "es2022",
  // Scales are of numbers alone, so the page does without most of what d3-interpolate brings.
  alias: { "d3-interpolate": `${here}src/interpolate.js` },
};

/** Return the packages of which something is in the bundle, by their paths. */
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

/** Return the bill of materials of the page, which the wheel carries: CycloneDX, without a time or a chance number. */
function bill(paths) {
  const locked = JSON.parse(readFileSync(`${here}package-lock.json`, "utf-8")).packages;
  const components = paths.map((path) => {
    const { version, license, integrity } = locked[path];
    const name = path.replace("node_modules/", "");
    const [, sum] = /^sha512-(.+)$/.exec(integrity);
    const reference = `pkg:npm/${name}@${version}`;
    return {
      type: "library", "bom-ref": reference, name, version,
      hashes: [{ alg: "SHA-512", content: Buffer.from(sum, "base64").toString("hex") }],
      licenses: [{ license: { id: license } }], purl: reference,
    };
  });
  const page = { type: "file", "bom-ref": "page.js", name: "capcurve/show/assets/page.js" };
  return {
    bomFormat: "CycloneDX", specVersion: "1.6", version: 1, metadata: { component: page }, components,
    dependencies: [
      { ref: page["bom-ref"], dependsOn: components.map((component) => component["bom-ref"]) },
      ...components.map((component) => ({ ref: component["bom-ref"] })),
    ],
  };
}

const used = await shipped();
const notice = `This page uses d3, bundled here with its licences:\n\n${licences(used)}`;
await build({ ...script, banner: { js: `/*\n${notice}\n*/` } });
await build({ ...common, entryPoints: [`${here}src/page.css`], outfile: `${folder}/page.css` });
writeFileSync(`${here}LICENSES.txt`, `${notice}\n`);
writeFileSync(`${here}page.cdx.json`, `${JSON.stringify(bill(used), null, 2)}\n`);
