// live_stage.js - the view of the running lanes: a layer for each lane, redrawn for each picture, and mouse
// springs.
import * as THREE from "three";
import { Balls, Lines } from "../arrows.js";
import { sizeOf } from "../extent.js";
import { onTop } from "../marks.js";
import { colour, isDark, onTheme, themed } from "../palette.js";
import { hasWebGL, View } from "../scene3d.js";
import { el } from "../text.js";
import { cameraKey, nameCells } from "../viewing.js";
import { Extras } from "./extras.js";

const a = new THREE.Vector3(),
  b = new THREE.Vector3();
const margin = 0.15, // margin, relative to the extent, when the bodies outgrow the frame
  largest = 4; // times the first size: beyond this the camera stays
const usual = ["joints", "contacts", "impulses", "differences"], // initial marks
  maxMarkedBodies = 300; // bodies: with more, marks hide the scene
const followRate = 0.06; // fraction of its displacement by which the camera moves at each picture
const peakDecay = 0.99; // decay of the longest arrow at each picture

// Returns the corners of the box around all centres of mass.
function span(poses) {
  const low = [Infinity, Infinity, Infinity],
    high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < poses.length; i += 7)
    for (let k = 0; k < 3; k++) {
      if (poses[i + k] < low[k]) low[k] = poses[i + k];
      if (poses[i + k] > high[k]) high[k] = poses[i + k];
    }
  return { low, high };
}

// True if most bodies of MODEL differ from those of FORMER; a few additions or removals do not count.
function isOther(former, model) {
  const known = new Map(former.bodies.map((body) => [body.name, JSON.stringify(body)])),
    kept = model.bodies.filter((body) => known.get(body.name) === JSON.stringify(body)).length;
  return kept < 0.5 * Math.min(model.bodies.length, former.bodies.length);
}

// True if a joint or a force connects a moving body with the ground.
function isAnchored({ bodies, joints, forces }) {
  const fixed = (i) => bodies[i]?.kind === "fixed";
  return [...joints, ...forces].some(({ a: one, b: other }) => fixed(one) !== fixed(other));
}

export class LiveStage {
  constructor(state) {
    Object.assign(this, {
      state,
      view: null,
      followed: -1,
      hidden: new Set(),
      shown: new Set(usual),
      arrows: 1,
      extras: [],
      grips: [],
      script: { ms: 0, frames: 0, most: 0 },
      touched: false,
    });
    this.hasGraphics = hasWebGL();
    this.canvas = el("canvas", {
      tabindex: "0",
      role: "img",
      "aria-label":
        "the mechanism; keys: arrows rotate, plus and minus zoom, space plays and pauses, " +
        "full stop makes one step, r resets",
      keydown: (event) => this.key(event),
    });
    this.labels = el("div", { class: "labels", "aria-hidden": "true" });
    this.hover = el("div", { class: "hover", "aria-hidden": "true" });
    this.notice = el("p", { class: "notice", role: "alert", hidden: true });
    const none = el(
      "p",
      { class: "missing" },
      "The motion cannot be drawn: this browser has no WebGL. The rest of the page works.",
    );
    this.element = el(
      "div",
      { class: "frame" },
      this.hasGraphics ? [this.canvas, this.labels, this.hover] : none,
      this.notice,
    );
    state.on("hello", () => (this.due = true));
    state.on("model", ({ lane, model }) => {
      this.due = true;
      if (lane === state.first.number && this.knownScene !== state.hello.scene) this.startScene(model);
      this.requestDraw();
    });
    state.on("status", () => this.checkLanes());
    state.on("picture", () => this.requestDraw());
    onTheme(() => this.paint());
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  // A new scene.
  startScene(model) {
    this.knownScene = this.state.hello.scene;
    if (model.moving > maxMarkedBodies) for (const name of usual.slice(0, 3)) this.shown.delete(name);
  }

  // Lanes may have been added, dropped or changed: then the view gets new layers.
  checkLanes() {
    const lanes = this.state.all.map(({ number }) => number).join();
    if (lanes !== this.drawn) this.due = true;
    this.label();
    this.requestDraw();
  }

  requestDraw() {
    if (!this.hasGraphics || this.state.lanes.size === 0) return;
    if (!this.view) this.open();
    this.view.requestDraw();
  }

  open() {
    const { model, low, high } = this.state.first;
    this.size = this.whole = sizeOf(model, low, high);
    this.view = new View(this.canvas, model, [], this.size);
    this.view.before = () => this.fill();
    this.hands = { lines: new Lines(new THREE.LineBasicMaterial({ color: "#e0326f" })), balls: null };
    this.hands.balls = new Balls(new THREE.MeshBasicMaterial({ color: "#e0326f" }));
    onTop([this.hands.lines, this.hands.balls]);
    this.view.scene.add(this.hands.lines.group, this.hands.balls.group);
    this.view.camera.controls.addEventListener("start", () => (this.touched = true));
    this.due = true;
    this.resize();
  }

  rebuildLayers() {
    const lanes = this.state.all,
      { model, low, high } = lanes[0];
    this.due = false;
    this.drawn = lanes.map(({ number }) => number).join();
    if (!this.model || isOther(this.model, model)) {
      this.core = model.bodies.filter(({ kind }) => kind !== "fixed").length;
      if (!this.touched) this.size = this.whole = sizeOf(model, low, high);
    }
    Object.assign(this, { model, anchored: isAnchored(model) });
    this.view.setLayers(model, lanes, this.size);
    this.extras = this.view.layers.map((layer) => new Extras(layer, this.size));
    this.view.layers.forEach((layer, i) => layer.group.add(this.extras[i].group));
    if (this.followed >= this.view.layers[0].slots.length) this.followed = -1;
    if (!this.touched) this.look(this.view.camera.way);
    this.paint();
    this.label();
  }

  paint() {
    if (!this.view) return;
    const inks = this.state.all.map(({ number }) => colour(number - 1));
    this.view.paint(inks, themed("--canvas"), isDark());
    this.extras.forEach((extra, i) => extra.paint(inks[i]));
  }

  resize() {
    if (!this.view) return;
    this.view.resize(this.element.clientWidth, this.element.clientHeight);
    this.label();
  }

  label() {
    if (!this.view) return;
    nameCells(
      this.labels,
      this.view,
      this.state.all.map(({ number }) => this.state.title(number)),
    );
  }

  // Called before a drawing: use the newest picture of each lane.
  fill() {
    const before = performance.now();
    if (this.state.lanes.size === 0) return;
    if (this.due) this.rebuildLayers();
    const lanes = this.state.all,
      overlaid = !this.view.sideBySide;
    const pictures = lanes.map(({ number, picture }) => (this.hidden.has(number) ? null : picture));
    this.view.layers.forEach((layer, i) => (layer.faint = overlaid && pictures.slice(0, i).some(Boolean)));
    this.measure(pictures);
    this.view.place(pictures, this.shown, this.followed);
    this.extras.forEach((extra, i) => {
      const comparable = i > 0 && lanes[i].apart && pictures[i];
      if (pictures[i]) extra.update(this.shown, pictures[i], comparable ? lanes[0].picture : null);
    });
    this.drawHands();
    this.keepInView(lanes[0]);
    this.recordTime(before);
  }

  // Measure the time of script for one drawing, including its draw calls.
  recordTime(before) {
    queueMicrotask(() => {
      const ms = performance.now() - before;
      this.script.ms += ms;
      this.script.most = Math.max(this.script.most, ms);
      this.script.frames++;
    });
  }

  // Scale arrows so that the recent maximum has a third of the radius of the scene.
  measure(pictures) {
    const peak = (this.peak ??= { force: 0, impulse: 0 });
    const most = (array, size, from) => {
      let square = 0;
      for (let i = from; array && i + 2 < array.length; i += size)
        square = Math.max(square, array[i] ** 2 + array[i + 1] ** 2 + array[i + 2] ** 2);
      return Math.sqrt(square);
    };
    const now = { force: 0, impulse: 0 };
    for (const picture of pictures.filter(Boolean)) {
      now.force = Math.max(now.force, most(picture.forces, 3, 0));
      now.impulse = Math.max(now.impulse, most(picture.contacts, picture.width, 6));
    }
    for (const kind of ["force", "impulse"]) peak[kind] = Math.max(peakDecay * peak[kind], now[kind]);
    const length = (value) => (value > 0 ? (this.arrows * this.size.radius) / 3 / value : 0);
    this.view.setArrows(length(peak.force), length(peak.impulse));
  }

  // Until the user moves the camera, keep the original bodies in view: follow a mechanism that is not
  // connected to the ground, and zoom out if it outgrows the frame.
  keepInView({ picture }) {
    if (this.touched || this.followed >= 0 || !picture) return;
    if (!this.anchored) this.shift(picture);
    const seen = span(picture.poses.subarray(0, 7 * this.core)),
      { low, high } = this.size;
    const room = margin * Math.hypot(...seen.low.map((x, k) => seen.high[k] - x));
    const below = low.map((x, k) => (seen.low[k] < x ? seen.low[k] - room : x)),
      above = high.map((x, k) => (seen.high[k] > x ? seen.high[k] + room : x));
    if (below.every((x, k) => x === low[k]) && above.every((x, k) => x === high[k])) return;
    const size = sizeOf(this.model, below, above);
    if (!(size.radius < largest * this.whole.radius)) return;
    this.size = { ...size, dot: this.size.dot };
    this.look(this.view.camera.way);
  }

  // Shift the frame by a fraction of its distance from the mean position of the bodies, if that distance is
  // large.
  shift({ poses, bodies: all }) {
    const bodies = Math.min(all, this.core);
    const way = [0, 1, 2].map((k) => {
      let sum = 0;
      for (let i = 0; i < bodies; i++) sum += poses[7 * i + k];
      return sum / bodies - (this.size.low[k] + this.size.high[k]) / 2;
    });
    if (!(Math.hypot(...way) > margin * this.size.radius)) return;
    const [low, high] = [this.size.low, this.size.high].map((corner) =>
      corner.map((x, k) => x + followRate * way[k]),
    );
    this.size = { ...this.size, low, high };
    this.view.camera.shift(a.fromArray(way).multiplyScalar(followRate));
  }

  // Show the whole region from the direction WAY.
  look(way) {
    this.touched = false;
    this.view.setGround(this.model, this.size);
    this.paint();
    this.view.camera.look(way);
  }

  // Draw the mouse springs of all clients, { body: name, point, target }, from the body in the first lane to
  // the target.
  drawHands() {
    const { lines, balls } = this.hands,
      [layer] = this.view.layers,
      { names } = this.state.first;
    (lines.begin(this.grips.length), balls.begin(this.grips.length));
    for (const { body, point, target } of this.grips) {
      if (!names.has(body)) continue;
      layer.poses[names.get(body)].point(a, point);
      lines.add(a, b.fromArray(target));
      (balls.add(a, 0.5 * this.size.dot), balls.add(b, 0.8 * this.size.dot));
    }
    (lines.end(), balls.end());
  }

  follow(body) {
    this.followed = body;
    this.view?.camera.follow(null);
    this.requestDraw();
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (!this.view || !cameraKey(this.view.camera, event.key)) return;
    this.touched = true;
    event.preventDefault();
    event.stopPropagation();
  }
}
