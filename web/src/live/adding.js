// adding.js - a body more: thrown from the camera, or let fall.
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

export function makeAdding(state, stage, send) {
  const shape = el(
    "select",
    { "aria-label": "shape", change: () => size.replaceChildren(...sizes()) },
    ["sphere", "box"].map((name) => el("option", { value: name }, name)),
  );
  const field = (name, { text, value }) => {
    const input = el("input", { type: "number", step: "any", min: "0", name, value: value ?? "" });
    return [el("label", { class: "field" }, text, input), input];
  };
  const made = Object.fromEntries(Object.entries(fields).map(([name, about]) => [name, field(name, about)])),
    size = el("div", { class: "grid" }),
    number = (name) => Number(made[name][1].value);
  let lengths = [],
    usual = 0.1,
    count = 0;
  function sizes() {
    const names = shape.value === "sphere" ? ["radius, m"] : edges.slice(0, state.first?.model.planar ? 2 : 3);
    lengths = names.map((text) =>
      field("size", { text, value: rounded(shape.value === "sphere" ? usual : 2 * usual) }),
    );
    return lengths.map(([label]) => label);
  }

  // Of the size of what is there, as heavy as most of it.
  function suggest() {
    const { model, low, high } = state.first,
      across = Math.hypot(...low.map((x, k) => high[k] - x)),
      masses = model.bodies
        .filter(({ kind }) => kind !== "fixed")
        .map(({ mass }) => mass)
        .sort((a, b) => a - b);
    usual = rounded(across / 25 || 0.1);
    made.mass[1].value = String(rounded(masses[masses.length >> 1] || 1));
    made.speed[1].value = String(rounded(Math.max(1, across)));
    shape.options[0].textContent = model.planar ? "circle" : "sphere";
    size.replaceChildren(...sizes());
  }
  let scene = null;
  state.on("model", () => {
    if (scene === state.hello) return;
    scene = state.hello;
    suggest();
  });

  function name() {
    const taken = (text) => state.all.some(({ names }) => names.has(text));
    do count++;
    while (taken(`added${count}`));
    return `added${count}`;
  }
  function add(place) {
    if (!state.first) return;
    const { at, velocity } = place(number("speed"));
    send({
      do: "add",
      name: name(),
      shape: shape.value,
      size: lengths.map(([, input]) => Number(input.value)),
      at,
      velocity,
      mass: number("mass"),
      friction: number("friction"),
      restitution: number("restitution"),
    });
  }
  const button = (text, place) => el("button", { type: "button", click: () => add(place) }, text);
  return [
    el("div", { class: "row" }, shape),
    size,
    el(
      "div",
      { class: "grid" },
      Object.values(made).map(([label]) => label),
    ),
    el(
      "div",
      { class: "row" },
      button("Throw it", (speed) => thrown(state, stage, speed)),
      button("Let it fall", () => dropped(state, stage)),
    ),
  ];
}

const corners = ({ low, high }) => [new THREE.Vector3(...low), new THREE.Vector3(...high)];

// From before the eye to what it looks at, aimed higher by as much as it will fall; in a plane from the left.
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

// From above the middle of what the eye looks at.
function dropped(state, stage) {
  const { model } = state.first,
    [low, high] = corners(state.first),
    up = stage.view?.camera.eye.up ?? new THREE.Vector3(0, 1, 0);
  const middle = stage.view ? stage.view.camera.controls.target.clone() : low.clone().add(high).divideScalar(2),
    top = Math.max(low.dot(up), high.dot(up)) + 0.25 * low.distanceTo(high);
  const at = middle.addScaledVector(up, top - middle.dot(up));
  if (model.planar) at.z = 0;
  return { at: at.toArray(), velocity: [0, 0, 0] };
}
