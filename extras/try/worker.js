// Python in a worker of its own: it holds the file, and answers what the page asks.
"use strict";

let python, asked;
const CHANGED = "The file cannot be read: it is a folder, or it has changed; choose it again";
const MEMORY = "Not enough memory for this file: use the command line, which reads files of any size";

/** Let the page know how much has come of what it loads. */
function countBytes() {
  const load = self.fetch;
  self.fetch = async (address, how) => {
    const came = await load(address, how);
    const count = new TransformStream({
      transform(part, out) {
        postMessage({ loaded: part.length });
        out.enqueue(part);
      },
    });
    return new Response(came.body.pipeThrough(count), came);
  };
}

const WORK = {
  async load(base) {
    countBytes();
    importScripts(`${base}pyodide/pyodide.js`);
    python = await loadPyodide({ indexURL: `${base}pyodide/`, packages: ["capcurve"] });
    const source = await (await fetch(`${base}reporting.py`)).text();
    postMessage({ preparing: true });
    asked = python.runPython(`${source}\nprepared()`);
  },
  async open({ file }) {
    python.FS.writeFile(file.name, new Uint8Array(await file.arrayBuffer()));
    return JSON.parse(asked("columns", JSON.stringify([file.name])));
  },
  report(words) {
    const found = JSON.parse(asked("report", JSON.stringify(words)));
    return found.path ? { ...found, page: python.FS.readFile(found.path) } : found;
  },
};

self.onmessage = async ({ data: { id, work, given } }) => {
  try {
    postMessage({ id, found: await WORK[work](given) });
  } catch (error) {
    const unread = /NotReadable|NotFound/.test(error.name) && given.file?.size < 2e9;
    const large = error instanceof RangeError || /memory|NotReadable/i.test(`${error.name} ${error.message}`);
    const line = String(error.message || error).trim().split("\n").pop();
    postMessage({ id, failed: unread ? CHANGED : large ? MEMORY : line });
  }
};
