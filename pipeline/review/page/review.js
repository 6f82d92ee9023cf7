// review.js - the tab Review: queue, open document, keys, saving.

import { explainFailure, explainValue, remarks } from "./explain.js";
import { change, failedActs } from "./failed.js";
import { get, post, picture, read, write } from "./net.js";
import { Paper } from "./paper.js";
import { Form, fromPrint, resolve, shown, skeleton, wish } from "./form.js";
import { notationOf } from "./typed.js";
import { $, button, el, showError, showStatus } from "./ui.js";

const CHECK_MS = 150, LOOK_MS = 400, AGAIN_MS = 1000;
const state = { queue: null, doc: null, form: null, at: null, last: Promise.resolve(), undo: [], waiting: 0, started: 0 };
const paper = new Paper($("paper"), { onWord: takeWord, onBox: takeBox });
const crop = el("canvas", { id: "crop", "aria-hidden": "true" });
paper.onDrawn = () => paper.crop(crop);

// --- the queue ------------------------------------------------------------

const rowsAt = (from) => get(`queue?from=${from}&search=${encodeURIComponent($("search").value.trim())}`);

function showProgress({ doubts, left, complete }) {
  $("progress").max = Math.max(1, +doubts);
  $("progress").value = Math.max(0, doubts - left);
  $("left").textContent = `${left} of ${doubts} to review${complete ? "" : ", still searching"}`;
}

let looking = 0; // until the whole spool was looked through

async function loadQueue(from = 0) {
  state.queue = await rowsAt(from);
  showProgress(state.queue);
  clearTimeout(looking);
  if (!state.queue.complete)
    looking = setTimeout(() => ($("list").hidden || $("queue").contains(document.activeElement)
      ? loadQueue(from) : fillList(from)).catch(showError), AGAIN_MS);
  return state.queue;
}

async function loadWholeQueue() {
  while (!(await loadQueue()).complete && !state.queue.queue.length)
    await new Promise((on) => setTimeout(on, LOOK_MS));
  return state.queue;
}

async function showList() {
  await state.last;
  closeDocument();
  $("list").hidden = false;
  $("title").textContent = "platen review";
  await fillList(0);
  $("queue").querySelector("button")?.focus();
}

function rowOfList(d) {
  const open = el("button", { type: "button" }, d.name || d.id);
  open.onclick = () => openDocument(d.id);
  const about = d.place === "failed" ? `not read: ${d.why || "the reason is not known"}`
    : `${d.left} to review, the least certain ${Math.round(d.worst * 100)} % sure`;
  return el("li", {}, open, el("span", {}, ` ${d.schema} \u00b7 ${about}`));
}

// The rows from this one on; a page of them when there are more.
async function fillList(from) {
  const { queue, waiting, complete } = await loadQueue(from);
  const last = from + queue.length, found = $("search").value.trim();
  if (!queue.length && from) { await fillList(0); return; }
  $("queue").start = from + 1;
  $("queue").replaceChildren(...queue.map(rowOfList));
  $("list-note").textContent = queue.length ? (waiting > queue.length ? `${from + 1} to ${last} of ${waiting}` : "")
    : !complete ? "Searching the spool." : found ? "Nothing found." : "All done.";
  $("pages").hidden = +waiting <= queue.length;
  $("pages-back").disabled = !from;
  $("pages-on").disabled = last >= +waiting;
  $("pages-back").onclick = () => fillList(Math.max(0, from - +state.queue.most));
  $("pages-on").onclick = () => fillList(last);
}

// --- a document -----------------------------------------------------------

const ready = new Map(); // documents fetched ahead, by id

function fetchDocument(id) {
  const found = ready.get(id) ?? get(`documents/${id}/review`);
  ready.delete(id);
  return found;
}

function fetchAhead() {
  const next = state.queue?.queue.find((d) => d.id !== state.doc?.id && !state.passed?.has(d.id));
  if (!next || ready.has(next.id)) return;
  const found = get(`documents/${next.id}/review`);
  found.then((doc) => picture(doc.id, +(doc.doubts?.[0]?.page || doc.record?.pages?.[0]?.number || 1), paper.width().dots))
    .catch(() => {});
  found.catch(() => ready.delete(next.id));
  ready.set(next.id, found);
}

function closeDocument() {
  state.form?.close();
  state.doc = state.form = state.at = null;
  $("work").hidden = true;
  showKeys();
  $("form").replaceChildren();
  $("notes").replaceChildren();
}

// Opens the document after this one in the list, that was not skipped or finished; else the
// first such; else shows the list.
async function openNext(after) {
  await state.last;
  const before = (state.queue?.queue ?? []).map((d) => d.id), place = before.indexOf(after);
  const { queue } = await loadWholeQueue();
  const open = (d) => !state.passed.has(d.id), later = before.slice(place + 1);
  let next = queue.find((d) => open(d) && place >= 0 && later.includes(d.id)) ?? queue.find(open);
  for (let from = queue.length; !next && from < +state.queue.waiting; from += +state.queue.most)
    next = (await rowsAt(from)).queue.find(open);
  if (next) await openDocument(next.id);
  else await showList();
}

async function openDocument(id, pointer) {
  try {
    const doc = await fetchDocument(id);
    if (!state.waiting && $("status").textContent !== "saved") showStatus(""); // what it says is of another one
    closeDocument();
    state.doc = doc;
    $("list").hidden = true;
    $("work").hidden = false;
    $("title").textContent = doc.name || doc.id;
    if (doc.place === "failed") showFailed(doc);
    else showRecord(doc, pointer);
    fetchAhead();
  } catch (refusal) {
    showError(refusal);
    if (refusal.status === 0) return;
    state.passed.add(id);
    if (!state.doc) await showList();
  }
}

const about = (pointer) => explainValue(state.doc, state.doubtOf.get(pointer), state.saidOf.get(pointer), pointer);

const placeOf = (pointer) => {
  const field = state.doc.record?.fields?.[pointer], first = field?.evidence?.[0];
  return first ? { page: +first.page, box: first.box } : field?.page ? { page: +field.page } : null;
};

function marksOf(doc) {
  return Object.entries(doc.record?.fields ?? {}).flatMap(([pointer, f]) =>
    (f.evidence ?? []).map((e) => ({ pointer, page: +e.page, box: e.box, level: about(pointer).level })));
}

// Least certain first; what is equally so, to ten percent, in the order of the pages.
const rank = (d) => d.pointer === "" ? 99 : Math.round(d.weight * 10);

function notationIn(doc) {
  return notationOf(Object.entries(doc.record?.fields ?? {}).flatMap(([pointer, f]) =>
    f.evidence?.[0]?.text ? [{ value: valueIn(doc, pointer), text: f.evidence[0].text, agrees: f.verdict === "agree" }] : []));
}

function indexDocument(doc) {
  doc.doubts?.sort((a, b) => rank(a) - rank(b));
  state.doubtOf = new Map((doc.doubts ?? []).map((d) => [d.pointer, d]));
  state.saidOf = new Map((doc.said ?? []).map((s) => [s.pointer, s]));
}

function showRecord(doc, pointer) {
  indexDocument(doc);
  const { record } = doc;
  paper.open(doc, record.pages.map((p) => +p.number), marksOf(doc));
  showNotes(doc);
  state.form = new Form($("form"), { schema: doc.schema, data: record.data, about, act: changeRow, notation: notationIn(doc) });
  if (doc.fault) showStatus(`Changes cannot be saved: ${doc.fault}`);
  if (pointer !== undefined && goTo(pointer)) return;
  if (!nextDoubt(null)) $("form").querySelector("[data-pointer]")?.focus();
}

function showNotes(doc) {
  const rows = remarks(doc.record).map((text) => el("li", {}, text));
  const looked = el("button", { type: "button", id: "looked" }, "Mark as checked");
  looked.onclick = () => confirmWhole();
  $("notes").replaceChildren(...(rows.length ? [el("ul", {}, ...rows)] : []), ...(state.doubtOf.has("") ? [looked] : []));
}

async function reload(pointer) {
  const id = state.doc.id;
  ready.delete(id);
  await openDocument(id, pointer);
}

// --- from doubt to doubt --------------------------------------------------

const openDoubts = () => (state.doc?.doubts ?? []).filter((d) => state.doubtOf.has(d.pointer));

function goTo(pointer) {
  if (pointer === "") { $("looked")?.focus(); return Boolean($("looked")); }
  const field = state.form?.find(pointer);
  if (!field) return false;
  field.input.focus();
  field.input.select?.();
  field.box.scrollIntoView({ block: "nearest" });
  return true;
}

// Goes to the doubt after (or before) this pointer, else to the first.
function nextDoubt(pointer, step = 1) {
  const all = state.doc.doubts ?? [], left = openDoubts();
  if (!left.length) return false;
  const at = all.findIndex((d) => d.pointer === pointer);
  const ordered = at < 0 ? left : [...all.slice(at + 1), ...all.slice(0, at)].filter((d) => state.doubtOf.has(d.pointer));
  const next = step > 0 ? ordered[0] : ordered.at(-1);
  return next ? goTo(next.pointer) : false;
}

function onFocus(e) {
  const field = state.form?.fields.get(e.target.dataset?.pointer);
  if (!field) return;
  state.at = field;
  $("form").querySelector(".field.here")?.classList.remove("here");
  field.box.classList.add("here");
  field.box.append(crop);
  showKeys();
  paper.show(field.pointer, field.place ?? placeOf(field.pointer));
}

// Updates the buttons for Enter, F2 and Escape to the present value.
function showKeys() {
  const field = state.form && state.at;
  $("keys").hidden = !field;
  if (!field) return;
  $("accept").firstChild.textContent = state.doc.place === "failed" ? "Next" : "Accept";
  $("absent").disabled = !field.schema.nullable;
  $("discard").firstChild.textContent = state.form.isEdited(field) ? "Discard typing" : "All documents";
}

// --- saving ---------------------------------------------------------------

// body: {data} of a failed document, else changes.
const send = (doc, body) => post(`documents/${doc.id}/${body.data ? "fill" : "corrections"}`,
  body.data ? body : { version: doc.version, ...body });

// Changes are sent one after another, each with the version that the previous one
// returned. `back` restores the state if a change is refused.
function save(doc, body, then, back) {
  state.waiting++;
  showStatus("saving");
  state.last = state.last.then(async () => {
    try {
      const answer = await send(doc, body);
      doc.version = answer.version;
      then?.(answer);
      if (--state.waiting === 0) showStatus("saved");
      showBroken(doc, answer.broken ?? []);
      count(doc);
    } catch (refusal) {
      state.waiting--;
      back?.();
      await refused(doc, body, refusal);
    }
  });
  return state.last;
}

function count(doc) {
  if (state.doc === doc) paper.setMarks(marksOf(doc));
  loadQueue().catch(() => {});
}

function showBroken(doc, broken) {
  if (state.doc !== doc || !state.form) return;
  for (const one of broken) {
    const field = state.form.fields.get(one.pointer);
    if (field && !field.message) state.form.say(field, one.text);
  }
}

async function refused(doc, body, refusal) {
  const pointer = refusal.body?.pointer ?? body.changes?.[0]?.pointer ?? "";
  if (refusal.status === 409 && refusal.body.who) {
    const text = `confirmed by ${refusal.body.who}, ${refusal.body.when}: ${shown(refusal.body.value) || "not on the page"}`;
    if (state.doc?.id === doc.id) await reload(pointer);
    else await openDocument(doc.id, pointer);
    const field = state.form?.fields.get(pointer);
    if (field) state.form.say(field, text, true);
    showStatus(text);
    return;
  }
  if (state.doc?.id !== doc.id && refusal.status !== 0) await openDocument(doc.id, pointer);
  const field = state.doc?.id === doc.id ? state.form?.find(pointer) : undefined;
  const why = refusal.body?.findings?.map((f) => wished(field, f)).join("; ") || refusal.message;
  if (field) {
    goTo(pointer);
    state.form.say(field, `not saved: ${why}`, true);
  }
  showError(refusal, "not saved: ");
}

const wished = (field, found) =>
  field && found.pointer === field.pointer ? wish(field.schema, found.wanted) : `expected ${found.wanted}`;

function markDone(pointer) {
  state.doubtOf.delete(pointer);
  state.saidOf.set(pointer, { who: "you" });
}

const changeOf = (field, value) => {
  const place = field.place ?? (value === null ? null : placeOf(field.pointer));
  return { pointer: field.pointer, new: value, page: place?.box ? place.page : undefined, box: place?.box };
};

// Saves the value and goes to the next doubt without waiting for the answer.
function confirm(field, value) {
  const doc = state.doc, before = { value: field.value, doubt: state.doubtOf.get(field.pointer) };
  const { pointer } = field;
  clearTimeout(timer);
  asked++; // ignore the answer of a running check
  const open = value === null ? "" : state.form.unclear(field);
  if (open) { state.form.say(field, open, true); return; }
  if (doc.place === "failed") { focusNext(); return; }
  const known = about(pointer).level === "person" && write(value) === write(field.value ?? null) && !field.place;
  if (!known) {
    const change = changeOf(field, value);
    state.form.put(field, value);
    markDone(pointer);
    state.form.mark(field);
    if (field.place) doc.record.fields[pointer] = { source: "person", page: field.place.page, evidence: [{ ...field.place }] };
    else if (doc.record.fields[pointer] && value === null) delete doc.record.fields[pointer].evidence;
    save(doc, { changes: [change] }, (answer) => remember(doc, pointer, answer.line, before), () => {
      if (state.doc !== doc) return;
      if (before.doubt) state.doubtOf.set(pointer, before.doubt);
      state.saidOf.delete(pointer);
      field.value = before.value;
    });
  }
  paper.setMarks(marksOf(doc));
  if (!nextDoubt(pointer)) finishDocument();
}

function remember(doc, pointer, line, before) {
  state.undo.push({ id: doc.id, pointer, line, before });
  $("undo").disabled = false;
}

function confirmWhole() {
  const doc = state.doc;
  markDone("");
  save(doc, { looked: true }, (answer) => remember(doc, "", answer.line));
  $("looked")?.remove();
  if (!nextDoubt("")) finishDocument();
}

// Opens the next document once all doubts of this one are done and saved.
async function finishDocument() {
  const doc = state.doc;
  await state.last;
  if (state.doc !== doc || openDoubts().length) return;
  state.passed.add(doc.id);
  await openNext(doc.id);
}

async function undo() {
  await state.last;
  const last = state.undo.pop();
  $("undo").disabled = !state.undo.length;
  if (!last) return;
  if (state.doc?.id !== last.id) await openDocument(last.id, last.pointer);
  const doc = state.doc;
  if (doc?.id !== last.id) return;
  state.passed.delete(last.id);
  await save(doc, { undo: last.line });
  await reload(last.pointer);
  showStatus("undone");
}

// --- typing ---------------------------------------------------------------

let timer = 0, asked = 0;

function onInput(e) {
  const field = state.form?.fields.get(e.target.dataset?.pointer);
  if (!field) return;
  clearTimeout(timer);
  showKeys();
  if (!state.form.isEdited(field)) { state.form.say(field, ""); return; }
  timer = setTimeout(() => check(field), CHECK_MS);
}

async function check(field) {
  if (state.form?.fields.get(field.pointer) !== field) return;
  const mine = ++asked, doc = state.doc, form = state.form, open = form.unclear(field);
  if (open) { form.say(field, open, true); return; }
  const body = doc.place === "failed" ? { data: filled() } : { changes: [{ pointer: field.pointer, new: form.typed(field) }] };
  try {
    const answer = await send(doc, { ...body, check: true });
    if (mine !== asked || state.form !== form) return;
    const broken = answer.broken?.find((b) => b.pointer === field.pointer) ?? answer.broken?.[0];
    form.say(field, broken ? broken.text : form.understood(field));
  } catch (refusal) {
    if (mine !== asked || state.form !== form) return;
    const found = refusal.body.findings?.find((f) => f.pointer === field.pointer) ?? refusal.body.findings?.[0];
    form.say(field, found ? wished(field, found) : refusal.message, true);
    if (refusal.status === 0) showError(refusal);
  }
}

function putTyped(field, text) {
  field.input.value = text;
  field.input.dispatchEvent(new Event("input", { bubbles: true }));
}

function takeWord({ text, page, box, add }) {
  const field = state.at;
  if (!field) return;
  const old = field.place?.page === page ? field.place.box : null;
  if (add && old) {
    const [x, y] = [Math.min(old[0], box[0]), Math.min(old[1], box[1])];
    box = [x, y, Math.max(+old[0] + +old[2], box[0] + box[2]) - x, Math.max(+old[1] + +old[3], box[1] + box[3]) - y];
  }
  takeBox({ page, box });
  putTyped(field, add && field.input.value ? `${field.input.value} ${text}` : fromPrint(text, field.schema, state.form.notation));
  field.input.focus();
}

function takeBox(place) {
  const field = state.at;
  if (!field) return;
  field.place = place;
  paper.show(field.pointer, place);
  field.input.focus();
}

// --- rows -----------------------------------------------------------------

function valueIn(doc, pointer) {
  return pointer.split("/").slice(1).reduce((at, token) =>
    at?.[token.replaceAll("~1", "/").replaceAll("~0", "~")], doc.record.data);
}

const valueAt = (pointer) => valueIn(state.doc, pointer);

function itemsOf(list) {
  const root = state.doc.schema;
  return list.split("/").slice(1).reduce((at, token) => {
    const s = resolve(root, at);
    return /^\d+$/.test(token) && s.items ? s.items : s.properties?.[token.replaceAll("~1", "/").replaceAll("~0", "~")];
  }, root);
}

function rowOf(pointer) {
  const found = /^(.*)\/(\d+)(\/|$)(?!.*\/\d+(\/|$))/.exec(pointer);
  return found && Array.isArray(valueAt(found[1])) ? { list: found[1], at: Number(found[2]) } : null;
}

function emptyRow(list) {
  const root = state.doc.schema, s = resolve(root, resolve(root, itemsOf(list)).items ?? {});
  return skeleton(root, { ...s, type: s.types.filter((t) => t !== "null"), anyOf: undefined, oneOf: undefined, listed: undefined });
}

// Splits the focused text at the caret; the rest goes into a new row.
function splitOf(row) {
  const field = state.at, top = `${row.list}/${row.at}/`, caret = field?.input.selectionStart;
  if (!field?.pointer.startsWith(top) || typeof field.value !== "string" || !caret) return null;
  const key = field.pointer.slice(top.length), rest = { ...emptyRow(row.list) };
  rest[key.replaceAll("~1", "/").replaceAll("~0", "~")] = field.input.value.slice(caret).trim();
  return [{ pointer: field.pointer, new: field.input.value.slice(0, caret).trim() },
    { pointer: `${row.list}/${row.at + 1}`, new: rest, insert: true }];
}

async function changeRow(what, pointer) {
  const doc = state.doc, row = rowOf(pointer) ?? rowOf(state.at?.pointer ?? "");
  if (!row) { showStatus("this value is not in a row"); return; }
  const here = `${row.list}/${row.at}`, below = `${row.list}/${row.at + 1}`;
  const changes = what === "append" ? [{ pointer, new: emptyRow(row.list), insert: true }]
    : what === "insert" ? [{ pointer: below, new: emptyRow(row.list), insert: true }]
    : what === "remove" ? [{ pointer: here, remove: true }] : splitOf(row);
  if (!changes) { showStatus("place the caret where the text should be split"); return; }
  if (doc.place === "failed") { fillRow(what, row); return; }
  let saved = false;
  await save(doc, { changes }, (answer) => { saved = true; remember(doc, changes.at(-1).pointer, answer.line); });
  if (!saved) return;
  const want = what === "remove" ? here : what === "append" ? pointer : below;
  await reload();
  const first = [...state.form.lazy.keys()].includes(want) ? (state.form.build(want), want) : want;
  [...state.form.fields.values()].find((f) => f.pointer === first || f.pointer.startsWith(`${first}/`))?.input.focus();
}

// --- documents that failed ------------------------------------------------

function showFailed(doc) {
  indexDocument(doc);
  paper.open(doc, doc.reason?.page ? [+doc.reason.page] : [1], [], true);
  const fill = button("Fill in by hand", () => fillFailed(doc), { id: "fill", disabled: !doc.schema });
  const done = (path, body, said) => actOnFailed(path, body, said, doc);
  $("notes").replaceChildren(el("h2", { tabindex: "-1" }, `Not read: ${doc.meaning || "the reason is not known"}`),
    ...explainFailure(doc).map((text) => el("p", {}, text)),
    ...failedActs(doc, done, [fill]),
    el("p", { class: "note" }, `Reason: ${doc.reason?.code ?? "unknown"}`));
  paper.show(null, null);
  $("notes").firstChild.focus(); // not a button, which a second Enter would press
}

async function actOnFailed(path, body, said, doc) {
  try {
    await change(doc.id, path, body);
    state.passed.add(doc.id);
    await openNext(doc.id);
    showStatus(`${doc.name || doc.id}: ${said}`);
  } catch (refusal) { showError(refusal); }
}

function fillFailed(doc, data) {
  const all = data ?? skeleton(doc.schema, { ...doc.schema, type: "object" });
  doc.record = { data: all, fields: {}, pages: [] };
  state.form?.close();
  state.form = new Form($("form"), { schema: doc.schema, data: all, about: () => ({ level: "sure", unread: true }), act: changeRow });
  const saved = () => { state.passed.add(doc.id); openNext(doc.id); };
  $("form").append(button("Save the record", () => save(doc, { data: filled() }, saved), { id: "save" }));
  $("form").querySelector("[data-pointer]")?.focus();
}

// The data of a form that is saved as a whole.
function filled() {
  const data = read(write(state.doc.record.data));
  for (const field of state.form.fields.values()) {
    const tokens = field.pointer.split("/").slice(1).map((t) => t.replaceAll("~1", "/").replaceAll("~0", "~"));
    const group = tokens.slice(0, -1).reduce((at, t) => at[t], data);
    group[tokens.at(-1)] = state.form.typed(field);
  }
  return data;
}

function fillRow(what, row) {
  const data = filled(), rows = row.list.split("/").slice(1).reduce((at, t) => at[t], data);
  if (what === "remove") rows.splice(row.at, 1);
  else rows.splice(what === "append" ? rows.length : row.at + 1, 0, emptyRow(row.list));
  fillFailed(state.doc, data);
}

// In a form that is saved as a whole Enter goes to the next value, last to Save.
function focusNext() {
  const all = [...$("form").querySelectorAll("[data-pointer], #save")];
  all[all.indexOf(document.activeElement) + 1]?.focus();
}

// --- keys -----------------------------------------------------------------

function leave() {
  const field = state.at;
  if (field && state.form?.isEdited(field) && document.activeElement === field.input) {
    field.place = undefined;
    state.form.put(field, field.value);
    paper.show(field.pointer, placeOf(field.pointer));
    field.input.select?.();
  } else if (state.doc) {
    state.passed.clear();
    showList();
  }
}

const withAlt = {
  ArrowDown: () => nextDoubt(state.at?.pointer ?? null, 1), ArrowUp: () => nextDoubt(state.at?.pointer ?? null, -1),
  i: () => changeRow("insert", state.at?.pointer ?? ""), r: () => changeRow("remove", state.at?.pointer ?? ""),
  s: () => changeRow("split", state.at?.pointer ?? ""), "+": () => $("larger").click(), "=": () => $("larger").click(),
  "-": () => $("smaller").click(),
};

function fieldKey(e, field) {
  const edited = state.form.isEdited(field);
  if (e.key === "Enter" && !e.shiftKey) confirm(field, state.form.typed(field));
  else if (e.key === "F2") setNull(field);
  else if (e.key === "?" && !edited && document.activeElement.selectionStart !== document.activeElement.selectionEnd) $("help").showModal();
  else if (e.key.toLowerCase() === "z" && (e.ctrlKey || e.metaKey) && !edited) undo();
  else return false;
  return true;
}

// The value is not on the page: sets null, without a place.
function setNull(field) {
  if (!field.schema.nullable) { state.form.say(field, "the schema requires a value here", true); return; }
  field.place = undefined;
  putTyped(field, "");
  confirm(field, null);
}

function onKey(e) {
  if ($("review").hidden || $("help").open || e.isComposing || e.target === $("search")) return;
  const field = state.form?.fields.get(document.activeElement?.dataset?.pointer);
  const does = e.altKey && !e.ctrlKey && state.doc && withAlt[e.key.length === 1 ? e.key.toLowerCase() : e.key];
  if (does) does();
  else if (e.altKey) return;
  else if (e.key === "Escape") leave();
  else if (e.key === "F1" || (e.key === "?" && !field)) $("help").showModal();
  else if (e.key === "PageUp" && state.doc) paper.turn(-1);
  else if (e.key === "PageDown" && state.doc) paper.turn(1);
  else if (!field || !fieldKey(e, field)) {
    if (field || e.key.toLowerCase() !== "z" || !(e.ctrlKey || e.metaKey)) return;
    undo();
  }
  e.preventDefault();
}

document.addEventListener("keydown", onKey);
$("form").addEventListener("focusin", onFocus);
$("form").addEventListener("input", onInput);
$("form").addEventListener("submit", (e) => e.preventDefault());
$("leave").onclick = () => { state.passed.clear(); showList(); };
$("undo").onclick = undo;
for (const id of ["accept", "absent", "discard"])
  $(id).onpointerdown = (e) => e.preventDefault(); // the value keeps the focus
$("accept").onclick = () => confirm(state.at, state.form.typed(state.at));
$("absent").onclick = () => setNull(state.at);
$("discard").onclick = leave;
let searching = 0;
$("search").oninput = () => {
  clearTimeout(searching);
  searching = setTimeout(() => fillList(0).catch(showError), CHECK_MS);
};
$("help-open").onclick = () => $("help").showModal();
$("help-close").onclick = () => $("help").close();
addEventListener("beforeunload", (e) => { if (state.waiting) e.preventDefault(); });

state.passed = new Set();
// Errors of requests that nothing waits for.
addEventListener("unhandledrejection", (e) => {
  if (e.reason?.status === undefined) return;
  e.preventDefault();
  showError(e.reason);
});

let begun = false;

// Shows the tab: the document of that id, else what was open, else the least certain one.
export async function openReview(id, fill) {
  if (id && id !== state.doc?.id) await openDocument(id);
  else if (!id && !state.doc && begun) await showList();
  else if (!id && !begun) {
    await openNext().catch((refusal) => {
      $("list").hidden = false;
      $("list-note").textContent = refusal.message;
    });
  }
  begun = true;
  if (fill && state.doc?.place === "failed") $("fill").click();
}
