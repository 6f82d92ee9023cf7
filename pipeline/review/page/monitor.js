// monitor.js - the tab Monitor: all documents of the spool, the newest first, as they change.
// Only the rows that are seen exist; others are loaded when they are scrolled to.

import { get, listen, v1 } from "./net.js";
import { explainFailure } from "./explain.js";
import { change as changeDocument, failedActs, mayAdmin, mayReview } from "./failed.js";
import { $, button, count, el, showError, showStatus, timeLeft, when } from "./ui.js";

const PAGE = 1000, HEAD = 200, TYPED_MS = 250, HEAD_MS = 1000, BEYOND = 8;
const NARROW = matchMedia("(max-width: 720px)"), ROW_REM = 3.6, ROW_NARROW_REM = 6.6;

const STATES = [
  ["", "All"], ["waiting", "Waiting"], ["reading", "Being read"], ["review", "To review"],
  ["done_today", "Done today"], ["done", "Done"], ["failed", "Failed"], ["dismissed", "Dismissed"],
];
const IN_WORDS = {
  waiting: "waiting", reading: "being read", review: "to review", done: "done", failed: "failed", dismissed: "dismissed",
};

let counts = {}, state = "", rows = [], next = null, asked = 0, loading = false, open = false, stale = true, left;
const drawn = new Map(); // rows of the list that exist, by document


// --- what is shown ----------------------------------------------------------------

function filter() {
  const of = new URLSearchParams(), text = $("find-text").value.trim();
  const real = state === "done_today" ? "done" : state;
  if (real) of.set("state", real);
  if (text) of.set("search", text);
  if ($("find-schema").value) of.set("schema", $("find-schema").value);
  const from = state === "done_today" ? counts.today ?? "" : $("find-from").value;
  if (from) of.set("from", from);
  if ($("find-to").value) of.set("to", $("find-to").value);
  return of;
}

const isSearch = () => [...filter().keys()].some((k) => k !== "state" && !(k === "from" && state === "done_today"));

function list(limit, cursor) {
  const of = filter();
  of.set("limit", limit);
  if (cursor) of.set("cursor", cursor);
  return v1(`documents?${of}`);
}

const fits = (row) => !state || row.state === (state === "done_today" ? "done" : state);

// How many rows there are: as many as are known, or counted.
function total() {
  if (!next) return rows.length;
  const all = ["waiting", "reading", "review", "done", "failed", "dismissed"].reduce((n, s) => n + (counts[s] ?? 0), 0);
  return Math.max(rows.length + 1, isSearch() ? 0 : state ? counts[state] ?? 0 : all);
}

// Lists from the start; what is seen stays until the new rows are here.
async function reload() {
  const mine = ++asked;
  stale = false;
  loading = true;
  try {
    const got = await list(HEAD);
    if (mine !== asked) return;
    rows = got.documents;
    next = got.next;
    draw();
  } finally { if (mine === asked) loading = false; }
  loadMore();
}

// The head of the list again: new documents, and files in in/, which have no id yet. What
// follows it is kept.
async function reloadHead() {
  if (!open || loading) { stale = true; return; }
  const mine = asked, got = await list(HEAD), last = got.documents.at(-1)?.id;
  if (mine !== asked) return;
  const rest = got.next && last ? rows.filter((r) => r.id && r.id < last) : [];
  if (!rest.length) next = got.next;
  change([...got.documents, ...rest]);
}

// Loads on until what is seen is there.
async function loadMore() {
  if (loading || !open) return;
  loading = true;
  const mine = asked;
  try {
    while (mine === asked && next && range().end > rows.length) {
      const got = await list(PAGE, next);
      if (mine !== asked) return;
      const known = new Set(rows.slice(-PAGE).map((r) => r.id));
      rows.push(...got.documents.filter((r) => !r.id || !known.has(r.id)));
      next = got.next;
      draw();
    }
  } catch (refusal) { showError(refusal); }
  finally { if (mine === asked) loading = false; }
}

// --- the window over the list -------------------------------------------------------

const rowHeight = () => (NARROW.matches ? ROW_NARROW_REM : ROW_REM) * parseFloat(getComputedStyle(document.documentElement).fontSize);

function range() {
  const box = $("window"), h = rowHeight();
  return { start: Math.max(0, Math.floor(box.scrollTop / h) - BEYOND), end: Math.ceil((box.scrollTop + box.clientHeight) / h) + BEYOND };
}

const keyOf = (d, i) => d ? d.id ?? `${d.folder}/${d.name}` : i;

// Draws the rows that are seen, and the one that has the focus. A row stays that of its
// document when others come or go; their order is that of Tab.
function draw() {
  if (!open) return;
  const list = $("documents"), all = total(), h = rowHeight(), { start, end } = range(), wanted = new Map();
  list.style.height = `${all * h}px`;
  for (let i = start; i < Math.min(end, all); i++) wanted.set(keyOf(rows[i], i), i);
  const held = list.contains(document.activeElement) && document.activeElement.closest("li").key;
  if (held !== false && !wanted.has(held)) {
    const at = rows.findIndex((d, i) => keyOf(d, i) === held);
    if (at >= 0) wanted.set(held, at);
  }
  for (const [key, row] of drawn)
    if (!wanted.has(key)) { row.remove(); drawn.delete(key); }
  let after = null;
  for (const [key, i] of [...wanted].sort((a, b) => a[1] - b[1])) {
    const row = drawn.get(key) ?? Object.assign(el("li", { tabindex: "-1" }), { key });
    drawn.set(key, row);
    const place = after ? after.nextSibling : list.firstChild;
    if (place !== row) list.insertBefore(row, place);
    after = row;
    Object.assign(row.style, { top: `${i * h}px`, height: `${h}px` });
    row.setAttribute("aria-posinset", i + 1);
    row.setAttribute("aria-setsize", next && isSearch() ? -1 : all);
    fill(row, rows[i]);
  }
  if (typeof held === "number" && rows[held]) // the row was being loaded
    (drawn.get(keyOf(rows[held], held))?.querySelector("a, button") ?? list).focus({ preventScroll: true });
  showFound(all);
}

// Other rows; what is seen stays in its place, unless that is the head of the list.
function change(now) {
  const box = $("window"), h = rowHeight(), top = Math.floor(box.scrollTop / h), id = rows[top]?.id;
  rows = now;
  const at = top > 0 && id ? rows.findIndex((r) => r.id === id) : top;
  if (at >= 0 && at !== top) {
    $("documents").style.height = `${total() * h}px`;
    box.scrollTop += (at - top) * h;
  }
  draw();
}

function showFound(all) {
  const none = state || isSearch() ? "Nothing found." : "No documents yet.";
  const text = all ? `${count(next && isSearch() ? rows.length : all)}${next && isSearch() ? " or more" : ""} document${all === 1 ? "" : "s"}` : none;
  if ($("found").textContent !== text) $("found").textContent = text;
}

// --- a row --------------------------------------------------------------------------

function infoOf(d) {
  if (d.state === "reading") {
    const page = d.page ? `page ${count(d.page)}${d.pages ? ` of ${count(d.pages)}` : ""}` : "";
    return [page, timeLeft(d.seconds_left)].filter(Boolean).join(", ");
  }
  if (d.state === "failed" || d.state === "dismissed") return meaningOf(d);
  if (d.unread) return "nothing could be read";
  return d.duplicate_of ? "the same file was here before" : d.seconds !== undefined ? `read in ${timeOf(d.seconds)}` : "";
}

// What a reason code means is asked once.
const meanings = new Map();

function meaningOf({ id, code = "" }) {
  if (!meanings.has(code)) {
    meanings.set(code, code);
    v1(`documents/${id}`).then((d) => { meanings.set(code, d.meaning || code); draw(); }, () => meanings.delete(code));
  }
  return meanings.get(code);
}

const timeOf = (s) => s < 90 ? `${Math.max(1, Math.round(s))} s` : `${Math.round(s / 60)} min`;

function actsOf(d) {
  if (!d.id || !mayReview()) return d.state === "failed" ? [["What to do", showRemedy]] : [];
  if (d.state === "failed") return [["Try again", retry], ["What to do", showRemedy]];
  if (d.state === "dismissed") return [["Bring back", undismiss]];
  return d.state === "review" ? [["Review", (one) => { location.hash = `#review/${one.id}`; }]] : [];
}

const opens = (d) => d.id && mayReview() && ["review", "done", "failed", "dismissed"].includes(d.state);

// Fills a row; what has the focus stays, since only texts change while the state does not.
function fill(row, d) {
  const kind = d && `${d.state}/${d.name}`;
  if (row.kind !== kind || !row.firstChild) {
    const focused = row.contains(document.activeElement);
    row.kind = kind;
    row.replaceChildren(...(d ? partsOf(row, d) : [el("span", { class: "note" }, "loading")]));
    if (focused) (row.querySelector("a, button") ?? row).focus();
  }
  if (!d) return;
  row.d = d;
  row.dataset.state = d.state;
  const about = [d.schema ?? d.folder, when(d.time ?? d.id)].filter(Boolean).join(" \u00b7 ");
  for (const [part, text] of [[".about", about], [".info span", infoOf(d)]]) {
    const one = row.querySelector(part);
    if (one.textContent !== text) one.textContent = text;
  }
  const bar = row.querySelector("progress");
  bar.hidden = d.state !== "reading" || !d.pages;
  if (!bar.hidden) Object.assign(bar, { max: d.pages, value: d.page ?? 0 });
}

function partsOf(row, d) {
  const name = d.name || d.id, title = opens(d) ? el("a", { href: `#view/${d.id}`, class: "name" }, name) : el("span", { class: "name" }, name);
  title.title = name;
  return [el("span", { class: "chip" }, IN_WORDS[d.state] ?? d.state),
    el("span", { class: "what" }, title, el("span", { class: "about note" })),
    el("span", { class: "info" }, el("span", {}), el("progress", { "aria-label": `Pages of ${name} that were read` })),
    el("span", { class: "acts" }, ...actsOf(d).map(([text, act]) => button(text, () => act(row.d, row), { "aria-label": `${text}: ${name}` })))];
}

// --- what a person may do about a failed document -------------------------------------

async function act(d, path, body, said) {
  try {
    take(await changeDocument(d.id, path, body));
    showStatus(`${d.name}: ${said}`);
    return true;
  } catch (refusal) {
    showError(refusal);
    return false;
  }
}

const retry = (d) => act(d, "retry", {}, "will be read again");
const undismiss = (d) => act(d, "dismiss", { undo: true }, "is listed again");

export async function showRemedy(d) {
  try {
    fillRemedy(d, await (mayReview() ? get(`documents/${d.id}/review`) : outcomeOf(d.id)));
    $("remedy").showModal();
  } catch (refusal) { showError(refusal); }
}

async function outcomeOf(id) {
  const { meaning, remedy } = await v1(`documents/${id}`);
  return { meaning, remedy };
}

function fillRemedy(d, doc) {
  const close = () => $("remedy").close(), lines = explainFailure(doc).map((text) => el("p", {}, text));
  const done = async (path, body, said) => { if (await act(d, path, body, said)) close(); };
  const title = el("h2", { id: "remedy-title", tabindex: "-1", autofocus: true }, d.name || d.id);
  const why = el("p", {}, el("strong", {}, doc.meaning || "The reason is not known."));
  const acts = !mayReview() ? [] : remedyActs(d, doc, done, close);
  $("remedy").replaceChildren(title, why, ...lines, ...acts,
    el("p", { class: "row-of" }, button("Close", close), el("span", { class: "note" }, `Reason: ${d.code ?? "unknown"}`)));
}

function remedyActs(d, doc, done, close) {
  return failedActs(doc, done, [
    button("Fill in by hand", () => { close(); location.hash = `#review/${d.id}/fill`; }, { disabled: !doc.schema }),
    button("See the page", () => { close(); location.hash = `#view/${d.id}`; })]);
}

// --- what an administrator deletes -----------------------------------------------------

const documents = (n) => `${count(n)} document${n === 1 ? "" : "s"}`;

// What would go is counted first.
function showPrune() {
  const days = el("input", { type: "number", min: "1", max: "36500", value: "90", required: true }), keep = el("input", { type: "checkbox" });
  const note = el("p", { role: "status", class: "note" }), go = el("button", { disabled: true }, "Delete them for good");
  const prune = (dry) => v1("prune", "POST", { days: Number(days.value), keep_records: keep.checked, dry_run: dry });
  let counted = 0, typed = 0;
  const tell = async () => {
    const mine = ++counted;
    if (!form.checkValidity()) return;
    try {
      const { documents: n } = await prune(true);
      if (mine !== counted) return;
      note.textContent = `${documents(n)} of that age`;
      go.disabled = !n;
    } catch (refusal) { if (mine === counted) note.textContent = refusal.message; }
  };
  const form = el("form", {}, el("h2", { id: "remedy-title", tabindex: "-1", autofocus: true }, "Delete old documents"),
    el("p", {}, el("label", {}, "Delivered more than this many days ago ", days)),
    el("p", {}, el("label", {}, keep, " only their files; keep the records")), note,
    el("p", { class: "row-of" }, go, button("Close", () => $("remedy").close())));
  form.oninput = () => {
    counted++;
    go.disabled = true;
    clearTimeout(typed);
    typed = setTimeout(tell, TYPED_MS);
  };
  form.onsubmit = async (e) => {
    e.preventDefault();
    go.disabled = true;
    try {
      const { documents: n } = await prune(false);
      $("remedy").close();
      showStatus(`${documents(n)} deleted`);
    } catch (refusal) { note.textContent = refusal.message; }
  };
  $("remedy").replaceChildren(form);
  $("remedy").showModal();
  tell();
}

// --- what happens -----------------------------------------------------------------------

let headTimer = 0;
function headSoon() {
  stale = true;
  if (!open || headTimer) return;
  headTimer = setTimeout(() => {
    headTimer = 0;
    reloadHead().catch(() => { stale = true; }); // told by the event stream
  }, HEAD_MS);
}

// A document as it is now: in its row; new ones come with the head of the list.
function take(d) {
  const at = rows.findIndex((r) => r.id === d.id);
  if (at < 0) { if (fits(d)) headSoon(); return; }
  if (fits(d)) {
    rows[at] = d;
    draw();
  } else change(rows.toSpliced(at, 1));
}

function showCounts() {
  for (const one of $("states").children) {
    const n = one.dataset.state ? counts[one.dataset.state] : undefined;
    one.querySelector(".count").textContent = n === undefined ? "" : count(n);
    one.hidden = one.dataset.state === "dismissed" && !n && state !== "dismissed";
    one.setAttribute("aria-pressed", String(one.dataset.state === state));
  }
}

function choose(which) {
  state = which;
  showCounts();
  $("window").scrollTop = 0;
  reload().catch(showError);
}

const heard = {
  open: () => {
    if ($("status").classList.contains("stopped")) showStatus("");
    stale = true;
    if (open) reload().catch(showError);
  },
  lost: (refusal) => {
    if (refusal?.status === 401) refusal.message = "platen was started again with a new address. Open the one that it prints.";
    if (refusal?.status === undefined || (refusal.status !== 401 && $("status").classList.contains("stopped"))) return;
    showError(refusal);
    $("status").classList.add("stopped");
  },
  counts: (now) => { counts = now; showCounts(); headSoon(); },
  document: take,
  removed: ({ id }) => change(rows.filter((r) => r.id !== id)),
  reload: () => { if (open) reload().catch(showError); else stale = true; },
};

function onKey(e) {
  const row = e.target.closest("#documents > li"), at = row ? Number(row.getAttribute("aria-posinset")) - 1 : -1;
  const seen = Math.max(1, Math.floor($("window").clientHeight / rowHeight()) - 1);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + seen, PageUp: at - seen, Home: 0, End: total() - 1 }[e.key];
  if (to === undefined || e.altKey || e.ctrlKey || e.metaKey) return;
  e.preventDefault();
  const i = Math.min(total() - 1, Math.max(0, to)), h = rowHeight(), box = $("window");
  if (i < 0) return;
  if (i * h < box.scrollTop) box.scrollTop = i * h;
  else if ((i + 1) * h > box.scrollTop + box.clientHeight) box.scrollTop = (i + 1) * h - box.clientHeight;
  draw();
  const target = drawn.get(keyOf(rows[i], i));
  (target?.querySelector("a, button") ?? target)?.focus({ preventScroll: true });
  loadMore();
}

export async function openMonitor() {
  open = true;
  draw();
  drawn.get(left)?.querySelector("a")?.focus(); // from the view of this document
  if (stale || !rows.length) await reload();
}

export function closeMonitor() {
  open = false;
  left = document.activeElement?.closest("#documents > li")?.key;
}

export function startMonitor({ schemas }) {
  $("states").replaceChildren(...STATES.map(([name, text]) => {
    const one = button(text, () => choose(name), { "data-state": name, "aria-pressed": "false" });
    one.append(" ", el("span", { class: "count" }));
    return one;
  }));
  $("find-schema").replaceChildren(...["", ...schemas].map((name) => el("option", { value: name }, name || "all")));
  $("prune").hidden = !mayAdmin();
  $("prune").onclick = showPrune;
  showCounts();
  const fold = () => { $("find-more").open = !NARROW.matches; };
  NARROW.onchange = () => { fold(); draw(); };
  fold();
  let typed = 0;
  $("find").onsubmit = (e) => e.preventDefault();
  $("find").oninput = () => {
    clearTimeout(typed);
    typed = setTimeout(() => { $("window").scrollTop = 0; reload().catch(showError); }, TYPED_MS);
  };
  $("window").onscroll = () => { draw(); loadMore(); };
  $("window").onkeydown = onKey;
  new ResizeObserver(() => draw()).observe($("window"));
  listen(heard);
}
