// failed.js - what a person may do about a document that failed: the same in Monitor and Review.

import { v1 } from "./net.js";
import { button, el } from "./ui.js";

const TURNS = [[90, "Rotate right"], [180, "Rotate by 180\u00b0"], [270, "Rotate left"]];

let role = "upload";
export const setRole = (user) => { role = user.role; };
export const mayReview = () => role !== "upload";
export const mayAdmin = () => role === "admin";

export const change = (id, path, body = {}) => v1(`documents/${id}/${path}`, "POST", body);

// The parts of a form. done(path, body, said) does what was chosen; more: further buttons.
export function failedActs(doc, done, more) {
  const known = doc.schemas ?? [], mine = known.includes(doc.schema_name) ? doc.schema_name : "";
  const as = el("select", {}, ...["", ...known].map((name) => el("option", { value: name }, name || "choose")));
  const told = () => as.value === mine ? {} : { schema: as.value };
  const again = (body, said) => done("retry", { ...told(), ...body }, said);
  const tries = [button("Try again", () => again({}, `will be read again${as.value === mine ? "" : ` as ${as.value}`}`), { "data-act": "retry" }),
    ...TURNS.map(([rotate, text]) => button(text, () => again({ rotate }, "will be rotated and read again"), { class: "turn" }))];
  as.value = mine || (doc.meant ?? "");
  as.onchange = () => { for (const one of tries) one.disabled = !as.value; };
  as.onchange();
  return [el("p", { class: "row-of" }, el("label", {}, "Kind of document ", as), tries[0]),
    el("p", { class: "row-of" }, ...more, button("Dismiss", () => done("dismiss", {}, "dismissed; it stays in failed/"),
      { "data-act": "dismiss", title: "Keep it, but do not list it as failed" })),
    el("p", { class: "row-of" }, ...tries.slice(1)),
    ...(doc.reason?.code === "encrypted" && mayAdmin() ? [passwordForm(done)] : [])];
}

// It is sent once, and kept nowhere.
function passwordForm(done) {
  const input = el("input", { type: "password", autocomplete: "off", maxlength: "127", required: true });
  const form = el("form", { class: "row-of password" }, el("label", {}, "Password ", input), el("button", {}, "Open and try again"));
  form.onsubmit = (e) => {
    e.preventDefault();
    const password = input.value;
    input.value = "";
    if (password) done("unlock", { password }, "was opened, and will be read again");
  };
  return form;
}
