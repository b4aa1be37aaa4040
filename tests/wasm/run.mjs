// Run a script of Python in WebAssembly: node run.mjs SCRIPT ARGUMENT...
//
// CAPCURVE_PYODIDE is the folder of Pyodide's core and wheels, without one dist/try/pyodide here;
// CAPCURVE_ROOT is the repository, whose sources and tests the script sees, and cannot change.
// CAPCURVE_PACKAGES may list folders of pure Python by their paths, with colons between: what the
// tests import besides.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(process.env.CAPCURVE_ROOT ?? fileURLToPath(new URL("../..", import.meta.url)));
const folder = resolve(process.env.CAPCURVE_PYODIDE ?? join(root, "dist", "try", "pyodide"));
const [script, ...given] = process.argv.slice(2);

const { loadPyodide } = createRequire(import.meta.url)(join(folder, "pyodide.js"));
const python = await loadPyodide({ indexURL: `${folder}/`, env: { HOME: "/home/pyodide" } });
const write = (to) => ({
  write(bytes) {
    to.write(Buffer.from(bytes));
    return bytes.length;
  },
});
python.setStdout(write(process.stdout));
python.setStderr(write(process.stderr));
await python.loadPackage(["numpy", "scipy"], { messageCallback: () => {} });

// A file of the machine is read through the system's own calls; what writes to one is told that
// the whole of its file system is read only.
function show(path, at) {
  const { FS } = python;
  FS.mkdirTree(at);
  FS.mount(FS.filesystems.NODEFS, { root: path }, at);
}
show(join(root, "src"), "/capcurve/src");
show(join(root, "tests"), "/capcurve/tests");
show(folder, "/capcurve/wheels");
const packages = (process.env.CAPCURVE_PACKAGES ?? "").split(delimiter).filter(Boolean);
const at = packages.map((path, number) => `/capcurve/packages/${number}`);
packages.forEach((path, number) => show(path, at[number]));

// Wheels of pure Python are read as they are.
const pure = readdirSync(folder).filter((name) => /^(narwhals|click)-.*\.whl$/.test(name));
const paths = ["/capcurve/src", ...at, ...pure.map((name) => `/capcurve/wheels/${name}`)];
python.globals.set("_paths", python.toPy(paths));
python.globals.set("_argv", python.toPy([script, ...given]));
python.runPython(`
import importlib, sys
sys.path[:0], sys.argv = _paths, _argv
importlib.invalidate_caches()
`);
if (!existsSync(script)) throw new Error(`there is no ${script}`);
try {
  python.runPython(readFileSync(script, "utf8"), { filename: script });
} catch (error) {
  const code = /^SystemExit: (\d+)$/m.exec(error.message);
  if (!code) console.error(error.message);
  process.exitCode = code ? Number(code[1]) : 1;
}
