// adding.js - adds a body: thrown from the camera, or dropped.
import * as THREE from "three";
import { el } from "../text.js";

const fields = {
  mass: { text: "mass, kg" },
  friction: { text: "friction", value: 0.5 },
  restitution: { text: "restitution", value: 0.2 },
  speed: { text: "speed, m/s" },
};
const edges = ["width, m", "height, m", "depth, m"];
const rounded = (value) => Number(value.toPrecision(2));

export class Adding {
  // Elements to display are in `parts`.
  constructor(state, stage, send) {
    Object.assign(this, { state, stage, send, lengths: [], usualSize: 0.1, count: 0, scene: null });
    this.shape = el(
      "select",
      { "aria-label": "shape", change: () => this.showFields() },
      ["sphere", "box"].map((name) => el("option", { value: name }, name)),
    );
    this.made = Object.fromEntries(Object.entries(fields).map(([name, about]) => [name, field(name, about)]));
    this.sizes = el("div", { class: "grid" });
    const labels = Object.values(this.made).map(([label]) => label),
      button = (text, place) => el("button", { type: "button", click: () => this.add(place) }, text);
    this.parts = [
      el("div", { class: "row" }, this.shape),
      this.sizes,
      el("div", { class: "grid" }, labels),
      el("div", { class: "row" }, button("Throw it", thrown), button("Drop it", dropped)),
    ];
    state.on("model", () => this.scene !== state.hello && this.setDefaults());
  }

  // A new scene: default sizes from its extent, the median mass of its bodies.
  setDefaults() {
    this.scene = this.state.hello;
    const { model, low, high } = this.state.first,
      across = Math.hypot(...low.map((x, k) => high[k] - x)),
      masses = model.bodies
        .filter(({ kind }) => kind !== "fixed")
        .map(({ mass }) => mass)
        .sort((a, b) => a - b);
    this.usualSize = rounded(across / 25 || 0.1);
    this.made.mass[1].value = String(rounded(masses[masses.length >> 1] || 1));
    this.made.speed[1].value = String(rounded(Math.max(1, across)));
    this.shape.options[0].textContent = model.planar ? "circle" : "sphere";
    this.showFields();
  }

  // Show the size fields of the selected shape.
  showFields() {
    const round = this.shape.value === "sphere",
      names = round ? ["radius, m"] : edges.slice(0, this.state.first?.model.planar ? 2 : 3),
      value = rounded(round ? this.usualSize : 2 * this.usualSize);
    this.lengths = names.map((text) => field("size", { text, value }));
    this.sizes.replaceChildren(...this.lengths.map(([label]) => label));
  }

  name() {
    const taken = (text) => this.state.all.some(({ names }) => names.has(text));
    do this.count++;
    while (taken(`added${this.count}`));
    return `added${this.count}`;
  }

  // PLACE(state, stage, speed) returns position and velocity.
  add(place) {
    if (!this.state.first) return;
    const number = (name) => Number(this.made[name][1].value);
    this.send({
      do: "add",
      name: this.name(),
      shape: this.shape.value,
      size: this.lengths.map(([, input]) => Number(input.value)),
      ...place(this.state, this.stage, number("speed")),
      mass: number("mass"),
      friction: number("friction"),
      restitution: number("restitution"),
    });
  }
}

// Returns a number field: [label, input].
function field(name, { text, value }) {
  const input = el("input", { type: "number", step: "any", min: "0", name, value: value ?? "" });
  return [el("label", { class: "field" }, text, input), input];
}

const corners = ({ low, high }) => [new THREE.Vector3(...low), new THREE.Vector3(...high)];

// Returns position and velocity of a throw from in front of the camera to its target, corrected for gravity;
// in a planar scene from the left.
function thrown(state, stage, speed) {
  const { model } = state.first,
    [low, high] = corners(state.first),
    gravity = new THREE.Vector3(...model.gravity);
  const camera = stage.view?.camera,
    goal = camera ? camera.controls.target.clone() : low.clone().add(high).divideScalar(2);
  const from = goal.clone();
  if (model.planar || !camera) from.x -= 0.8 * (high.x - low.x) + 1e-3;
  else from.lerp(camera.eye.position, 0.6);
  if (model.planar) from.z = goal.z = 0;
  const time = from.distanceTo(goal) / speed;
  const velocity = goal
    .clone()
    .sub(from)
    .divideScalar(time)
    .addScaledVector(gravity, -time / 2);
  return { at: from.toArray(), velocity: velocity.toArray() };
}

// Returns position and velocity of a body above the target of the camera, at rest.
function dropped(state, stage) {
  const { model } = state.first,
    [low, high] = corners(state.first),
    up = stage.view?.camera.eye.up ?? new THREE.Vector3(0, 1, 0);
  const middle = stage.view
      ? stage.view.camera.controls.target.clone()
      : low.clone().add(high).divideScalar(2),
    top = Math.max(low.dot(up), high.dot(up)) + 0.25 * low.distanceTo(high);
  const at = middle.addScaledVector(up, top - middle.dot(up));
  if (model.planar) at.z = 0;
  return { at: at.toArray(), velocity: [0, 0, 0] };
}
