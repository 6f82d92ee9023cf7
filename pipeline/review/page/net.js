// net.js - requests to the server. The token is the part of the address after #; it is
// sent in a header, never in an address. What follows it there is the page's place.

const given = /^#([0-9a-f]{64})\/?(.*)$/.exec(location.hash);
const token = given?.[1] ?? sessionStorage.getItem("token") ?? "";
sessionStorage.setItem("token", token);
if (given) history.replaceState(null, "", location.pathname + (given[2] && `#${given[2]}`));

// A number that keeps its notation: 12.50 stays 12.50.
export class Figure {
  constructor(text) { this.text = text; }
  valueOf() { return Number(this.text); }
  toString() { return this.text; }
}

export function read(text) {
  return JSON.parse(text, (key, value, context) =>
    typeof value === "number" ? new Figure(context?.source ?? String(value)) : value);
}

export function write(value) {
  if (value instanceof Figure) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (value && typeof value === "object")
    return `{${Object.entries(value).filter(([, v]) => v !== undefined)
      .map(([k, v]) => `${JSON.stringify(k)}:${write(v)}`).join(",")}}`;
  return JSON.stringify(value);
}

// What the server refuses, in words; status 0: it does not answer. `after`: seconds until
// the same request may be sent again.
export class Refusal extends Error {
  constructor(status, body, after) {
    const told = [body.detail, body.remedy].filter(Boolean).join(" ");
    super(told || `the server answered with status ${status}`);
    Object.assign(this, { status, body, after: Number(after) || 0 });
  }
}

const STOPPED = "platen review has stopped. Start it again and open the address that it prints.";
const GONE = "platen does not answer. This page goes on when it is back.";
let stopped = STOPPED;
export const expectReturn = () => { stopped = GONE; }; // of a server that is started again by itself

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(`${location.origin}/api/v1/${path}`, { // the page's own address may have a password
      ...options, cache: "no-store", credentials: "same-origin",
      headers: { "X-Platen-Token": token, ...options.headers },
    });
  } catch (why) {
    if (why.name === "AbortError" && options.signal?.aborted) throw why;
    throw new Refusal(0, { detail: stopped }); // no answer
  }
  if (answer.ok) return answer;
  let body = {};
  try { body = read(await answer.text()); } catch { /* not JSON: the status is enough */ }
  throw new Refusal(answer.status, body, answer.headers.get("Retry-After"));
}

const JSON_TYPE = { "Content-Type": "application/json" };

export const get = async (path) => read(await (await ask(path)).text());

export const post = async (path, body) => read(await (await ask(path, {
  method: "POST", body: write(body), headers: JSON_TYPE,
})).text());

export const blob = async (path, accept) => (await ask(path, { headers: accept ? { Accept: accept } : {} })).blob();

// The same where numbers are only counted with. body: an object, or a Blob.
export async function v1(path, method = "GET", body = undefined, headers = {}) {
  const raw = body instanceof Blob, type = raw ? { "Content-Type": "application/octet-stream" } : body ? JSON_TYPE : {};
  const answer = await ask(path, { method, body: raw ? body : body && JSON.stringify(body), headers: { ...type, ...headers } });
  return answer.status === 204 ? null : answer.json();
}

// --- the event stream -------------------------------------------------------

const AGAIN_FIRST_MS = 500, AGAIN_MOST_MS = 5000, SILENCE_MS = 40_000;
export const sleep = (ms) => new Promise((on) => setTimeout(on, ms));

// Reads it until it ends; fetch, since an EventSource sends no header.
async function readEvents(on, signal, alive) {
  const answer = await ask("events", { signal, headers: { Accept: "text/event-stream" } });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  on.open();
  for (let rest = "";;) {
    const { done, value } = await reader.read();
    if (done) return;
    alive();
    const blocks = (rest + value).replaceAll("\r", "").split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const of = (name) => block.split("\n").filter((l) => l.startsWith(`${name}:`)).map((l) => l.slice(name.length + 1).trim()).join("\n");
      if (of("data")) on[of("event")]?.(JSON.parse(of("data")));
    }
  }
}

// Calls on.open(), on.NAME(data) and on.lost(refusal) for ever: a stream that ends or is
// silent is opened again. While the page is not seen it has none, since browsers open few.
export async function listen(on) {
  for (let wait = AGAIN_FIRST_MS;;) {
    if (document.hidden) await new Promise((go) => document.addEventListener("visibilitychange", go, { once: true }));
    if (document.hidden) continue;
    const end = new AbortController(), hide = () => document.hidden && end.abort();
    let timer, why;
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => end.abort(), SILENCE_MS);
    };
    alive();
    document.addEventListener("visibilitychange", hide);
    try {
      await readEvents({ ...on, open: () => { wait = AGAIN_FIRST_MS; on.open(); } }, end.signal, alive);
    } catch (refusal) { why = refusal; }
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", hide);
    if (document.hidden) continue;
    on.lost(why);
    await sleep(wait);
    wait = Math.min(AGAIN_MOST_MS, wait * 2);
  }
}

// --- pages ------------------------------------------------------------------

const KEPT = 12;

// The latest of what is made by key, once each; `drop` gets one that is forgotten.
function latest(make, drop) {
  const kept = new Map();
  return (key) => {
    const found = kept.get(key) ?? make(key);
    found.catch(() => kept.delete(key));
    kept.delete(key);
    kept.set(key, found);
    for (const [old, one] of kept) {
      if (kept.size <= KEPT) break;
      kept.delete(old);
      one.then(drop, () => {});
    }
    return found;
  };
}

const pictureAt = latest(async (key) => URL.createObjectURL(await blob(`documents/${key}`)), (url) => URL.revokeObjectURL(url));
const wordsAt = latest(async (key) => (await get(`documents/${key}`)).words, () => {});

// A page as an object URL, that wide in pixels; its words.
export const picture = (id, page, width) => pictureAt(`${id}/pages/${page}?width=${width}`);
export const wordsOf = (id, page) => wordsAt(`${id}/pages/${page}/words`);
