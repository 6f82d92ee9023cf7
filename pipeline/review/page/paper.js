// paper.js - a page next to its record: drawn as wide as it is shown, with the boxes of
// the record's values. For review, a click inserts a word and dragging marks a box; for
// reading, its words can be selected and its boxes lead to their values.

import { picture, wordsOf } from "./net.js";
import { el } from "./ui.js";

const ZOOM_STEP = 1.4, ZOOM_MOST = 6, DRAG_LEAST = 6, WIDTH_STEP = 200, SLACK = 0.002;
const PARTS = ["page-back", "page-on", "page-at", "page-count", "smaller", "larger", "rotate", "tools", "scroll", "frame", "sheet",
  "picture", "words", "boxes", "paper-note"];

const inside = ([bx, by, bw, bh], x, y) =>
  x >= bx - SLACK && x <= +bx + +bw + SLACK && y >= by - SLACK && y <= +by + +bh + SLACK;

export class Paper {
  // host: the section of index.html, its parts found by class; onWord, onBox: for review;
  // onMark(pointer, goes): for reading, a box is pointed at, or (null) no longer, or clicked
  constructor(host, { onWord, onBox, onMark }) {
    this.part = Object.fromEntries(PARTS.map((name) => [name, host.querySelector(`.${name}`)]));
    Object.assign(this, { zoom: 1, turned: 0, pages: [1], marks: [], onWord, onBox, onMark });
    const { part } = this;
    part["page-back"].onclick = () => this.turn(-1);
    part["page-on"].onclick = () => this.turn(1);
    part["page-at"].onchange = () => this.goTo(Number(part["page-at"].value));
    part.smaller.onclick = () => this.scale(1 / ZOOM_STEP);
    part.larger.onclick = () => this.scale(ZOOM_STEP);
    part.rotate.onclick = () => this.rotate();
    if (onMark) this.listenToMarks();
    else part.boxes.onpointerdown = (e) => this.press(e);
    new ResizeObserver(() => this.id && part.scroll.clientWidth && this.draw()).observe(part.scroll);
  }

  // pages: their numbers in the file; marks: [{pointer, page, box, level, label}]; told: why
  // a page cannot be shown is said elsewhere
  open({ id, turns = 0 }, pages, marks, told) {
    this.told = told;
    this.id = id;
    this.pages = pages.length ? pages : [1];
    this.marks = marks;
    this.active = this.place = null;
    this.zoom = 1;
    this.turned = +turns; // as a person said of the whole document
    this.shown = this.worded = null;
    this.page = this.pages[0];
    delete this.part.boxes.dataset.of;
  }

  close() {
    this.id = this.shown = this.at = null;
    this.part.picture.removeAttribute("src");
    this.part.words.replaceChildren();
    this.part.boxes.replaceChildren();
    delete this.part.boxes.dataset.of;
  }

  setMarks(marks) {
    this.marks = marks;
    this.drawBoxes();
  }

  // Shows the page of the value, with its box highlighted and scrolled into view.
  show(pointer, place) {
    this.active = pointer;
    if (place?.page && this.pages.includes(place.page)) this.page = place.page;
    this.place = place;
    return this.draw();
  }

  turn(step) {
    const at = this.pages.indexOf(this.page) + step;
    if (at < 0 || at >= this.pages.length) return;
    this.page = this.pages[at];
    this.draw();
  }

  goTo(page) {
    if (this.pages.includes(page)) this.page = page;
    this.draw();
  }

  scale(by) {
    this.zoom = Math.min(ZOOM_MOST, Math.max(1, this.zoom * by));
    this.draw();
  }

  rotate() {
    this.turned = (this.turned + 1) % 4;
    this.draw();
  }

  width() {
    const shown = (this.part.scroll.clientWidth - 2) * this.zoom;
    const dots = Math.ceil(shown * devicePixelRatio / WIDTH_STEP) * WIDTH_STEP;
    return { shown, dots: Math.min(4000, Math.max(800, dots)) };
  }

  async draw() {
    const { dots } = this.width(), { id, page, part } = this;
    this.layOut();
    part["page-at"].value = page;
    part["page-count"].textContent = this.pages.length;
    const key = `${id}/${page}/${dots}`;
    if (this.shown !== key) {
      this.shown = key;
      if (this.at !== `${id}/${page}`) { part.picture.removeAttribute("src"); part.words.replaceChildren(); }
      part.sheet.hidden = part.tools.hidden = false;
      try {
        const url = await picture(id, page, dots);
        if (this.shown !== key) return;
        part.picture.src = url;
        await part.picture.decode();
        this.at = `${id}/${page}`;
        part.sheet.hidden = part.tools.hidden = false;
        part["paper-note"].textContent = "";
        this.layOut();
        if (this.onMark) this.drawWords();
      } catch (refusal) {
        if (this.shown !== key) return;
        const none = refusal.status === 404; // a document without pages
        part.sheet.hidden = true;
        part.tools.hidden = none;
        part["paper-note"].textContent = (none ? "No picture" : "This page cannot be shown") + (this.told ? "" : `: ${refusal.message}`);
      }
    }
    this.drawBoxes();
    this.scrollToBox();
    this.onDrawn?.();
  }

  // The sheet as wide as is shown; turned, it lies in a frame of its height.
  layOut() {
    const { shown } = this.width(), { part, turned } = this, image = part.picture;
    const ratio = image.naturalWidth && image.getAttribute("src") ? image.naturalHeight / image.naturalWidth : 1.4;
    const lying = turned % 2 === 1, width = lying ? shown / ratio : shown, height = width * ratio;
    part.frame.style.width = `${shown}px`;
    part.frame.style.height = turned ? `${lying ? width : height}px` : "";
    part.sheet.style.width = `${width}px`;
    part.sheet.style.transform = ["", `translateX(${height}px) rotate(90deg)`,
      `translate(${width}px, ${height}px) rotate(180deg)`, `translateY(${width}px) rotate(270deg)`][turned];
  }

  drawBoxes() {
    const marks = this.marks.filter((m) => m.page === this.page && m.box);
    if (this.onMark) { this.drawMarks(marks); return; }
    const drawn = marks.filter((m) => m.level !== "sure" && m.pointer !== this.active);
    if (this.place?.box && this.place.page === this.page) drawn.push({ box: this.place.box, level: "active" });
    this.part.boxes.replaceChildren(...drawn.map((m) => this.boxOf(m)));
  }

  boxOf({ box, level }, name = "div") {
    const [x, y, w, h] = box.map(Number), one = document.createElement(name);
    one.className = `box ${level}`;
    Object.assign(one.style, { left: `${x * 100}%`, top: `${y * 100}%`, width: `${w * 100}%`, height: `${h * 100}%` });
    return one;
  }

  // Scrolls the highlighted box to the middle if it is out of view.
  scrollToBox() {
    const { boxes, scroll } = this.part;
    const box = boxes.querySelector(".active"), view = scroll.getBoundingClientRect();
    if (!box) return;
    const at = box.getBoundingClientRect(), edge = 40;
    if (at.top > view.top + edge && at.bottom < view.bottom - edge && at.left > view.left && at.right < view.right) return;
    scroll.scrollBy({
      top: at.top + at.height / 2 - view.top - view.height / 2,
      left: at.left + at.width / 2 - view.left - view.width / 2,
    });
  }

  // Draws the place of the value, enlarged, at the image's own resolution.
  crop(canvas) {
    const image = this.part.picture, place = this.place;
    canvas.hidden = true;
    if (!place?.box || place.page !== this.page || !image.naturalWidth || this.at !== `${this.id}/${this.page}`) return;
    const [x, y, w, h] = place.box.map(Number), pad = Math.max(h * 0.8, 0.006);
    const ratio = image.naturalWidth / image.naturalHeight;
    const left = Math.max(0, x - pad / ratio * 2), top = Math.max(0, y - pad);
    const right = Math.min(1, x + w + pad / ratio * 2), bottom = Math.min(1, y + h + pad);
    const from = [left * image.naturalWidth, top * image.naturalHeight,
      (right - left) * image.naturalWidth, (bottom - top) * image.naturalHeight];
    const by = Math.min(3, 1000 / from[2]);
    canvas.width = Math.max(1, from[2] * by);
    canvas.height = Math.max(1, from[3] * by);
    canvas.getContext("2d").drawImage(image, ...from, 0, 0, canvas.width, canvas.height);
    canvas.hidden = false;
  }

  // The position of a pointer event, in 0..1 of the page as it was scanned.
  at01(e) {
    const sheet = this.part.boxes.getBoundingClientRect(), cut = (n) => Math.min(1, Math.max(0, n));
    const [u, v] = [cut((e.clientX - sheet.left) / sheet.width), cut((e.clientY - sheet.top) / sheet.height)];
    return [[u, v], [v, 1 - u], [1 - u, 1 - v], [1 - v, u]][this.turned];
  }

  // --- for review ---

  press(down) {
    if (down.button !== 0) return;
    down.preventDefault(); // keep the focus
    const layer = this.part.boxes, [x0, y0] = this.at01(down);
    const frame = document.createElement("div");
    frame.className = "box drag";
    const boxTo = (e) => {
      const [x1, y1] = this.at01(e);
      return [Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0)].map((n) => +n.toFixed(5));
    };
    layer.setPointerCapture(down.pointerId);
    layer.onpointermove = (e) => {
      if (Math.hypot(e.clientX - down.clientX, e.clientY - down.clientY) < DRAG_LEAST) return;
      const [x, y, w, h] = boxTo(e);
      Object.assign(frame.style, { left: `${x * 100}%`, top: `${y * 100}%`, width: `${w * 100}%`, height: `${h * 100}%` });
      layer.append(frame);
    };
    layer.onpointerup = layer.onpointercancel = (e) => {
      layer.onpointermove = layer.onpointerup = layer.onpointercancel = null;
      const dragged = frame.isConnected;
      frame.remove();
      if (e.type === "pointercancel") return;
      if (dragged) this.onBox({ page: this.page, box: boxTo(e) });
      else this.insertWord(x0, y0, e.shiftKey);
    };
  }

  async insertWord(x, y, add) {
    const page = this.page, note = this.part["paper-note"];
    note.textContent = "reading the words of this page";
    try {
      const all = await wordsOf(this.id, page);
      const hit = all.find(({ box }) => inside(box, x, y));
      note.textContent = hit ? "" : "no known word here";
      if (hit) this.onWord({ text: hit.text, page, box: hit.box.map(Number), add });
    } catch (refusal) {
      note.textContent = `The words of this page are not available: ${refusal.message}`;
    }
  }

  // --- for reading ---

  // Boxes as buttons: one of them is in the order of Tab, arrows go to the others. The words
  // lie above them, so the pointer's place tells which box it is at.
  drawMarks(marks) {
    const { boxes } = this.part, key = `${this.id}/${this.page}`;
    if (boxes.dataset.of !== key) {
      boxes.dataset.of = key;
      marks.sort((a, b) => a.box[1] - b.box[1] || a.box[0] - b.box[0]);
      boxes.replaceChildren(...marks.map((m) => {
        const one = this.boxOf(m, "button");
        Object.assign(one, { type: "button", tabIndex: -1 });
        one.dataset.mark = m.pointer;
        one.setAttribute("aria-label", m.label);
        return one;
      }));
      if (boxes.firstChild) boxes.firstChild.tabIndex = 0;
    }
    for (const one of boxes.children) one.classList.toggle("active", one.dataset.mark === this.active);
  }

  listenToMarks() {
    const { sheet, boxes } = this.part;
    let over = null;
    const markAt = (e) => {
      const [x, y] = this.at01(e), size = (m) => m.box[2] * m.box[3];
      return this.marks.filter((m) => m.page === this.page && m.box && inside(m.box, x, y))
        .reduce((best, m) => !best || size(m) < size(best) ? m : best, null);
    };
    sheet.onpointermove = (e) => {
      const mark = markAt(e)?.pointer ?? null;
      if (mark === over) return;
      over = mark;
      this.onMark(mark, false);
    };
    sheet.onpointerleave = () => { if (over !== null) this.onMark(over = null, false); };
    sheet.onclick = (e) => {
      const mark = e.detail && String(getSelection()) === "" && markAt(e);
      if (mark) this.onMark(mark.pointer, true);
    };
    boxes.onkeydown = (e) => {
      const all = [...boxes.children], at = all.indexOf(e.target);
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[e.key];
      if (e.key === "Enter" || e.key === " ") this.onMark(e.target.dataset.mark, true);
      else if (!step) return;
      else if (all[at + step]) {
        e.target.tabIndex = -1;
        all[at + step].tabIndex = 0;
        all[at + step].focus();
      }
      e.preventDefault();
    };
    boxes.addEventListener("focusin", (e) => {
      if (e.target.dataset.mark !== this.active) this.onMark(e.target.dataset.mark, false);
    });
  }

  // The words of the page, transparent above the picture, so that they can be selected,
  // searched and read aloud. They keep their place at any zoom.
  async drawWords() {
    const key = `${this.id}/${this.page}`, { words, picture: image } = this.part;
    if (this.worded === key && words.childElementCount) return;
    this.worded = key;
    let all = [];
    try { all = await wordsOf(this.id, this.page); } catch { return; } // the picture is enough
    if (this.worded !== key || this.at !== key) return;
    const pen = document.createElement("canvas").getContext("2d"), ratio = image.naturalWidth / image.naturalHeight;
    pen.font = "100px sans-serif";
    let last = null;
    words.replaceChildren(...all.flatMap(({ text, box }) => {
      const [x, y, w, h] = box.map(Number), one = el("span", {}, `${text} `);
      const wide = pen.measureText(text).width / 100 * h / ratio;
      Object.assign(one.style, { left: `${x * 100}%`, top: `${y * 100}%`, fontSize: `${h * 100}cqh`,
        transform: `scaleX(${wide > 0 ? w / wide : 1})` });
      const line = last && (y > last[1] + last[3] / 2 || x < last[0]);
      last = [x, y, w, h];
      return line ? [el("br"), one] : [one];
    }));
  }
}
