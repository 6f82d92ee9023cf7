// form.js - a form for a record, made from its schema. Values are untrusted: they
// are inserted as text, never as markup.

import { Figure, write } from "./net.js";
import { date, number } from "./typed.js";
import { button, el } from "./ui.js";

const escape = (key) => String(key).replaceAll("~", "~0").replaceAll("/", "~1");
const isGroup = (v) => v !== null && typeof v === "object" && !(v instanceof Figure);
const LONG = 60, AHEAD = "800px";

// --- schemas --------------------------------------------------------------

function target(root, ref) {
  if (!ref.startsWith("#")) return {};
  return ref.slice(1).split("/").slice(1).reduce((at, token) =>
    at?.[decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~")], root) ?? {};
}

// The schema of a non-null value, with references resolved, and whether null is allowed.
export function resolve(root, schema, depth = 0) {
  if (!schema || typeof schema !== "object" || depth > 20) return { types: [], nullable: true };
  let all = { ...schema };
  if (schema.$ref) all = { ...target(root, schema.$ref), ...schema, $ref: undefined };
  if (all.$ref) return resolve(root, all, depth + 1);
  for (const part of all.allOf ?? []) {
    const one = resolve(root, part, depth + 1);
    all = { ...one, ...all, properties: { ...one.properties, ...all.properties }, type: all.type ?? one.type };
  }
  const choices = (all.anyOf ?? all.oneOf ?? []).map((c) => resolve(root, c, depth + 1));
  const one = choices.find((c) => c.types.some((t) => t !== "null"));
  if (one) all = { ...one, ...all, type: all.type ?? one.type, properties: all.properties ?? one.properties };
  const named = all.type === undefined ? [] : [all.type].flat();
  const listed = all.const !== undefined ? [all.const] : all.enum;
  const nullable = named.length ? named.includes("null") && (!listed || listed.includes(null))
    : choices.length ? choices.some((c) => c.nullable) : listed ? listed.includes(null) : true;
  return { ...all, listed, nullable, types: named.length ? named : all.properties ? ["object"] : all.items ? ["array"] : [] };
}

// The empty value of a schema.
export function skeleton(root, schema) {
  const s = resolve(root, schema);
  if (s.nullable) return null;
  if (s.types.includes("object"))
    return Object.fromEntries(Object.entries(s.properties ?? {})
      .filter(([key]) => s.required?.includes(key) || resolve(root, s.properties[key]).nullable)
      .map(([key, one]) => [key, skeleton(root, one)]));
  if (s.types.includes("array")) return [];
  if (s.listed) return s.listed[0];
  if (s.types.includes("string")) return "";
  return s.types.includes("boolean") ? false : new Figure("0");
}

const numeric = (s) => (s.types.includes("number") || s.types.includes("integer")) && !s.types.includes("string");

// What a text means as an amount or a date of this schema: {value} or {either}; null: nothing
// that is known. `was`: the value as it is shown; who edits 1.234 does not mean thousands.
export function meaning(text, s, notation = {}, was = "") {
  if (numeric(s)) {
    const known = /^-?\d{1,3}\.\d{3}$/.test(was) ? {} : notation;
    return /^-?\d+(\.\d+)?[eE][+-]?\d+$/.test(text.trim()) ? { value: text.trim() }
      : number(text, known, !s.types.includes("number"));
  }
  return s.format === "date" ? date(text, notation) : null;
}

const SIGNS = { "\u20ac": "EUR", "\u00a3": "GBP" };

// What the pattern of the schema allows of the typed text: itself, or without spaces, or in capitals.
function fitting(text, pattern) {
  const allowed = new RegExp(pattern, "u"), dense = text.replace(/\s+/g, "");
  return [text, SIGNS[dense], dense, text.toUpperCase(), dense.toUpperCase()].find((t) => t && allowed.test(t)) ?? text;
}

// Converts typed text to a value.
export function parse(text, s, notation, was) {
  const plain = text.trim();
  if (plain === "") return s.nullable || !s.types.includes("string") ? null : "";
  const value = meaning(plain, s, notation, was)?.value;
  if (value !== undefined) return numeric(s) ? new Figure(value) : value;
  if (!s.types.length && /^(true|false|null)$|^[-\d[{]/.test(plain)) {
    try { return JSON.parse(plain); } catch { /* a text */ }
  }
  try { return s.pattern ? fitting(text, s.pattern) : text; } catch { return text; } // no pattern of this language
}

// Converts printed text to what is typed: numbers without signs and separators, ISO dates.
export function fromPrint(text, s, notation) {
  const bare = numeric(s) ? text.replace(/[^\d.,'\- ]/g, "").replace(/^[.,]+|[.,]+$/g, "") : text;
  return meaning(text, s, notation)?.value ?? meaning(bare, s, notation)?.value ?? text;
}

// Asks which of two meanings is meant; "" if there is one.
export function unclear(text, s, notation, was) {
  const either = meaning(text, s, notation, was)?.either;
  if (!either) return "";
  const [one, other] = numeric(s) ? [either[0], `${either[1]}0`] : either;
  return `can mean two things: write ${one} or ${other}`;
}

// Tells what to enter if the schema refuses the typed value.
export function wish(s, wanted) {
  if (s.format === "date") return "enter a date like 13 April 2025 or 2025-04-13";
  if (numeric(s)) return s.types.includes("number") ? "enter a number like 12.50" : "enter a whole number like 3";
  if (/match/.test(wanted)) return s.description ? `this does not fit: ${s.description}` : "this does not have the form that is asked for";
  return `expected ${wanted}`;
}

export const shown = (value) => value === null || value === undefined ? ""
  : isGroup(value) ? write(value) : String(value);

// --- the form -------------------------------------------------------------

export class Form {
  // about(pointer): {level, why, who, unread: null means nothing}; act(name, pointer): changes rows
  // readOnly: to be read, under ids of its own
  constructor(host, { schema, data, about, act, notation, readOnly }) {
    Object.assign(this, { host, root: schema ?? {}, data, about, act, notation, readOnly });
    this.fields = new Map(); // by pointer, fields that are built
    this.lazy = new Map(); // by pointer of a row, functions that build it
    this.watch = new IntersectionObserver((seen) => {
      for (const one of seen) if (one.isIntersecting) this.build(one.target.dataset.row);
    }, { root: host.closest(".side"), rootMargin: AHEAD });
    host.replaceChildren(...this.members(this.root, data, ""));
  }

  close() { this.watch.disconnect(); }

  members(schema, value, pointer) {
    const s = resolve(this.root, schema);
    const keys = [...new Set([...Object.keys(s.properties ?? {}), ...Object.keys(value ?? {})])];
    if (!isGroup(value) || Array.isArray(value)) return [this.any(schema, value, pointer, "value")];
    return keys.filter((key) => key in value || key in (s.properties ?? {}))
      .map((key) => this.any(s.properties?.[key] ?? s.additionalProperties, value[key], `${pointer}/${escape(key)}`, key));
  }

  any(schema, value, pointer, name) {
    const s = resolve(this.root, schema), label = s.title ?? name.replaceAll("_", " ");
    if (Array.isArray(value)) return this.list(s, value, pointer, label);
    if (isGroup(value)) {
      return el("fieldset", { title: s.description }, el("legend", {}, label), ...this.members(schema, value, pointer));
    }
    return this.field(s, value, pointer, label);
  }

  list(s, value, pointer, label) {
    const add = this.readOnly ? "" : button("Add a row", () => this.act("append", `${pointer}/${value.length}`));
    return el("fieldset", { class: "list", title: s.description }, el("legend", {}, `${label} (${value.length})`),
      ...value.map((row, i) => this.row(s.items, row, `${pointer}/${i}`, i)), add);
  }

  // A row is built when it scrolls near, so that a form of 2,000 rows opens at once.
  row(schema, value, pointer, index) {
    const box = el("div", { class: "row", role: "group", "aria-label": `row ${index + 1}`, "data-row": pointer });
    this.lazy.set(pointer, () => {
      const buttons = this.readOnly ? [] : [["insert", "+", "Insert a row below (Alt+I)"], ["remove", "\u2212", "Remove this row (Alt+R)"],
        ["split", "\u2702", "Split this row at the caret (Alt+S)"]].map(([what, sign, title]) => {
        const label = { title, "aria-label": `${title}, row ${index + 1}`, tabindex: "-1" };
        return button(sign, () => this.act(what, pointer), label);
      });
      const inside = isGroup(value) && !Array.isArray(value) ? this.members(schema, value, pointer)
        : [this.any(schema, value, pointer, "value")];
      box.append(el("span", { class: "number", "aria-hidden": "true" }, String(index + 1)),
        el("div", { class: "cells" }, ...inside), el("span", { class: "acts" }, ...buttons));
      box.classList.add("built");
    });
    this.watch.observe(box);
    return box;
  }

  build(pointer) {
    this.lazy.get(pointer)?.();
    this.lazy.delete(pointer);
  }

  // Builds the rows that contain the value; returns its field, or undefined.
  find(pointer) {
    const tokens = pointer.split("/");
    for (let n = 2; n <= tokens.length; n++) this.build(tokens.slice(0, n).join("/"));
    return this.fields.get(pointer);
  }

  input(s, value) {
    if (!this.readOnly && (s.listed || (s.types.includes("boolean") && s.types.every((t) => t === "boolean" || t === "null")))) {
      const all = [...(s.listed ?? [true, false])].filter((v) => v !== null);
      const text = shown(value);
      const one = el("select", {}, el("option", { value: "" }, "\u2014"),
        ...all.map((v) => el("option", { value: shown(v) }, shown(v))));
      if (text && !all.some((v) => shown(v) === text)) one.append(el("option", { value: text }, text));
      one.value = text;
      return one;
    }
    const text = shown(value), long = text.length > LONG || text.includes("\n");
    const one = long ? el("textarea", { rows: String(Math.min(12, text.split("\n").length + Math.floor(text.length / LONG))) })
      : el("input", { type: "text", inputmode: numeric(s) ? "decimal" : undefined });
    one.value = text;
    one.spellcheck = false;
    return one;
  }

  field(s, value, pointer, label) {
    const input = this.input(s, value), id = `${this.readOnly ? "v" : "f"}${pointer}`;
    input.id = id;
    if (this.readOnly) input.readOnly = true;
    input.dataset.pointer = pointer;
    input.setAttribute("aria-describedby", `${id} note`.replace(" ", "-"));
    const note = el("p", { id: `${id}-note`, class: "note" });
    const box = el("div", { class: "field", title: s.description }, el("label", { for: id }, label), input, note);
    const field = { pointer, schema: s, value, input, note, box, label, typed: undefined };
    this.fields.set(pointer, field);
    this.mark(field);
    return box;
  }

  // Shows the state of the value.
  mark(field) {
    const { level, why, who, unread } = this.about(field.pointer);
    field.box.dataset.level = level;
    field.input.placeholder = field.value !== null ? "" : unread ? "not read" : "not on the page";
    if (!field.message) field.note.textContent = who ? `\u2713 ${who}` : why ?? "";
    field.input.toggleAttribute("aria-invalid", false);
  }

  // Shows a message at the field, or none; `wrong`: the value cannot be saved.
  say(field, text, wrong) {
    field.message = text;
    field.note.textContent = text;
    field.box.classList.toggle("wrong", Boolean(wrong));
    field.input.setAttribute("aria-invalid", wrong ? "true" : "false");
    if (!text) this.mark(field);
  }

  typed(field) {
    const text = field.input.value;
    if (text === shown(field.value)) return field.value ?? null;
    if (field.input.tagName === "SELECT") {
      const all = field.schema.listed ?? [true, false];
      return text === "" ? null : all.find((v) => shown(v) === text) ?? text;
    }
    return parse(text, field.schema, this.notation, shown(field.value));
  }

  // Why the typed text is not clear, or "".
  unclear(field) { return unclear(field.input.value, field.schema, this.notation, shown(field.value)); }

  // What was understood, if that is not what was typed.
  understood(field) {
    const text = shown(this.typed(field));
    return text === field.input.value.trim() ? "" : `understood as ${text}`;
  }

  isEdited(field) { return field.input.value !== shown(field.value); }

  put(field, value) {
    field.value = value;
    field.input.value = shown(value);
    this.say(field, "");
  }
}
