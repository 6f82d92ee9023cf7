// net.js - requests to the server. The token is the part of the address after #;
// it is sent in a header, never in an address.

const token = location.hash.slice(1) || sessionStorage.getItem("token") || "";
sessionStorage.setItem("token", token);
history.replaceState(null, "", location.pathname);

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

export class Refusal extends Error {
  constructor(status, body) {
    super(body.error ?? body.detail ?? `the server answered with status ${status}`);
    this.status = status;
    this.body = body;
  }
}

const STOPPED = "platen review has stopped. Start it again and open the address that it prints.";

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(`/api/${path}`, {
      ...options, cache: "no-store", credentials: "same-origin",
      headers: { "X-Platen-Token": token, ...options.headers },
    });
  } catch { throw new Refusal(0, { error: STOPPED }); } // no answer
  if (answer.ok) return answer;
  let body = {};
  try { body = read(await answer.text()); } catch { /* not JSON: the status is enough */ }
  throw new Refusal(answer.status, body);
}

export const get = async (path) => read(await (await ask(path)).text());

export const post = async (path, body) => read(await (await ask(path, {
  method: "POST", body: write(body), headers: { "Content-Type": "application/json" },
})).text());

// The latest images of pages, as object URLs.
const pictures = new Map();
const KEPT = 12;

export function picture(id, page, width) {
  const key = `${id}/${page}?width=${width}`;
  let found = pictures.get(key);
  if (!found) {
    found = ask(`page/${key}`).then((a) => a.blob()).then((b) => URL.createObjectURL(b));
    found.catch(() => pictures.delete(key));
  }
  pictures.delete(key);
  pictures.set(key, found);
  for (const [old, url] of pictures) {
    if (pictures.size <= KEPT) break;
    pictures.delete(old);
    url.then((u) => URL.revokeObjectURL(u), () => {});
  }
  return found;
}

const words = new Map();

export function wordsOf(id, page) {
  const key = `${id}/${page}`;
  if (!words.has(key)) {
    const found = get(`words/${key}`).then((a) => a.words);
    found.catch(() => words.delete(key));
    words.set(key, found);
  }
  return words.get(key);
}
