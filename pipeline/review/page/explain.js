// explain.js - in words for a clerk: why a value is doubtful, what a record remarks, why a
// document failed.

import { mayAdmin } from "./failed.js";

const WORDS = {
  "low-confidence": "not certain", "check-failed": "does not add up", "pages-differ": "pages differ",
  differ: "OCR reads it differently", unread: "the page could not be read", gaps: "rows may be missing",
  review: "needs review", "value-dropped": "a guess was dropped", "value-misfit": "not of the form that is asked for",
  "no-evidence": "a guess", "default-used": "on no page: the default",
  "evidence-unknown": "not known where it is printed", "e-invoice-differs": "the e-invoice in the file differs",
  "e-invoice-unfit": "the e-invoice has another value", "e-invoice-incomplete": "the e-invoice lacks a value",
  duplicate: "perhaps a duplicate", "differs-from-earlier": "not as before",
  "from-example": "perhaps copied from an example",
};
// Why a value is not certain: the record's `doubt`, or its verdict.
const DOUBTS = {
  "date-order": "day and month may be exchanged", sign: "plus and minus may be exchanged",
  scale: "a comma or point may be one of thousands", partial: "more is printed there", label: "printed under another label",
  "check-digits": "its check digits are wrong", place: "the print may belong to another value",
  overlooked: "empty, but something is printed there", unseen: "not found on the page", differ: "OCR reads it differently",
};
const RATED = new Set(["low-confidence", "differ", "unread"]); // by its confidence
const TOLD = new Set(["check-failed", "pages-differ", "value-dropped", "value-misfit",
  "e-invoice-differs", "e-invoice-unfit", "e-invoice-incomplete", "duplicate", "differs-from-earlier"]); // the warning has the other value, or the sum

// The reason of a doubt: what the record knows of the value, else of its kind.
function explainDoubt(record, doubt, field) {
  const told = record.warnings?.find((w) => w.pointer === doubt.pointer && w.code === doubt.why)?.text ?? "";
  const own = told.slice(told.indexOf(": ") + 1).replace(/, (and|but) the schema .*/, "").trim();
  const why = WORDS[doubt.why] ?? "needs review", known = DOUBTS[field?.doubt] ?? DOUBTS[field?.verdict];
  if (!RATED.has(doubt.why)) return [why, known, TOLD.has(doubt.why) && own].filter(Boolean).join(": ");
  return `${known ?? why} (${Math.round(doubt.weight * 100)} % sure)`;
}

const level = (doubt) => !doubt ? "sure" : doubt.why === "differ" ? "wrong" : "doubt"; // as platen show

// The state of a value, with its doubt and what a person said of it, if there are any.
export function explainValue({ record }, doubt, said, pointer) {
  const field = record?.fields?.[pointer];
  if (field?.source === "person" || said) return { level: "person", who: said?.who ?? "a person" };
  return { level: level(doubt), unread: record?.verdict === "unread", why: doubt && explainDoubt(record, doubt, field) };
}

// What a record remarks of the whole document, and the rows that it lacks.
export function remarks(record) {
  const rows = (record.warnings ?? []).filter((w) => w.pointer === undefined).map((w) => w.text);
  for (const gap of record.gaps ?? []) {
    const rowsRead = gap.rows === undefined ? "" : `, ${gap.rows} rows read`;
    rows.push(gap.unchecked
      ? `page ${gap.page}, not checked for missing rows: ${gap.lines} lines of print${rowsRead}`
      : `page ${gap.page}, row not read: ${gap.text}`);
  }
  return rows;
}

// Why it failed and what to do: on this page, where text and remedy are ones for a terminal.
export function explainFailure(doc) {
  const code = doc.reason?.code;
  const where = [doc.reason?.page && `page ${doc.reason.page}`, doc.reason?.text].filter(Boolean).join(": ");
  if (code === "unknown-schema" || code === "no-schema")
    return [doc.schema_name && `No kind of document is called "${doc.schema_name}" here.`,
      "Choose what kind of document it is, and try again."].filter(Boolean);
  if (code !== "encrypted") return [where, doc.remedy].filter(Boolean);
  return [mayAdmin() ? "Enter its password: it is used once, and kept nowhere."
    : "An administrator can enter its password here.",
  "Or save the document without its password (qpdf --decrypt) and add it once more."];
}
