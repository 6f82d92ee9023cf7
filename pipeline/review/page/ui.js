// ui.js - what all tabs share: elements, the status line, dates and sizes in words.
// Names and values are untrusted: they are set as text, never as markup.

export const $ = (id) => document.getElementById(id);

export function el(name, attributes = {}, ...children) {
  const one = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) one.setAttribute(key, value === true ? "" : value);
  one.append(...children);
  return one;
}

export function button(text, act, attributes = {}) {
  const one = el("button", { type: "button", ...attributes }, text);
  one.onclick = act;
  return one;
}

export const showStatus = (text) => {
  $("status").textContent = text;
  $("status").classList.remove("stopped");
};

// Shows an error; one with status 0 (the server has stopped) is highlighted.
export function showError(refusal, before = "") {
  showStatus(before + refusal.message);
  $("status").classList.toggle("stopped", refusal.status === 0);
}

const UNITS = ["bytes", "KB", "MB", "GB", "TB"];

export function sizeInWords(bytes) {
  const at = bytes < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3));
  const n = bytes / 1000 ** at;
  return `${at && n < 10 ? n.toFixed(1) : Math.round(n)} ${UNITS[at]}`;
}

export const count = (n) => Number(n).toLocaleString("en");

const plural = (n, unit) => `${count(n)} ${unit}${n === 1 ? "" : "s"}`;

// How long it takes: "about 14 minutes left".
export function timeLeft(seconds) {
  const s = Number(seconds);
  if (!(s > 0)) return "";
  if (s < 60) return "less than a minute left";
  if (s < 90 * 60) return `about ${plural(Math.round(s / 60), "minute")} left`;
  return `about ${plural(Math.round(s / 3600), "hour")} left`;
}

// A time of the spool (ISO 8601, or the start of an id: 20261101T120000Z) for people.
export function when(text) {
  const iso = String(text ?? "").replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z.*$/, "$1-$2-$3T$4:$5:$6Z");
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  const today = new Date().toDateString() === at.toDateString();
  return at.toLocaleString([], today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}
