// stage.js - the playback: a view with its controls, showing the motions of the runs.
import { snapshot } from "./motion.js";
import { colour, isDark, onTheme, themed } from "./palette.js";
import { Playback } from "./playback.js";
import { hasWebGL, View } from "./scene3d.js";
import { extent, lengthOfArrows } from "./extent.js";
import { differences, Magnifier } from "./magnify.js";
import { switches } from "./marks.js";
import { swatch } from "./symbols.js";
import { el, number, plural } from "./text.js";
import { cameraKey, check, follower, looks, nameCells } from "./viewing.js";

const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

// MOTIONS: one for each run, the reference last; null for a missing one.
export function makeStage(report, motions, duration) {
  const layers = motions
    .map((motion, i) => ({
      motion,
      ghost: i === report.runs.length,
      name: i < report.runs.length ? report.runs[i].spec : "reference",
      known: i === report.runs.length ? report.reference.known : null,
      index: i,
    }))
    .filter(({ motion }) => motion);
  if (layers.length === 0 || layers[0].motion.bodies === 0)
    return {
      element: el(
        "p",
        { class: "note" },
        "There is no motion to show: no solver has completed a step, or no body moves.",
      ),
      playback: null,
    };
  if (!hasWebGL())
    return {
      element: el(
        "p",
        { class: "missing", role: "alert" },
        "The motion cannot be drawn: this browser has no WebGL. The rest of the report is below.",
      ),
      playback: null,
    };
  return new Stage(report, layers, duration);
}

class Stage {
  constructor(report, layers, duration) {
    Object.assign(this, {
      report,
      layers,
      followed: -1,
      shown: new Set(["joints", "contacts", "impulses"]),
      playback: new Playback(duration),
    });
    this.snapshots = layers.map(({ motion }) => snapshot(motion.bodies));
    const first = layers.findIndex(
      ({ index, ghost }) => !ghost && report.comparison.runs[index].reason === "converged",
    );
    layers.forEach((layer, i) => (layer.on = layer.ghost || i === Math.max(0, first)));
    this.canvas = el("canvas", {
      tabindex: "0",
      role: "img",
      "aria-label": "the mechanism in motion; keys: arrows turn, plus and minus zoom, space plays",
      keydown: (event) => this.key(event),
    });
    this.labels = el("div", { class: "labels", "aria-hidden": "true" });
    this.magnifier = new Magnifier(layers.find(({ ghost }) => ghost) ?? layers[0]);
    this.magnified = el("output", { class: "magnified", hidden: true });
    this.frame = el("div", { class: "frame" }, this.canvas, this.labels, this.magnified);
    this.element = el("div", { class: "stage" }, this.frame, this.transport(), this.panel());
    this.size = extent(
      report.model,
      layers.map(({ motion }) => motion),
    );
    this.view = new View(this.canvas, report.model, layers, this.size);
    this.view.setArrows(
      ...lengthOfArrows(
        layers.map(({ motion }) => motion),
        this.size.radius,
      ),
    );
    this.paint();
    onTheme(() => this.paint());
    this.playback.listen(() => this.update());
    new ResizeObserver(() => this.resize()).observe(this.frame);
    this.update();
  }

  paint() {
    this.view.paint(
      this.layers.map(({ index, ghost }) =>
        ghost ? (isDark() ? "#ffffff" : "#4b5560") : colour(this.report.runs[index].ink),
      ),
      themed("--canvas"),
      isDark(),
    );
    this.layers.forEach(({ box, index, ghost }) =>
      box?.parentElement.style.setProperty(
        "--ink",
        ghost ? themed("--soft") : colour(this.report.runs[index].ink),
      ),
    );
    this.view.draw();
  }

  resize() {
    this.view.resize(this.frame.clientWidth, this.frame.clientHeight);
    this.label();
  }

  update() {
    const { time, playing, duration } = this.playback;
    const snapshots = this.layers.map((layer, i) => {
      const into = this.snapshots[i];
      if (!layer.on) return null;
      into.frame = this.magnifier.applies(layer)
        ? this.magnifier.at(layer, time, into)
        : layer.motion.at(Math.min(time, layer.motion.end), into);
      return into;
    });
    this.magnified.textContent = this.magnifier.text(this.layers.filter(({ on }) => on));
    this.magnified.hidden = this.magnified.textContent === "";
    this.view.show(snapshots, this.shown, this.followed);
    this.slider.value = String(time);
    this.slider.setAttribute("aria-valuetext", `${number(time)} s`);
    this.clock.textContent =
      `${time.toFixed(duration < 10 ? 3 : 2)} s of ` + `${Number(duration.toPrecision(6))} s`;
    this.play.textContent = playing ? "Pause" : "Play";
    this.ended.textContent = this.layers
      .filter(({ motion, on, ghost }) => on && !ghost && time > motion.end * (1 + 1e-9))
      .map(({ name, motion }) => `${name} ended at ${number(motion.end)} s`)
      .join("; ");
  }

  label() {
    nameCells(
      this.labels,
      this.view,
      this.layers.map(({ name }) => name),
    );
  }

  // Step by one frame of the first visible solver.
  step(count) {
    const { motion } = this.layers.find(({ on, ghost }) => on && !ghost) ?? this.layers[0];
    const frame = Math.min(motion.count - 1, Math.max(0, motion.frameAt(this.playback.time) + count));
    this.playback.pause();
    this.playback.seek(motion.times[frame]);
  }

  transport() {
    this.play = el("button", { type: "button", class: "play", click: () => this.playback.toggle() }, "Play");
    this.slider = el("input", {
      type: "range",
      min: "0",
      max: String(this.playback.duration),
      step: "any",
      value: "0",
      "aria-label": "time",
      input: () => this.slide(Number(this.slider.value)),
      keydown: (event) => this.sliderKey(event),
    });
    this.clock = el("output", { class: "clock" });
    this.ended = el("p", { class: "note", "aria-live": "polite" });
    const speed = el(
      "select",
      { "aria-label": "speed", change: () => this.playback.setSpeed(Number(speed.value)) },
      speeds.map((factor) => el("option", { value: String(factor), selected: factor === 1 }, `${factor} ×`)),
    );
    return el(
      "div",
      { class: "transport" },
      this.play,
      el("button", { type: "button", title: "previous frame", click: () => this.step(-1) }, "‹"),
      el("button", { type: "button", title: "next frame", click: () => this.step(1) }, "›"),
      this.slider,
      this.clock,
      el("label", {}, "speed ", speed),
      this.ended,
    );
  }

  slide(time) {
    this.playback.pause();
    this.playback.seek(time);
  }

  sliderKey(event) {
    const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    this.step(way);
  }

  key(event) {
    if (cameraKey(this.view.camera, event.key));
    else if (event.key === " ") this.playback.toggle();
    else if (event.key === "," || event.key === ".") this.step(event.key === "," ? -1 : 1);
    else return;
    event.preventDefault();
  }

  panel() {
    const box = (text, on, change, sign) =>
      check(text, on, (now) => (change(now), this.update(), this.label()), false, sign);
    const solvers = this.layers.map((layer) => {
      const sign = layer.ghost ? undefined : swatch(this.report.runs[layer.index].ink),
        [label, input] = box(layer.name, layer.on, (on) => (layer.on = on), sign);
      layer.box = input;
      return label;
    });
    const all = (on) => () => {
      for (const layer of this.layers) if (!layer.ghost) layer.on = layer.box.checked = on;
      (this.update(), this.label());
    };
    const marks = switches
      .filter((name) => this.has(name))
      .map(
        (name) =>
          box(name, this.shown.has(name), (on) => (on ? this.shown.add(name) : this.shown.delete(name)))[0],
      );
    const layout = el(
      "select",
      {
        "aria-label": "solvers",
        change: () => ((this.view.sideBySide = layout.value === "1"), this.update(), this.label()),
      },
      el("option", { value: "0" }, "overlaid"),
      el("option", { value: "1" }, "side by side"),
    );
    return el(
      "div",
      { class: "panel" },
      el(
        "fieldset",
        {},
        el("legend", {}, "Solvers"),
        el("div", { class: "checks" }, solvers),
        el(
          "div",
          { class: "row" },
          layout,
          el("button", { type: "button", class: "quiet", click: all(true) }, "all"),
          el("button", { type: "button", class: "quiet", click: all(false) }, "none"),
        ),
      ),
      el("fieldset", { class: "marks" }, el("legend", {}, "Show"), el("div", { class: "checks" }, marks)),
      el(
        "fieldset",
        {},
        el("legend", {}, "Camera"),
        el(
          "div",
          { class: "row" },
          looks(this.report.model.planar, (way) => this.view.camera.look(way)),
          this.follower(),
        ),
      ),
      differences(this.layers, this.magnifier, () => this.update()),
      this.kept(),
    );
  }

  // True if there is anything to show for the mark NAME.
  has(name) {
    const { model } = this.report,
      any = (test) => this.layers.some(({ motion, ghost }) => !ghost && test(motion));
    if (name === "joints") return model.joints.length > 0;
    if (name === "joint axes") return model.joints.some(({ axis_a }) => axis_a);
    if (name === "joint forces") return any(({ forces }) => forces);
    if (name === "bodies see-through") return true;
    if (name === "contact normals" || name === "friction cones") return false; // not recorded
    return name === "body axes"
      ? model.bodies.some(({ kind }) => kind === "rigid")
      : any(({ contacts }) => contacts.length);
  }

  follower() {
    return follower(this.report.model, (body) => {
      this.followed = body;
      this.view.camera.follow(null);
      this.update();
    });
  }

  // Returns the note on the resolution of motions and on omissions.
  kept() {
    const { model } = this.report,
      about = this.layers.map(({ motion }) => motion.about),
      lines = [];
    const coarse = Math.max(...about.map(({ resolution }) => resolution)),
      thinned = this.layers.filter(({ ghost, motion }) => !ghost && motion.about.stride > 1);
    lines.push(
      `Positions are stored to ${number(coarse / 2, 2)} m, ` +
        `orientations to ${number(about[0].turning / 2, 2)}, forces and impulses to four digits; ` +
        "motion between frames is interpolated.",
    );
    if (thinned.length)
      lines.push(
        "Frames: " +
          thinned.map(({ name, motion }) => `${name} every ${motion.about.stride} steps`).join(", ") +
          ".",
      );
    const bodies = about[0].bodies;
    if (model.moving > bodies)
      lines.push(
        `Shown are ${plural(bodies, "moving body", "moving bodies")} of ` +
          `${model.moving.toLocaleString("en")}; the others are omitted.`,
      );
    if (model.njoint > model.joints.length)
      lines.push(
        `Shown are ${model.joints.length.toLocaleString("en")} joints of ` +
          `${model.njoint.toLocaleString("en")}.`,
      );
    if (!model.bodies.some(({ kind, shapes }) => kind !== "fixed" && shapes.length))
      lines.push("No body has a shape: bodies are drawn as balls, with lines to their joints.");
    if (this.report.reference.known?.includes("x"))
      lines.push("The reference has positions without orientations: its bodies are drawn as balls.");
    const telling = this.layers.filter(({ motion, ghost }) => !ghost && motion.forces);
    if (telling.length && telling.length < this.layers.filter(({ ghost }) => !ghost).length)
      lines.push(`Joint forces are reported by ${telling.map(({ name }) => name).join(", ")}.`);
    if (!this.layers.some(({ ghost }) => ghost)) lines.push("There is no reference motion.");

    return el("p", { class: "note" }, lines.join(" "));
  }
}
