// view.js - the tab View: a document and its record side by side, to read and to download.
// A value leads to its place on the page, a box on the page to its value.

import { explainFailure, explainValue, remarks } from "./explain.js";
import { mayAdmin } from "./failed.js";
import { Form, shown } from "./form.js";
import { showRemedy } from "./monitor.js";
import { blob, get, read, v1, write } from "./net.js";
import { Paper } from "./paper.js";
import { $, button, el, showError, showStatus, sizeInWords, when } from "./ui.js";

let doc = null, form = null, paper, asked = 0, chosen = null; // the pointer of the value that was gone to last

// The paper of the review, without its ids.
function buildPaper() {
  const host = $("view-paper");
  host.append(...$("paper").cloneNode(true).children);
  for (const one of host.querySelectorAll("[id]")) one.removeAttribute("id");
  const boxes = host.querySelector(".boxes");
  boxes.removeAttribute("aria-hidden");
  boxes.setAttribute("role", "group");
  boxes.setAttribute("aria-label", "Values on this page; arrow keys go from one to the next");
  return new Paper(host, { onMark });
}

const valueIn = (pointer) => pointer.split("/").slice(1).reduce((at, token) =>
  at?.[token.replaceAll("~1", "/").replaceAll("~0", "~")], doc.record.data);

function marksOf(about) {
  return Object.entries(doc.record.fields ?? {}).flatMap(([pointer, f]) => (f.evidence ?? []).map((e) => ({
    pointer, page: +e.page, box: e.box, level: about(pointer).level,
    label: `${pointer.slice(1).replaceAll("/", " ").replaceAll("_", " ")}: ${shown(valueIn(pointer))}`,
  })));
}

// --- the two directions --------------------------------------------------------------

// The value on the page, which turns to it.
function onFocus(e) {
  const pointer = e.target.dataset?.pointer, field = doc?.record?.fields?.[pointer];
  if (pointer === undefined) return;
  mark(chosen = pointer);
  const first = field?.evidence?.[0];
  paper.show(pointer, first ? { page: +first.page, box: first.box } : field?.page ? { page: +field.page } : null);
}

function mark(pointer) {
  $("view-form").querySelector(".field.here")?.classList.remove("here");
  const field = pointer === null ? null : form?.find(pointer);
  field?.box.classList.add("here");
  return field;
}

// The value of a box that is pointed at, for as long; goes: it is gone to.
function onMark(pointer, goes) {
  const field = mark(pointer ?? chosen);
  paper.active = pointer ?? chosen;
  paper.drawBoxes();
  if (!field || pointer === null) return;
  field.box.scrollIntoView({ block: "nearest" });
  if (goes) field.input.focus({ preventScroll: true });
}

// --- downloads -------------------------------------------------------------------------

const TYPES = { json: "application/json", xml: "application/xml", pdf: "application/pdf" };

function saveAs(data, name) {
  const url = URL.createObjectURL(data), link = el("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

async function download(d, what) {
  const stem = (d.name || d.id).replace(/\.[^.]*$/, "");
  showStatus(`downloading ${d.name || d.id}`);
  try {
    if (what === "original") saveAs(await blob(`documents/${d.id}/original`), d.name || d.id);
    else if (what !== "json") saveAs(await blob(`documents/${d.id}`, TYPES[what]), `${stem}.${what === "pdf" ? "searchable.pdf" : what}`);
    else {
      const { record } = read(await (await blob(`documents/${d.id}`, TYPES.json)).text());
      saveAs(new Blob([write(record), "\n"], { type: TYPES.json }), `${stem}.json`);
    }
    showStatus("");
  } catch (refusal) { showError(refusal); }
}

function showActs(d) {
  const can = d.formats ?? [], acts = [["json", "JSON"], ["xml", "XML"], ["pdf", "Searchable PDF"]].filter(([what]) => can.includes(what));
  if (d.state === "review" || d.state === "done")
    acts.unshift(["review", d.state === "review" ? "Review" : "Correct"]);
  const does = (what) => what === "review" ? () => { location.hash = `#review/${d.id}`; } : () => download(d, what);
  $("view-acts").replaceChildren(...[...acts, ["original", "Original"]].map(([what, text]) => button(text, does(what), { "data-act": what })),
    ...(d.state === "failed" ? [button("What to do", () => showRemedy(d))] : []),
    ...(mayAdmin() ? [button("Delete", () => remove(d))] : []));
}

async function remove(d) {
  if (!confirm(`Delete ${d.name || d.id} and its record for good?`)) return;
  try {
    await v1(`documents/${d.id}`, "DELETE");
    showStatus(`${d.name || d.id}: deleted`);
    location.hash = "#monitor";
  } catch (refusal) { showError(refusal); }
}

// --- a document -------------------------------------------------------------------------

function showRecord() {
  const doubtOf = new Map((doc.doubts ?? []).map((one) => [one.pointer, one])), saidOf = new Map((doc.said ?? []).map((s) => [s.pointer, s]));
  const about = (pointer) => explainValue(doc, doubtOf.get(pointer), saidOf.get(pointer), pointer);
  const notes = remarks(doc.record).map((text) => el("li", {}, text));
  $("view-notes").replaceChildren(...(notes.length ? [el("ul", {}, ...notes)] : []));
  paper.open(doc, doc.record.pages.map((p) => +p.number), marksOf(about));
  form = new Form($("view-form"), { schema: doc.schema, data: doc.record.data, about, readOnly: true });
  paper.show(null, null);
}

function showFailed() {
  $("view-notes").replaceChildren(el("h2", {}, `Not read: ${doc.meaning || "the reason is not known"}`),
    ...explainFailure(doc).map((text) => el("p", {}, text)));
  paper.open(doc, doc.reason?.page ? [+doc.reason.page] : [1], [], true);
  paper.show(null, null);
}

export async function openView(id) {
  const mine = ++asked;
  closeView();
  $("view-title").textContent = "loading";
  try {
    const [d, found] = await Promise.all([v1(`documents/${id}`), get(`documents/${id}/review`)]);
    if (mine !== asked) return;
    doc = found;
    $("view-title").textContent = d.name || d.id;
    $("view-about").textContent = [d.schema ?? d.folder, when(d.time ?? d.id), d.bytes && sizeInWords(d.bytes),
      d.duplicate_of && "the same file was here before"].filter(Boolean).join(" \u00b7 ");
    showActs(d);
    if (doc.record) showRecord();
    else showFailed();
    $("view-title").focus();
  } catch (refusal) {
    if (mine !== asked) return;
    $("view-title").textContent = id;
    showError(refusal);
  }
}

export function closeView() {
  form?.close();
  paper?.close();
  doc = form = chosen = null;
  for (const part of ["view-form", "view-notes", "view-acts"]) $(part).replaceChildren();
  $("view-about").textContent = "";
}

export function startView() {
  paper = buildPaper();
  $("view-form").addEventListener("focusin", onFocus);
  $("view-form").addEventListener("submit", (e) => e.preventDefault());
  $("view-back").onclick = () => { location.hash = "#monitor"; };
  $("view").addEventListener("keydown", (e) => {
    if (!doc || e.altKey || e.ctrlKey || e.metaKey) return;
    if (e.key === "PageUp") paper.turn(-1);
    else if (e.key === "PageDown") paper.turn(1);
    else if (e.key === "Escape") $("view-back").click();
    else return;
    e.preventDefault();
  });
}
