// live_stage.mjs - the hand, mouse springs, and drawings of lanes on the live page, in node: positions of
// three.js objects and messages, compared with a pinhole camera and rotations computed here. Called by
// live_modules.sh.
import { Element, pass } from "./live_elements.mjs";
import { corners, cross, dot, greet, group, minus, model, modelOf, near } from "./live_samples.mjs";
import { pictureOf, plus, pointOf, poses, same, sides, times, unit } from "./live_samples.mjs";
import { verdict } from "./browser.mjs";
import * as THREE from "../../web/node_modules/three/build/three.module.js";
import { Balls, Lines } from "../../web/src/arrows.js";
import { Layer } from "../../web/src/layer.js";
import { Extras } from "../../web/src/live/extras.js";
import { Hand, spring } from "../../web/src/live/hand.js";
import { LiveStage } from "../../web/src/live/live_stage.js";
import { State } from "../../web/src/live/state.js";

const size = { low: [-2, -2, -2], high: [3, 2, 2], radius: 4, dot: 0.05 },
  single = 5e-7; // m: poses of instances are single
const layerOf = (own, picture) => {
  const layer = new Layer(own, {}, size);
  layer.update(picture, new Set());
  return layer;
};
// Positions that are drawn: of lines, two points each; of balls, their centres.
const drawnLines = ({ geometry }) =>
  [...(geometry.attributes.position?.array ?? [])].slice(0, 3 * geometry.drawRange.count);
const drawnBalls = ({ meshes: [mesh] }) =>
  Array.from({ length: mesh?.count ?? 0 }, (_, i) => [
    ...mesh.instanceMatrix.array.slice(16 * i + 12, 16 * i + 15),
  ]);

// ---- A pinhole camera over a canvas that does not begin in the corner of the window
const eye = [4.1, 2.3, 5.2],
  goal = [0.2, -0.1, 0.3],
  slope = Math.tan((35 * Math.PI) / 360),
  frame = { left: 37, top: 21, width: 800, height: 500 };
const ahead = unit(minus(goal, eye)),
  right = unit(cross(ahead, [0, 1, 0])),
  above = cross(right, ahead);
// Returns clientX and clientY of a point.
function pixelOf(p) {
  const away = minus(p, eye),
    depth = dot(away, ahead),
    [x, y] = [dot(away, right) / slope / (frame.width / frame.height), dot(away, above) / slope];
  return {
    clientX: frame.left + ((1 + x / depth) / 2) * frame.width,
    clientY: frame.top + ((1 - y / depth) / 2) * frame.height,
  };
}
// Returns the direction of the ray through a pixel, not of length 1: ahead + ...
function rayOf({ clientX, clientY }) {
  const x = (2 * (clientX - frame.left)) / frame.width - 1,
    y = 1 - (2 * (clientY - frame.top)) / frame.height;
  return plus(ahead, plus(times((x * slope * frame.width) / frame.height, right), times(y * slope, above)));
}
// The point of a ray in the plane through P that faces the camera.
const inPlane = (pixel, p) => plus(eye, times(dot(minus(p, eye), ahead), rayOf(pixel)));

// A hand on one layer of OWN; returns { hand, sent, at(key, pixel, more) }.
function handOn(own, will) {
  const state = new State();
  greet(state, [1], own);
  state.takePicture(pictureOf({}));
  const camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100),
    canvas = new Element("canvas"),
    sent = [];
  camera.position.set(...eye);
  camera.lookAt(...goal);
  Object.assign(canvas, { getBoundingClientRect: () => frame, setPointerCapture() {}, focus() {} });
  const fit = (aspect) => ((camera.aspect = aspect), camera.updateProjectionMatrix()),
    layers = [layerOf(own, state.first.picture)];
  const stage = {
    state,
    canvas,
    element: new Element("div"),
    hover: new Element("div"),
    due: false,
    requestDraw() {},
    view: {
      layers,
      cells: () => [[null, 0, 0, 1, 1]],
      camera: { eye: camera, fit, controls: { enabled: true } },
    },
  };
  const hand = new Hand(stage, will, (command) => sent.push(command));
  const at = (key, pixel, more = {}) =>
    stage.element.fire(key, {
      target: canvas,
      pointerId: 1,
      pointerType: "mouse",
      isPrimary: true,
      button: 0,
      ...pixel,
      ...more,
    });
  return { hand, sent, at, stage };
}

// A point on the face of the box that is towards the camera most, off its centre.
const local = [0.11, -0.17, sides[2] / 2],
  onBox = pointOf(poses.box, local),
  normal = minus(pointOf(poses.box, [0, 0, 1]), poses.box.x);
const mass = 2.5;

group("strikes", () => {
  verdict(
    "strike: the face is seen by the camera",
    dot(normal, minus(eye, onBox)) > 1,
    dot(normal, minus(eye, onBox)),
  );
  const { sent, at } = handOn(model, { does: "strike", frequency: 2, change: 1.6 });
  const pixel = pixelOf(onBox);
  at("pointerdown", pixel);
  at("pointerup", pixel);
  const [strike] = sent;
  same("strike: one command", [sent.length, strike?.do, strike?.body], [1, "impulse", "box"]);
  near("strike: at the point under the mouse, m", strike.at, onBox, single);
  near(
    "strike: mass times change, along the view, N s",
    strike.impulse,
    times(mass * 1.6, unit(minus(onBox, eye))),
    1e-9,
  );
  at("pointerdown", pixel);
  const end = { clientX: pixel.clientX + 24, clientY: pixel.clientY - 31 };
  at("pointerup", end);
  const way = unit(minus(inPlane(end, onBox), onBox));
  near("strike: along a drag, N s", sent[1].impulse, times(mass * 1.6, way), 1e-9);
  near("strike: a drag strikes where it began, m", sent[1].at, onBox, single);
  at("pointerdown", pixel);
  at("pointerup", { clientX: pixel.clientX + 3, clientY: pixel.clientY - 3 });
  near("strike: a drag of 4 px is a click", sent[2].impulse, strike.impulse, 1e-9);
  at("pointerdown", { clientX: frame.left + 5, clientY: frame.top + 5 });
  at("pointerup", { clientX: frame.left + 5, clientY: frame.top + 5 });
  same("strike: nothing beside bodies", sent.length, 3);
  // The particle is a small ball: its centre is found beside it, too.
  const pea = pixelOf(poses.pea.x);
  at("pointerdown", { clientX: pea.clientX + 9, clientY: pea.clientY });
  at("pointerup", { clientX: pea.clientX + 9, clientY: pea.clientY });
  same("strike: a small body within 10 px", [sent.length, sent[3]?.body], [4, "pea"]);
  at("pointerdown", { clientX: pea.clientX + 14, clientY: pea.clientY });
  at("pointerup", { clientX: pea.clientX + 14, clientY: pea.clientY });
  same("strike: not of 14 px", sent.length, 4);
});

group("strikes in the plane", () => {
  const { sent, at } = handOn({ ...model, planar: true }, { does: "strike", frequency: 2, change: 1.6 });
  at("pointerdown", pixelOf(onBox));
  at("pointerup", pixelOf(onBox));
  const place = [onBox[0], onBox[1], poses.box.x[2]],
    way = unit(minus(poses.box.x, place));
  near("planar strike: in the plane of the body, m", sent[0].at, place, single);
  near("planar strike: towards its centre, N s", sent[0].impulse, times(mass * 1.6, way), 1e-5);
});

group("springs", () => {
  const { sent, at, hand, stage } = handOn(model, { does: "pull", frequency: 2.5, change: 1 }),
    pixel = pixelOf(onBox);
  at("pointerdown", pixel);
  const [grip] = sent;
  same("spring: on the body", [sent.length, grip?.do, grip?.body], [1, "grip", "box"]);
  near("spring: at the point under the mouse, m", grip.at, onBox, single);
  near("spring: of 2.5 Hz", Math.sqrt(grip.stiffness / mass) / (2 * Math.PI), 2.5, 1e-12);
  near("spring: critically damped", grip.damping / (2 * Math.sqrt(grip.stiffness * mass)), 1, 1e-12);
  near("spring: its point in the body, m", hand.own.point, local, single);
  same("spring: the camera is held", stage.view.camera.controls.enabled, false);
  const end = { clientX: pixel.clientX - 80, clientY: pixel.clientY + 45 },
    wanted = inPlane(end, onBox);
  at("pointermove", end);
  pass(50);
  near("spring: the target follows in the plane of the screen, m", sent.at(-1).to, wanted, 1e-6);
  at("pointerup", end);
  same("spring: released at the end", [sent.at(-1).do, sent.at(-1).id === grip.id], ["release", true]);
  same("spring: the camera is free", [stage.view.camera.controls.enabled, hand.own], [true, null]);
  near("spring: of 1 kg at 1 / 2 pi Hz", Object.values(spring(1, 0.5 / Math.PI)), [1, 2], 1e-14);
  at("pointermove", pixelOf(pointOf(poses.ball, [0, 0, 0])), { timeStamp: 1000 });
  same("hand: the name of the body under the mouse", stage.hover.textContent, "ball");
});

// ---- Marks of a lane
const moved = Object.values(poses).map((pose, i) => ({ ...pose, x: plus(pose.x, [0.5 * i, -0.25, 0.125]) }));

group("marks", () => {
  const state = new State();
  greet(state, [1]);
  const boxes = [-1, 0.5, 0.25, 1.5, 2, 3, 4, -5, 6, 4.5, -4.25, 8];
  state.takePicture(pictureOf({ boxes, worst: 1 }));
  const { picture } = state.first,
    layer = layerOf(model, picture),
    extras = new Extras(layer, size);
  const first = { ...picture, poses: Float64Array.from(picture.poses, (x, i) => x + (i % 7 < 3 ? 0.5 : 0)) };
  extras.update(new Set(["bounding boxes", "worst joint", "differences"]), picture, first);

  // The edges of a box: pairs of corners that differ in one coordinate.
  const edges = [];
  for (const box of [boxes.slice(0, 6), boxes.slice(6)])
    for (let i = 0; i < 8; i++)
      for (const k of [0, 1, 2].filter((k) => !(i & (1 << k)))) {
        const corner = (bits) => [0, 1, 2].map((n) => box[n + (bits & (1 << n) ? 3 : 0)]);
        edges.push([...corner(i), ...corner(i | (1 << k))].join());
      }
  const seen = drawnLines(extras.boxes),
    found = Array.from({ length: seen.length / 6 }, (_, i) => seen.slice(6 * i, 6 * i + 6).join());
  same("boxes: 12 edges each", found.length, 24);
  verdict("boxes: the edges of both", edges.sort().join(" ") === found.sort().join(" "), found[0]);
  near(
    "worst joint: at its point of the second body, m",
    drawnBalls(extras.worst),
    pointOf(poses.box, [-0.3, 0.25, 0.15]),
    single,
  );
  const pairs = Object.values(poses).map(({ x }) => [x, plus(x, [0.5, 0.5, 0.5])]);
  near("differences: lines to the first lane, m", drawnLines(extras.apart), pairs.flat(2), single);
  extras.update(new Set(), { ...picture, worst: -1 }, null);
  same(
    "marks: none if not shown",
    [extras.boxes, extras.apart].map((part) => drawnLines(part).length),
    [0, 0],
  );

  const trail = (time, bodies) => {
    state.takePicture(pictureOf({ time, steps: 8 * time, bodies }));
    extras.update(new Set(["trails"]), state.first.picture, null);
    return drawnLines(extras.trails);
  };
  same("trails: begin without a line", trail(1, Object.values(poses)).length, 0);
  const ways = Object.values(poses).map(({ x }, i) => [x, moved[i].x]);
  near("trails: from the former to the new centres, m", trail(2, moved), ways.flat(2), single);
  same("trails: nothing for the same time", trail(2, moved).length, 18);
  same("trails: begin again after a reset", trail(0, moved).length, 0);
});

group("stage", () => {
  const state = new State(),
    stage = new LiveStage(state);
  greet(state, [1, 2]);
  state.takePicture(pictureOf({}));
  state.takePicture(pictureOf({ lane: 2, bodies: moved }));
  const seen = [];
  // A view that notes what it is asked to draw.
  stage.view = {
    layers: state.all.map(({ picture }) => layerOf(model, picture)),
    sideBySide: false,
    place: (pictures) => seen.push(pictures.map((picture) => picture?.lane ?? null)),
    setArrows: (...lengths) => (stage.lengths = lengths),
    requestDraw() {},
  };
  Object.assign(stage, {
    size,
    touched: true,
    due: false,
    hands: { lines: new Lines(), balls: new Balls() },
  });
  stage.fill();
  same("stage: both lanes are drawn", seen.at(-1), [1, 2]);
  same(
    "stage: the second one is faint",
    stage.view.layers.map(({ faint }) => faint),
    [false, true],
  );
  stage.hidden.add(1);
  stage.fill();
  same("stage: hidden lanes are not drawn", seen.at(-1), [null, 2]);
  same("stage: the one left is not faint", stage.view.layers[1].faint, false);
  stage.hidden.delete(1);
  stage.hidden.add(2);
  stage.fill();
  same("stage: the other lane is hidden", seen.at(-1), [1, null]);

  const target = [1.5, 2.25, -0.75],
    point = [0.2, -0.3, 0.1];
  stage.grips = [
    { body: "box", point, target },
    { body: "gone", point, target },
  ];
  stage.fill();
  const ends = [pointOf(poses.box, point), target];
  near(
    "mouse springs: from the point of the body to the target, m",
    drawnLines(stage.hands.lines),
    ends.flat(),
    single,
  );
  near("mouse springs: balls at both ends, m", drawnBalls(stage.hands.balls), ends.flat(), single);

  // The longest arrow has a third of the radius; the former maximum fades by a hundredth at each picture.
  const withImpulse = (value) =>
    pictureOf({ contacts: [0, 0, 0, 0, 1, 0, 0.36 * value, 0.48 * value, 0.8 * value, 0, 0, 0] });
  state.takePicture(withImpulse(5));
  stage.fill();
  near("arrows: the longest impulse, m/(N s)", stage.lengths, [0, size.radius / 3 / 5], 1e-7);
  state.takePicture(withImpulse(1));
  stage.fill();
  near("arrows: smaller impulses grow slowly", stage.lengths[1], size.radius / 3 / 4.95, 1e-7);
  state.message(modelOf(1));
  same("stage: a new model is due", stage.due, true);
});
