// Keeps this version of the page, so that it also opens without a network; never a file of anybody's.
"use strict";

const SCOPE = self.registration.scope;
const VERSION = `capcurve-@version@ ${SCOPE}`;
const FRESH = { cache: "no-cache" }; // or the browser may mix files of two versions
// The lock is among them: what it does not know by its hash is of another version, and is refused.
const SHELL = ["./", "index.html", "try.css", "try.js", "worker.js", "reporting.py", "example.csv", "pyodide/pyodide-lock.json"];

self.addEventListener("install", (event) => {
  const fresh = SHELL.map((name) => new Request(name, FRESH));
  event.waitUntil(caches.open(VERSION).then((kept) => kept.addAll(fresh)));
});

self.addEventListener("activate", (event) => {
  const old = (name) => /^capcurve-/.test(name) && name.endsWith(` ${SCOPE}`) && name !== VERSION;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))));
  event.waitUntil(self.clients.claim());
});

async function answer(event) {
  const known = await caches.match(event.request, { cacheName: VERSION, ignoreSearch: true });
  if (known) return known;
  const came = await fetch(event.request.url, FRESH);
  // No page that a portal sends in the place of a file; and a full disk hinders nobody.
  const copy = came.ok && !came.headers.get("content-type")?.includes("html") && came.clone();
  if (copy) event.waitUntil(caches.open(VERSION).then((kept) => kept.put(event.request, copy)).catch(() => {}));
  return came;
}

self.addEventListener("fetch", (event) => {
  const [, name] = event.request.url.split(/[?#]/)[0].split(SCOPE);
  const ours = name !== undefined && (SHELL.includes(name || "./") || name.startsWith("pyodide/"));
  if (ours && event.request.method === "GET") event.respondWith(answer(event));
});
