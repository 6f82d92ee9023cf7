// paper.js - the page next to the record: drawn as wide as it is shown, with the
// boxes of its values. A click inserts a word, dragging marks a box.

import { picture, wordsOf } from "./net.js";

const $ = (id) => document.getElementById(id);
const ZOOM_STEP = 1.4, ZOOM_MOST = 6, DRAG_LEAST = 6, WIDTH_STEP = 200;

export class Paper {
  constructor({ onWord, onBox }) {
    this.zoom = 1;
    this.pages = [1];
    this.marks = [];
    this.onWord = onWord;
    this.onBox = onBox;
    $("page-back").onclick = () => this.turn(-1);
    $("page-on").onclick = () => this.turn(1);
    $("smaller").onclick = () => this.scale(1 / ZOOM_STEP);
    $("larger").onclick = () => this.scale(ZOOM_STEP);
    $("boxes").onpointerdown = (e) => this.press(e);
    new ResizeObserver(() => this.id && this.draw()).observe($("scroll"));
  }

  // pages: their numbers in the file; marks: [{pointer, page, box, level}]; told: why a page
  // cannot be shown is said elsewhere
  open(id, pages, marks, told) {
    this.told = told;
    this.id = id;
    this.pages = pages.length ? pages : [1];
    this.marks = marks;
    this.active = null;
    this.zoom = 1;
    this.shown = null;
    this.page = this.pages[0];
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

  scale(by) {
    this.zoom = Math.min(ZOOM_MOST, Math.max(1, this.zoom * by));
    this.draw();
  }

  width() {
    const shown = ($("scroll").clientWidth - 2) * this.zoom;
    const dots = Math.ceil(shown * devicePixelRatio / WIDTH_STEP) * WIDTH_STEP;
    return { shown, dots: Math.min(4000, Math.max(800, dots)) };
  }

  async draw() {
    const { shown, dots } = this.width(), { id, page } = this;
    $("sheet").style.width = `${shown}px`;
    $("page-number").textContent = `page ${page} of ${this.pages.length}`;
    const key = `${id}/${page}/${dots}`;
    if (this.shown !== key) {
      this.shown = key;
      if (this.at !== `${id}/${page}`) $("picture").removeAttribute("src");
      $("sheet").hidden = $("tools").hidden = false;
      try {
        const url = await picture(id, page, dots);
        if (this.shown !== key) return;
        $("picture").src = url;
        await $("picture").decode();
        this.at = `${id}/${page}`;
        $("sheet").hidden = $("tools").hidden = false;
        $("paper-note").textContent = "";
      } catch (refusal) {
        if (this.shown !== key) return;
        const none = refusal.status === 404; // a document without pages
        $("sheet").hidden = true;
        $("tools").hidden = none;
        $("paper-note").textContent = (none ? "No picture" : "This page cannot be shown") + (this.told ? "" : `: ${refusal.message}`);
      }
    }
    this.drawBoxes();
    this.scrollToBox();
    this.onDrawn?.();
  }

  drawBoxes() {
    const marks = this.marks.filter((m) => m.page === this.page && m.box && m.level !== "sure" && m.pointer !== this.active);
    const here = this.place?.box && this.place.page === this.page;
    if (here) marks.push({ box: this.place.box, level: "active" });
    $("boxes").replaceChildren(...marks.map((m) => this.boxOf(m)));
  }

  boxOf({ box, level }) {
    const [x, y, w, h] = box.map(Number), one = document.createElement("div");
    one.className = `box ${level}`;
    Object.assign(one.style, { left: `${x * 100}%`, top: `${y * 100}%`, width: `${w * 100}%`, height: `${h * 100}%` });
    return one;
  }

  // Scrolls the highlighted box to the middle if it is out of view.
  scrollToBox() {
    const box = $("boxes").querySelector(".active"), view = $("scroll").getBoundingClientRect();
    if (!box) return;
    const at = box.getBoundingClientRect(), edge = 40;
    if (at.top > view.top + edge && at.bottom < view.bottom - edge && at.left > view.left && at.right < view.right) return;
    $("scroll").scrollBy({
      top: at.top + at.height / 2 - view.top - view.height / 2,
      left: at.left + at.width / 2 - view.left - view.width / 2,
    });
  }

  // Draws the place of the value, enlarged, at the image's own resolution.
  crop(canvas) {
    const image = $("picture"), place = this.place;
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

  // The position of a pointer event, in 0..1 of the page.
  at01(e) {
    const sheet = $("boxes").getBoundingClientRect(), cut = (n) => Math.min(1, Math.max(0, n));
    return [cut((e.clientX - sheet.left) / sheet.width), cut((e.clientY - sheet.top) / sheet.height)];
  }

  press(down) {
    if (down.button !== 0) return;
    down.preventDefault(); // keep the focus
    const layer = $("boxes"), [x0, y0] = this.at01(down);
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
    const page = this.page, note = $("paper-note");
    note.textContent = "reading the words of this page";
    try {
      const all = await wordsOf(this.id, page), slack = 0.002;
      const hit = all.find(({ box: [bx, by, bw, bh] }) =>
        x >= bx - slack && x <= +bx + +bw + slack && y >= by - slack && y <= +by + +bh + slack);
      note.textContent = hit ? "" : "no known word here";
      if (hit) this.onWord({ text: hit.text, page, box: hit.box.map(Number), add });
    } catch (refusal) {
      note.textContent = `The words of this page are not available: ${refusal.message}`;
    }
  }
}
