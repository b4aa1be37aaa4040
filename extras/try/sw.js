// Keeps this version of the page, so that it also opens without a network; never a file of anybody's.
"use strict";

const VERSION = "capcurve-@version@";
const FRESH = { cache: "no-cache" }; // or the browser may mix files of two versions
const SHELL = ["./", "try.css", "try.js", "worker.js", "reporting.py", "example.csv"];

self.addEventListener("install", (event) => {
  const fresh = SHELL.map((name) => new Request(name, FRESH));
  event.waitUntil(caches.open(VERSION).then((kept) => kept.addAll(fresh)));
});

self.addEventListener("activate", (event) => {
  const others = async () => (await caches.keys()).filter((name) => /^capcurve-/.test(name) && name !== VERSION);
  event.waitUntil(others().then((names) => Promise.all(names.map((name) => caches.delete(name)))));
  event.waitUntil(self.clients.claim());
});

async function answer(request) {
  const known = await caches.match(request, { cacheName: VERSION, ignoreSearch: true });
  if (known) return known;
  const came = await fetch(request.url, FRESH);
  if (came.ok) await (await caches.open(VERSION)).put(request, came.clone());
  return came;
}

self.addEventListener("fetch", (event) => {
  const ours = event.request.url.startsWith(self.registration.scope);
  if (ours && event.request.method === "GET") event.respondWith(answer(event.request));
});
