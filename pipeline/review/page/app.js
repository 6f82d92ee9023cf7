// app.js - the page of platen serve and platen review: its tabs, of which the address names
// one: #add, #monitor, #view/ID, #review/ID.

import { startAdd } from "./add.js";
import { setRole } from "./failed.js";
import { closeMonitor, openMonitor, startMonitor } from "./monitor.js";
import { expectReturn, sleep, v1 } from "./net.js";
import { openReview } from "./review.js";
import { $, showError } from "./ui.js";
import { closeView, openView, startView } from "./view.js";

const AGAIN_MS = 2000;
let tabs, first;

const open = { add: () => {}, monitor: openMonitor, view: openView, review: openReview };
const close = { add: () => {}, monitor: closeMonitor, view: closeView, review: () => {} };

function show() {
  const [wanted, ...rest] = decodeURIComponent(location.hash.slice(1)).split("/");
  const tab = tabs.includes(wanted) ? wanted : first;
  for (const one of Object.keys(open)) {
    if (one !== tab && !$(one).hidden) close[one]();
    $(one).hidden = one !== tab;
  }
  $("review-bar").hidden = tab !== "review";
  for (const link of $("tabs").children) {
    const name = link.hash.slice(1);
    link.hidden = !tabs.includes(name);
    const here = name === (tab === "view" ? "monitor" : tab);
    if (here) document.title = `${link.textContent} - platen`;
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (tab !== wanted) rest.length = 0;
  Promise.resolve(open[tab](...rest)).catch(showError);
}

// Who asks; a server that is being started is waited for.
async function whoAmI() {
  for (;;) {
    try { return await Promise.all([v1("me"), v1("schemas")]); }
    catch (refusal) {
      showError(refusal);
      if (refusal.status > 0 && refusal.status < 500) throw refusal;
      await sleep(AGAIN_MS);
    }
  }
}

async function start() {
  const [user, { schemas, default: usual }] = await whoAmI();
  tabs = user.role === "upload" ? ["add", "monitor"] : ["add", "monitor", "view", "review"];
  first = user.tab === "review" && user.role !== "upload" ? "review" : "monitor";
  if (user.tab !== "review") expectReturn();
  startAdd({ schemas, usual, show: () => { location.hash = "#add"; } });
  setRole(user);
  startMonitor({ schemas });
  startView();
  addEventListener("hashchange", show);
  show();
}

start().catch(showError);
