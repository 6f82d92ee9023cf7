// typed.js - amounts and dates as people write them. What can mean two things is
// decided by how the pages of the document write it; else it is not understood.

// A notation: {decimal: "," or ".", order: "dmy" or "mdy"}, each if it is known.
// Results: {value: text for the record} or {either: [two such texts]} or null.

const LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "nb", "fi", "pl", "cs", "ro", "hu", "el", "tr"];
const PARTICLES = new Set(["st", "nd", "rd", "th", "of", "the", "er", "de", "del", "den", "le", "el", "il"]);

const bare = (word) => word.toLowerCase().normalize("NFD").replace(/[\p{M}.]/gu, "");

// Names of months (1 to 12; 0 if two languages disagree) and of days of the week (-1).
let known;

function names() {
  if (known) return known;
  known = new Map();
  const put = (name, n) => known.set(name, known.has(name) && known.get(name) !== n ? 0 : n);
  for (const language of LANGUAGES)
    for (const style of ["long", "short"]) {
      const format = new Intl.DateTimeFormat(language, { weekday: style, day: "numeric", month: style, timeZone: "UTC" });
      const alone = new Intl.DateTimeFormat(language, { month: style, timeZone: "UTC" });
      for (let n = 0; n < 12; n++) {
        const day = Date.UTC(2024, n, n + 1);
        put(bare(alone.format(day)), n + 1);
        for (const part of format.formatToParts(day)) {
          if (part.type === "month") put(bare(part.value), n + 1);
          if (part.type === "weekday") put(bare(part.value), -1);
        }
      }
    }
  return known;
}

// --- numbers ----------------------------------------------------------------

const tidy = (digits) => digits.replace(/^0+(?=\d)/, "").replace(/^(?=\.)/, "0");
const inGroups = (text, mark) => new RegExp(`^\\d{1,3}(\\${mark}\\d{2,3})*\\${mark}\\d{3}$`).test(text);

// The digits of an amount, without sign; `decimal` tells which mark it has before its fraction.
function digitsOf(text, notation, whole) {
  const grouped = /^\d{1,3}(?:([' ])\d{3})(?:\1\d{3})*(?:([.,])(\d+))?$/.exec(text);
  if (grouped) {
    const [head] = text.split(/[.,]/);
    return { value: tidy(head.replace(/[' ]/g, "") + (grouped[3] ? `.${grouped[3]}` : "")), decimal: grouped[2] };
  }
  if (!/^[.,]?\d[\d.,]*$/.test(text)) return null;
  const marks = text.replace(/\d/g, ""), last = marks.at(-1), other = last === "." ? "," : ".";
  if (!marks) return { value: tidy(text) };
  const head = text.slice(0, text.lastIndexOf(last)), tail = text.slice(head.length + 1);
  if (!tail) return null;
  if (marks.includes(other)) // the last mark is the decimal one
    return !head.includes(last) && inGroups(head, other) ? { value: tidy(`${head.replaceAll(other, "")}.${tail}`), decimal: last } : null;
  if (marks.length > 1) return inGroups(text, last) ? { value: tidy(text.replaceAll(last, "")), decimal: other } : null;
  if (tail.length !== 3 || head.length > 3 || /^0*$/.test(head)) return { value: tidy(`${head}.${tail}`), decimal: last };
  if (whole) return { value: tidy(head + tail), decimal: other };
  if (notation.decimal) return { value: tidy(notation.decimal === last ? `${head}.${tail}` : head + tail), decimal: notation.decimal };
  return { either: [tidy(head + tail), tidy(`${head}.${tail}`)] };
}

export function number(typed, notation = {}, whole = false) {
  const text = typed.normalize("NFKC").trim().replace(/[\u2010-\u2015\u2212]/g, "-").replaceAll("\u2019", "'");
  const bracket = /^\((.*)\)$/.exec(text);
  const unit = /^(-?)\s*(?:[A-Z]{3}|\p{Sc})?\s*(-?)\s*([\d.,' ]*\d)\s*(-?)\s*(?:[A-Z]{3}|\p{Sc}|%)?\s*(-?)$/u
    .exec(bracket ? bracket[1] : text);
  if (!unit) return null;
  const minus = [unit[1], unit[2], unit[4], unit[5], bracket].filter(Boolean).length;
  const found = minus <= 1 && digitsOf(unit[3], notation, whole);
  if (!found || !minus) return found || null;
  return found.value ? { ...found, value: `-${found.value}` } : { either: found.either.map((v) => `-${v}`) };
}

// --- dates ------------------------------------------------------------------

function iso(year, month, day) {
  const y = year.length === 4 ? +year : +year + (2000 + +year <= new Date().getFullYear() + 10 ? 2000 : 1900);
  const at = new Date(Date.UTC(y, month - 1, day));
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === +day ? at.toISOString().slice(0, 10) : null;
}

const valueOr = (value) => value ? { value } : null;

// 13 April 2025, April 13th, 2025; words that are none of a date are not understood.
function named(text) {
  const words = text.match(/\p{L}[\p{L}\p{M}]*/gu) ?? [], figures = text.match(/\d+/g) ?? [];
  const found = words.map(bare).filter((w) => !PARTICLES.has(w)).map((w) => names().get(w) ?? 0).filter((n) => n !== -1);
  if (found.length !== 1 || found[0] < 1 || figures.length !== 2) return null;
  const first = figures[0].length === 4, [day, year] = first ? [figures[1], figures[0]] : figures;
  return day.length <= 2 && [2, 4].includes(year.length) ? valueOr(iso(year, found[0], day)) : null;
}

export function date(typed, notation = {}) {
  const text = typed.normalize("NFKC").trim();
  const parts = /^(\d{1,4})\s*([./-])\s*(\d{1,2})\s*\2\s*(\d{1,4})\.?$/.exec(text);
  if (!parts) return /\p{L}/u.test(text) ? named(text) : null;
  const [, a, mark, b, c] = parts;
  if (a.length === 4) return c.length <= 2 ? valueOr(iso(a, +b, c)) : null;
  if (a.length > 2 || ![2, 4].includes(c.length)) return null;
  const day = iso(c, +b, a), month = iso(c, +a, b);
  if (mark === ".") return valueOr(day);
  if (c.length === 2 && !notation.order) return null; // the year may be first, too
  if (!day || !month || day === month) return valueOr(day ?? month);
  return notation.order ? { value: notation.order === "dmy" ? day : month } : { either: [day, month] };
}

// --- how the pages write ----------------------------------------------------

// fields: [{value, text: as printed, agrees: the print is known to say it}]
export function notationOf(fields) {
  const said = { decimal: new Set(), order: new Set() };
  for (const { value, text, agrees } of fields) {
    if (typeof value === "string") {
      if (!agrees || !/^\d{4}-\d\d-\d\d$/.test(value) || /[.\p{L}]/u.test(text)) continue;
      const day = date(text, { order: "dmy" })?.value === value, month = date(text, { order: "mdy" })?.value === value;
      if (day !== month) said.order.add(day ? "dmy" : "mdy");
      continue;
    }
    const found = number(text), same = (v) => Math.abs(Number(v)) === Math.abs(Number(value));
    if (found?.decimal && same(found.value)) said.decimal.add(found.decimal);
    const mark = found?.either && agrees && text.replace(/[^.,]/g, "");
    if (mark && same(found.either[0])) said.decimal.add(mark === "." ? "," : ".");
    if (mark && same(found.either[1])) said.decimal.add(mark);
  }
  const only = (set) => set.size === 1 ? [...set][0] : undefined;
  return { decimal: only(said.decimal), order: only(said.order) };
}
