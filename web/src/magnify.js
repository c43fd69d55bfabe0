// magnify.js - magnified differences: a run is drawn at base + FACTOR (run - base), where the base is the
// reference or another run. Positions differ by vectors, orientations by rotation vectors.

import { snapshot } from "./motion.js";
import { el, number } from "./text.js";

const factors = [1, 10, 100, 1000, 1e4, 1e5];
const sameTime = 1e-9; // relative difference of times of the same instant

// Returns pairs of frames of both motions at the same times: interpolation would be magnified, too.
export function commonFrames(run, base) {
  const pairs = [];
  for (let i = 0, k = 0; i < run.count && k < base.count; ) {
    const apart = run.times[i] - base.times[k];
    if (Math.abs(apart) <= sameTime * Math.max(run.end, base.end)) pairs.push([i++, k++]);
    else if (apart < 0) i++;
    else k++;
  }
  return pairs;
}

// Returns the last of the PAIRS of frames of RUN at or before TIME.
export function lastPair(pairs, run, time) {
  let found = pairs[0];
  for (let low = 0, high = pairs.length - 1; low <= high; ) {
    const middle = (low + high) >> 1;
    if (run.times[pairs[middle][0]] <= time * (1 + 1e-14)) ((found = pairs[middle]), (low = middle + 1));
    else high = middle - 1;
  }
  return found;
}

// Replace the pose at 7 * BODY in POSES by that with a difference from BASE that is FACTOR times as large.
function magnifyPose(poses, base, at, factor, turns) {
  for (let k = at; k < at + 3; k++) poses[k] = base[k] + factor * (poses[k] - base[k]);
  if (!turns) return;
  const [w, x, y, z] = base.slice(at + 3, at + 7),
    [a, b, c, d] = poses.slice(at + 3, at + 7);
  // the rotation from the base to the run, in world axes: run * conjugate(base)
  let turn = [
    a * w + b * x + c * y + d * z,
    b * w - a * x - c * z + d * y,
    c * w - a * y - d * x + b * z,
    d * w - a * z - b * y + c * x,
  ];
  if (turn[0] < 0) turn = turn.map((part) => -part);
  const sine = Math.hypot(turn[1], turn[2], turn[3]);
  if (!(sine > 0)) return;
  const half = Math.min(Math.PI / 2, factor * Math.atan2(sine, turn[0])), // no more than half a turn
    [r, s] = [Math.cos(half), Math.sin(half) / sine],
    [i, j, k] = [s * turn[1], s * turn[2], s * turn[3]];
  poses[at + 3] = r * w - i * x - j * y - k * z;
  poses[at + 4] = r * x + i * w + j * z - k * y;
  poses[at + 5] = r * y + j * w + k * x - i * z;
  poses[at + 6] = r * z + k * w + i * y - j * x;
}

// Magnify the differences of POSES from BASE by FACTOR. KNOWN: for each body "q": pose, "x": position only,
// "-": unknown, of the base; null: all poses.
export function magnify(poses, base, factor, known) {
  for (let body = 0; 7 * body < poses.length; body++) {
    const what = known?.[body] ?? "q";
    if (what !== "-") magnifyPose(poses, base, 7 * body, factor, what === "q");
  }
}

// The state of a magnified drawing: FACTOR, and BASE, a layer { motion, known, name }.
export class Magnifier {
  constructor(base) {
    Object.assign(this, { factor: 1, base, from: snapshot(base.motion.bodies), pairs: new Map() });
  }

  setBase(base) {
    Object.assign(this, { base, pairs: new Map() });
  }

  applies(layer) {
    return this.factor > 1 && layer !== this.base && layer.motion.bodies === this.base.motion.bodies;
  }

  // Returns the times of RUN and of the base that are shown at TIME: those of their last common frames. If
  // they have only one, both are interpolated.
  times(run, time) {
    const base = this.base.motion;
    if (!this.pairs.has(run)) this.pairs.set(run, commonFrames(run, base));
    const pairs = this.pairs.get(run),
      both = Math.min(time, run.end, base.end);
    if (pairs.length < 2) return [both, both];
    const [i, k] = lastPair(pairs, run, both);
    return [run.times[i], base.times[k]];
  }

  // Fill INTO with the magnified state of LAYER near TIME, without contacts: they have no magnified place.
  // Returns the frame.
  at({ motion }, time, into) {
    const [own, other] = this.times(motion, time),
      frame = motion.at(own, into);
    this.base.motion.at(other, this.from);
    magnify(into.poses, this.from.poses, this.factor, this.base.known);
    into.contacts = null;
    return frame;
  }

  // Returns the label of the drawing; "" if nothing is magnified. LAYERS: the visible ones.
  text(layers) {
    const others = layers.filter((layer) => this.applies(layer));
    if (others.length === 0) return "";
    const rounding = Math.max(...[this.base, ...others].map(({ motion }) => motion.about.resolution));
    const coarse = others.some(({ motion }) => (this.pairs.get(motion)?.length ?? 2) < 2);
    return (
      `Difference from ${this.base.name} × ${this.factor}` +
      ` (stored positions are rounded to ${number(this.factor * rounding, 2)} m on this scale` +
      (coarse ? "; interpolated, for want of common frames)" : ")")
    );
  }
}

// Returns the controls of MAGNIFIER for the LAYERS of a stage; null for a single motion.
export function differences(layers, magnifier, changed) {
  if (layers.length < 2) return null;
  const choose = (label, options, change) => {
    const select = el(
      "select",
      { "aria-label": label, change: () => (change(Number(select.value)), changed()) },
      options,
    );
    return select;
  };
  return el(
    "fieldset",
    {},
    el("legend", {}, "Difference"),
    el(
      "div",
      { class: "row" },
      choose(
        "magnified",
        factors.map((factor) => el("option", { value: String(factor) }, `× ${factor}`)),
        (value) => (magnifier.factor = value),
      ),
      choose(
        "difference from",
        layers.map((layer, i) =>
          el("option", { value: String(i), selected: layer === magnifier.base }, `from ${layer.name}`),
        ),
        (value) => magnifier.setBase(layers[value]),
      ),
    ),
    el("p", { class: "note" }, "Draws runs with a magnified difference, at frames that both have."),
  );
}
