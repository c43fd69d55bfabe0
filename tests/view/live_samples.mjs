// live_samples.mjs - a model, its messages and pictures for tests of the live page, encoded here, and checks.
import { verdict } from "./browser.mjs";
import { State } from "../../web/src/live/state.js";

// Prints a verdict on the largest difference between the numbers of GOT and WANTED.
export function near(name, got, wanted, bound = 0) {
  const [a, b] = [got, wanted].map((list) => [list].flat(Infinity).map(Number)),
    most = a.length === b.length ? Math.max(0, ...a.map((x, i) => Math.abs(x - b[i]))) : NaN;
  const detail = most <= bound ? "" : `, ${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`;
  verdict(name, most <= bound, `differs by ${most.toExponential(1)}, at most ${bound}${detail}`);
}
// True if both have the same JSON text.
export function same(name, got, wanted) {
  const [a, b] = [got, wanted].map((value) => JSON.stringify(value));
  verdict(name, a === b, a === b ? a : `${a} instead of ${b}`);
}
// Runs a group of checks; an exception is a failed check.
export function group(name, act) {
  try {
    act();
  } catch (error) {
    verdict(`${name}: without an exception`, false, error.stack.split("\n").slice(0, 3).join(" "));
  }
}

export const minus = (a, b) => a.map((x, k) => x - b[k]),
  plus = (a, b) => a.map((x, k) => x + b[k]),
  times = (s, a) => a.map((x) => s * x),
  dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0),
  cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  unit = (a) => times(1 / Math.hypot(...a), a);

// A pose { x, axis (of length 1), angle }: a point of it by Rodrigues' formula, and its seven numbers.
export const pointOf = ({ x, axis, angle }, v) =>
  [0, 1, 2].map(
    (k) =>
      x[k] +
      Math.cos(angle) * v[k] +
      Math.sin(angle) * cross(axis, v)[k] +
      (1 - Math.cos(angle)) * dot(axis, v) * axis[k],
  );
export const numbersOf = ({ x, axis, angle }) => [
  ...x,
  Math.cos(angle / 2),
  ...times(Math.sin(angle / 2), axis),
];

const still = [1, 0, 0, 0],
  body = (name, kind, mass, position, ...shapes) => ({
    name,
    kind,
    mass,
    position,
    orientation: still,
    shapes: shapes.map((shape) => ({ position: [0, 0, 0], orientation: still, ...shape })),
  });
const joint = (name, a, b, point_a, point_b) => ({ name, type: "ball", a, b, point_a, point_b });
export const sides = [0.5, 0.75, 0.25]; // of the box, m
export const poses = {
  ball: { x: [1.25, 0.75, -0.9], axis: [0.6, -0.48, 0.64], angle: 1.1 },
  box: { x: [-0.7, -0.4, 1.1], axis: [0.48, 0.6, -0.64], angle: 0.8 },
  pea: { x: [2.25, -1.5, 0.5], axis: [0, 0.6, 0.8], angle: -2.3 },
};
// A fixed floor between the moving bodies: indices of bodies and of poses differ.
export const model = {
  planar: false,
  gravity: [0, -9.81, 0],
  collides: true,
  moving: 3,
  bodies: [
    body("ball", "rigid", 3.75, poses.ball.x, { kind: "sphere", size: [0.43] }),
    body("floor", "fixed", 0, [0, -3, 0]),
    body("box", "rigid", 2.5, poses.box.x, { kind: "box", size: sides }),
    body("pea", "particle", 0.5, poses.pea.x),
  ],
  joints: [
    joint("upper", 1, 0, [0.1, 0.2, 0.3], [0.4, -0.1, 0.2]),
    joint("lower", 0, 2, [0.2, 0.2, -0.3], [-0.3, 0.25, 0.15]),
  ],
  forces: [],
};
export const corners = { low: [-1, -2, -1.5], high: [2.5, 1.5, 1.5] };

// The messages of the server: greeting, model and status of lanes 1 to COUNT.
export const hello = { type: "hello", scene: "sample", title: "A sample" };
export const modelOf = (lane, own = model, generation = 7) => ({
  type: "model",
  lane,
  generation,
  model: own,
  ...corners,
});
export const statusOf = (lanes, more = {}) => ({
  type: "status",
  paused: true,
  speed: 1,
  pages: 1,
  grips: [],
  slots: [],
  parameters: [],
  inputs: [],
  solvers: ["impulse-sle", "moreau", "xpbd"],
  lanes: lanes.map((lane) => ({
    lane,
    spec: "moreau:iterations=20",
    step: 0.01 * lane,
    time: 0,
    steps: 0,
    ended: null,
    parameters: [],
  })),
  ...more,
});
export function greet(state, lanes = [1], own = model, more = {}) {
  state.message(hello);
  for (const lane of lanes) state.message(modelOf(lane, own));
  state.message(statusOf(lanes, more));
}

// Encodes a picture: 8 numbers of 32 bits, 11 of 64 bits, the index of the joint with the largest error,
// poses as doubles; then forces, contacts and boxes as floats. Little endian.
const order = "time steps energy drift velocity penetration impulses operations cost factor lag".split(" ");
export function pictureOf(about = {}) {
  const { lane = 1, generation = 7, flags = 5, worst = 0xffffffff, bodies = Object.values(poses) } = about,
    { forces = [], contacts = [], boxes = [] } = about,
    numbers = bodies.flatMap((pose) => (Array.isArray(pose) ? pose : numbersOf(pose))),
    floats = [forces, contacts, boxes].flat(),
    view = new DataView(new ArrayBuffer(128 + 8 * numbers.length + 4 * floats.length));
  const counts = [bodies.length, forces.length / 3, contacts.length / 12, boxes.length / 6];
  [..."HNF1"].forEach((letter, i) => view.setUint8(i, letter.charCodeAt(0)));
  [lane, generation, flags, ...counts].forEach((value, i) => view.setUint32(4 + 4 * i, value, true));
  order.forEach((name, i) => view.setFloat64(32 + 8 * i, about[name] ?? 0, true));
  view.setUint32(120, worst, true);
  numbers.forEach((value, i) => view.setFloat64(128 + 8 * i, value, true));
  floats.forEach((value, i) => view.setFloat32(128 + 8 * numbers.length + 4 * i, value, true));
  return view.buffer;
}

// A state with a list of sent commands, and a stage that only has its switches.
export function start() {
  const state = new State(),
    sent = [],
    stage = { shown: new Set(["joints"]), hidden: new Set(), arrows: 1, view: null, followed: -1 };
  Object.assign(stage, { requestDraw() {}, label() {}, follow: (body) => (stage.followed = body) });
  return {
    state,
    stage,
    sent,
    send: (command) => sent.push(command),
    will: { does: "pull", frequency: 2, change: 1.5 },
  };
}
