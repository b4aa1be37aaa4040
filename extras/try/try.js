// The page: takes a file, asks what its columns are, and shows the report that the worker makes.
"use strict";

const $ = (id) => document.getElementById(id);
const BASE = new URL(".", location.href).href;
const ALL_BYTES = Number(document.body.dataset.bytes);
const TOO_OLD = "This browser is too old: it needs WebAssembly";
const ABSENT = "The page could not load what it needs: is there a network? If so, close it in all tabs and open it again";
const MEMORY = "Not enough memory for this file: use the command line, which reads files of any size";
let worker, waiting, held, saved; // held: what is known of the file; saved: the address of the report

/* The worker */

async function started() {
  const code = await (await fetch("worker.js")).blob();
  const made = new Worker(URL.createObjectURL(code)); // of a blob, so that the policy of the page holds in it
  let loaded = 0;
  waiting = new Map();
  made.onmessage = ({ data }) => {
    if (data.loaded) tell(`Loading: ${megabytes((loaded += data.loaded))} of ${megabytes(ALL_BYTES)} MB`);
    else if (data.preparing) tell("Preparing");
    else waiting.get(data.id)("failed" in data ? { error: data.failed } : data.found ?? {});
  };
  made.onerror = () => waiting.forEach((answer) => answer({ error: MEMORY }));
  return made;
}

function ask(work, given) {
  return new Promise((answer) => {
    waiting.set(waiting.size, answer);
    worker.postMessage({ id: waiting.size - 1, work, given });
  });
}

const megabytes = (bytes) => Math.min(bytes, ALL_BYTES) / 1e6 < 10 ? (bytes / 1e6).toFixed(1) : Math.round(Math.min(bytes, ALL_BYTES) / 1e6);

/** What is loaded is kept by a service worker, where the browser has one and once it is there. */
function kept() {
  const keeper = navigator.serviceWorker;
  if (!keeper || keeper.controller) return Promise.resolve();
  return new Promise((go) => {
    keeper.addEventListener("controllerchange", go);
    setTimeout(go, 3000);
  });
}

function show(part) {
  for (const id of ["start", "columns", "result"]) $(id).hidden = id !== part;
  document.body.classList.toggle("shown", part === "result");
}

function tell(line, error = "") {
  $("status").textContent = line;
  $("error").textContent = error;
}

async function open(file) {
  if (typeof WebAssembly !== "object") return tell("", TOO_OLD);
  if (!file || (held && !held.columns)) return undefined;
  if (held) leave();
  held = { name: file.name };
  tell("Loading");
  $("example").disabled = $("file").disabled = true;
  await kept();
  worker = await started().catch(() => undefined);
  if (!worker || (await ask("load", BASE)).error) return leave(ABSENT);
  tell("Reading the file");
  const found = await ask("open", { file });
  if (found.error) return leave(found.error);
  held = { ...held, ...found };
  tell("");
  fill();
  show("columns");
  return $("target").focus();
}

/** Forget the file: the worker ends, and with it all that it holds. */
function leave(error = "") {
  worker?.terminate();
  worker = held = undefined;
  $("file").value = "";
  $("example").disabled = $("file").disabled = $("make").disabled = false;
  frame();
  for (const id of ["target", "scores", "label", "name", "about"]) $(id).replaceChildren();
  tell("", error);
  show("start");
  $("file").focus();
}

/** Show a report in the frame, or none, and let go of the one before. */
function frame(page) {
  if (saved) URL.revokeObjectURL(saved);
  saved = page && URL.createObjectURL(new Blob([page], { type: "text/html" }));
  const fresh = $("frame").cloneNode(); // a new one: the button Back would lead into one that stays
  fresh.src = $("save").href = saved ?? "about:blank";
  $("frame").replaceWith(fresh);
}

/* The columns */

const isNumber = (column) => ["integer", "number"].includes(column.type);

function fill() {
  const { columns, target, score } = held;
  $("name").textContent = held.name;
  $("target").replaceChildren(...columns.map((column) => new Option(column.name, column.name, false, column.name === target)));
  if (!target) $("target").selectedIndex = columns.findIndex((column) => column.distinct === 2);
  const likelier = (column) => (column.name === score ? 0 : isNumber(column) ? 1 : 2);
  $("scores").replaceChildren(...[...columns].sort((one, other) => likelier(one) - likelier(other)).map((column) => choice(column, column.name === score)));
  $("ask-missing").hidden = true;
  $("missing").checked = false;
  aim();
}

/** Leave the outcome out of the scores. */
function aim() {
  for (const box of $("scores").querySelectorAll("input")) box.parentElement.hidden = box.value === $("target").value;
  $("ask-label").hidden = $("ask-levels").hidden = true;
}

function choice(column, checked) {
  const label = document.createElement("label");
  const box = Object.assign(document.createElement("input"), { type: "checkbox", value: column.name, checked });
  const about = Object.assign(document.createElement("small"), { textContent: `${column.type}: ${column.examples.join(", ")}${column.distinct > column.examples.length ? " …" : ""}` });
  label.append(box, column.name, about);
  return label;
}

const ticked = () => [...$("scores").querySelectorAll("label:not([hidden]) :checked")].map((box) => box.value);
const columnOf = (name) => held.columns.find((column) => column.name === name);

/** Return what is said beside the columns, in words of the command. */
function said() {
  const words = [];
  const labels = columnOf($("target").value).labels;
  if (!$("ask-label").hidden) words.push("--pos-label", $("label").value, ...(labels.length > 2 ? ["--rest-negative"] : []));
  if (!$("ask-levels").hidden) words.push("--levels", `${held.graded}=${$("levels").value}`);
  if ($("missing").checked) words.push("--missing", "drop");
  for (const [name, end] of Object.entries(held.ends ?? {})) if (ticked().includes(name)) words.push("--higher-is", `${name}=${end}`);
  return words;
}

const listed = (word) => (/^"|,|^\s|\s$/.test(word) ? `"${word.replaceAll('"', '""')}"` : word);

/** Show the questions that an error asks; return whether all of it can be answered here. */
function askMore(asks) {
  const { labels } = columnOf($("target").value);
  if (asks.includes("pos-label") && labels.length && $("ask-label").hidden) {
    $("label").replaceChildren(...labels.map((label) => new Option(label, label)));
    $("ask-label").hidden = false;
    return $("label");
  }
  held.graded = ticked().find((name) => columnOf(name).type === "text");
  if (asks.includes("levels") && held.graded && $("ask-levels").hidden) {
    $("levels").value = columnOf(held.graded).labels.map(listed).join(",");
    $("ask-levels").hidden = false;
    return $("levels");
  }
  if (asks.includes("missing") && $("ask-missing").hidden) {
    $("ask-missing").hidden = false;
    return $("missing");
  }
  return undefined;
}

/* The report */

async function make() {
  const scores = ticked();
  if (!scores.length) return tell("", "Tick at least one score");
  tell("Making the report");
  $("make").disabled = true;
  const found = await ask("report", [held.name, $("target").value, scores, said()]);
  $("make").disabled = false;
  if (found.page) return showReport(found);
  show("columns");
  const question = askMore(found.asks ?? []);
  tell("", question ? found.error.split(";")[0] : found.error);
  return question?.focus();
}

function showReport({ page, reversed }) {
  frame(page);
  $("save").download = `${held.name.replace(/\.[^.]*$/, "")}-report.html`;
  $("about").textContent = held.name;
  [held.reversed] = reversed.filter((name) => !held.ends?.[name]);
  $("ask-end").hidden = !held.reversed;
  $("reversed").textContent = held.reversed ?? "";
  tell("");
  show("result");
  $("save").focus();
}

function endIs(end) {
  held.ends = { ...held.ends, [held.reversed]: end };
  if (!$("make").disabled) make();
}

$("offline").hidden = !navigator.serviceWorker;
navigator.serviceWorker?.register("sw.js").catch(() => ($("offline").hidden = true));
$("file").addEventListener("change", () => open($("file").files[0]));
$("example").addEventListener("click", async () => {
  const rows = await fetch("example.csv").then((came) => came.blob()).catch(() => tell("", ABSENT));
  if (rows) open(new File([rows], "loans.csv"));
});
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    document.body.classList.toggle("over", kind === "dragover");
    if (kind === "drop") open(event.dataTransfer.files[0]);
  });
}
$("target").addEventListener("change", aim);
$("scores").addEventListener("change", () => ($("ask-levels").hidden = true));
$("columns").addEventListener("submit", (event) => {
  event.preventDefault();
  make();
});
$("low").addEventListener("click", () => endIs("negative"));
$("high").addEventListener("click", () => endIs("positive"));
$("again").addEventListener("click", () => {
  held.ends = {}; // or an end that was chosen by mistake would stay
  show("columns");
  $("target").focus();
});
for (const button of document.querySelectorAll(".another")) button.addEventListener("click", () => leave());
