// add.js - the tab Add: files are sent in pieces, each on the server's disk before the next.
// An upload goes on after any interruption; after a reload, when its file is chosen again.

import { Refusal, sleep, v1 } from "./net.js";
import { $, button, count, el, showStatus, sizeInWords } from "./ui.js";

const AT_ONCE = 3, PIECE = 1 << 20, QUICK_MS = 500, AGAIN_MS = 1000, AGAIN_MOST_MS = 15_000;
const PASSES = new Set([0, 429, 500, 502, 503, 504, 507]); // refusals that do not last

const uploads = [];
let active = 0;

// The same file for the same schema has the same key, for a week: after a reload its upload
// goes on, and what was added already is not added twice.
async function keyOf({ name, size, lastModified }, path, schema) {
  const text = new TextEncoder().encode([schema, path || name, size, lastModified].join("\n"));
  return [...new Uint8Array(await crypto.subtle.digest("SHA-256", text))].map((b) => b.toString(16).padStart(2, "0")).join("");
}

// --- one upload -----------------------------------------------------------------

class Upload {
  constructor(file, path, schema) {
    Object.assign(this, { file, path, schema, sent: 0, state: "waiting" });
    this.bar = el("progress", { max: Math.max(1, file.size), value: 0, "aria-label": `${file.name}, sent` });
    this.note = el("span", { class: "note" });
    this.remove = button("\u00d7", () => this.cancel(), { "aria-label": `Remove ${file.name}`, title: "Remove" });
    this.row = el("li", {}, el("span", { class: "name" }, file.name), this.bar, this.note, this.remove);
    this.show("waiting", `${sizeInWords(file.size)}, waiting`);
  }

  show(state, text) {
    this.state = state;
    this.row.dataset.state = state;
    this.note.textContent = text;
    this.bar.value = this.sent;
    showSum();
  }

  cancel() {
    if (this.state !== "done" && this.state !== "known") this.forget();
    this.state = "gone";
    uploads.splice(uploads.indexOf(this), 1);
    const next = this.row.nextElementSibling ?? this.row.previousElementSibling;
    this.row.remove();
    (next?.querySelector("button") ?? $("add-files")).focus();
    showSum();
    sendNext();
  }

  // The server forgets it, too, sooner or later.
  forget() {
    if (this.id) v1(`uploads/${this.id}`, "DELETE").catch(() => {});
  }

  async begin() {
    const told = { name: this.file.name, bytes: this.file.size, schema: this.schema || undefined }, first = !this.key;
    this.key ??= await keyOf(this.file, this.path, this.schema);
    const { id, offset, chunk } = await v1("uploads", "POST", told, { "Idempotency-Key": this.key });
    Object.assign(this, { id, sent: offset, most: chunk, piece: Math.min(PIECE, chunk) });
    this.known = first && offset === this.file.size;
  }

  // Adds a file that was added before, as another document.
  again() {
    this.key = crypto.randomUUID();
    Object.assign(this, { id: undefined, sent: 0, known: false });
    this.row.querySelector(".again").remove();
    this.show("waiting", `${sizeInWords(this.file.size)}, waiting`);
    this.remove.focus();
    sendNext();
  }

  end() {
    if (!this.known) { this.show("done", `${sizeInWords(this.file.size)}, added`); return; }
    this.show("known", "was added before");
    this.remove.before(button("Add again", () => this.again(), { class: "again", "aria-label": `Add again: ${this.file.name}` }));
  }

  // Sends one piece; larger ones where the last was quick. A blob is sent as it is read.
  async sendPiece() {
    const bytes = this.file.slice(this.sent, this.sent + this.piece), since = performance.now();
    await v1(`uploads/${this.id}`, "PATCH", bytes, { "Upload-Offset": String(this.sent) });
    this.sent += bytes.size;
    this.piece = Math.min(this.most, Math.max(PIECE, performance.now() - since < QUICK_MS ? this.piece * 2 : this.piece / 2));
  }

  async isReadable() {
    try { await this.file.slice(this.sent, this.sent + 1).arrayBuffer(); } catch { return false; }
    return true;
  }

  async step() {
    if (!this.id) await this.begin();
    else await this.sendPiece();
    if (this.state === "gone") return;
    this.show("sending", `${sizeInWords(this.sent)} of ${sizeInWords(this.file.size)}`);
  }

  // After a refusal: true if the upload goes on, at once or later.
  async goesOn(refusal, wait) {
    const { status, body } = refusal;
    if (status === 409 && body.offset !== undefined) { this.sent = Number(body.offset); return true; }
    if (status === 404 && this.id) { this.id = undefined; return true; } // forgotten: from the start
    if (!PASSES.has(status)) return false;
    this.show("held", status === 0 ? "platen does not answer; trying again" : `${refusal.message} Trying again.`);
    await sleep(Math.max(wait, refusal.after * 1000));
    this.id = undefined; // how much arrived is asked
    return true;
  }

  async send() {
    let wait = AGAIN_MS;
    while (this.state !== "gone" && (!this.id || this.sent < this.file.size)) {
      try {
        await this.step();
        wait = AGAIN_MS;
      } catch (refusal) {
        if (this.state === "gone") return;
        if (!(refusal instanceof Refusal)) throw refusal;
        const readable = refusal.status !== 0 || await this.isReadable();
        if (!readable || !await this.goesOn(refusal, wait)) {
          this.forget();
          this.show("refused", readable ? refusal.message : "The file has changed or is gone. Add it again.");
          return;
        }
        wait = Math.min(AGAIN_MOST_MS, wait * 2);
      }
    }
    if (this.state !== "gone") this.end();
  }
}

// --- all of them ------------------------------------------------------------------

function showSum() {
  const of = (state) => uploads.filter((u) => u.state === state).length, known = of("known"), refused = of("refused");
  $("add-sum").textContent = !uploads.length ? "" : `${count(of("done"))} of ${count(uploads.length)} added`
    + (known ? `, ${count(known)} before` : "") + (refused ? `, ${count(refused)} refused` : "");
  $("add-clear").hidden = !of("done") && !known;
}

async function sendNext() {
  const next = active < AT_ONCE && uploads.find((u) => u.state === "waiting");
  if (!next) return;
  active++;
  next.state = "sending";
  sendNext();
  try { await next.send(); } finally { active--; }
  sendNext();
}

// What file managers leave in folders is left out.
const isOther = (name) => name.startsWith(".") || /^(thumbs\.db|desktop\.ini)$/i.test(name);

// files: [{file, path}]
function addFiles(files) {
  const schema = $("add-schema").value;
  for (const { file, path } of files) {
    if (isOther(file.name)) continue;
    const one = new Upload(file, path, schema);
    uploads.push(one);
    $("uploads").append(one.row);
  }
  showSum();
  sendNext();
}

// The files of what was dropped, those in folders too.
async function filesOf(entry) {
  if (isOther(entry.name)) return [];
  if (entry.isFile) return [{ file: await new Promise((on, off) => entry.file(on, off)), path: entry.fullPath }];
  const reader = entry.createReader(), all = [];
  for (let some; (some = await new Promise((on, off) => reader.readEntries(on, off))).length;)
    for (const one of some) all.push(...await filesOf(one));
  return all;
}

async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) addFiles([...transfer.files].map((file) => ({ file })));
  for (const entry of entries) {
    try { addFiles(await filesOf(entry)); }
    catch { showStatus(`${entry.name} could not be read`); }
  }
}

// Files may be dropped on any tab; show() opens this one.
function takeDrops(show) {
  const has = (e) => e.dataTransfer?.types.includes("Files");
  let inside = 0;
  const mark = (n) => { inside = Math.max(0, n); $("drop-here").hidden = !inside; };
  addEventListener("dragenter", (e) => { if (has(e)) mark(inside + 1); });
  addEventListener("dragleave", (e) => { if (has(e)) mark(inside - 1); });
  addEventListener("dragover", (e) => { if (has(e)) e.preventDefault(); });
  addEventListener("drop", (e) => {
    if (!has(e)) return;
    e.preventDefault();
    mark(0);
    show();
    dropped(e.dataTransfer);
  });
}

export function startAdd({ schemas, usual, show }) {
  const names = schemas.includes("auto") ? schemas : ["auto", ...schemas];
  $("add-schema").replaceChildren(...names.map((name) => el("option", { value: name }, name === "auto" ? "found out by platen (auto)" : name)));
  if (names.includes(usual)) $("add-schema").value = usual;
  for (const id of ["add-files", "add-folder", "add-camera"])
    $(id).onchange = () => { addFiles([...$(id).files].map((file) => ({ file, path: file.webkitRelativePath }))); $(id).value = ""; };
  $("add-clear").onclick = () => {
    for (const one of uploads.filter((u) => u.state === "done" || u.state === "known")) { uploads.splice(uploads.indexOf(one), 1); one.row.remove(); }
    showSum();
  };
  takeDrops(show);
  addEventListener("beforeunload", (e) => { if (active) e.preventDefault(); });
}
