// extent.js - the extent of a motion, and the scales of arrows.
import { reach, turned } from "./shapes.js";

const samples = 24; // frames examined of each motion
const surroundings = 0.1; // visible parts of fixed bodies, relative to the larger side of the box
const lines = ["spring", "axial_spring", "driver"]; // forces drawn as a line between two points

// Returns the range of the values. Excludes the outermost hundredth if it would make the rest too small to
// see, as in a diverged motion.
function range(values) {
  const sorted = Float64Array.from(values).sort(),
    cut = Math.floor(sorted.length / 100),
    last = sorted.length - 1;
  const [low, high] = [sorted[cut], sorted[last - cut]];
  return sorted[last] - sorted[0] > 10 * (high - low) && high > low ? [low, high] : [sorted[0], sorted[last]];
}

// Returns { low, high: corners of a box, radius, dot } (m) of the reference motion, or of the first motion,
// with surroundings.
export function extent(model, motions) {
  const motion = motions[motions.length - 1],
    axes = [[], [], []];
  const ends = [...model.joints, ...model.forces.filter(({ type }) => lines.includes(type))].flatMap(
    (joint) => [
      [joint.a, joint.point_a],
      [joint.b, joint.point_b],
    ],
  );
  const half = new Map(model.bodies.map((body, i) => [i, reach(body)]));
  for (const [body, point] of ends)
    half.get(body)?.forEach((own, k, all) => (all[k] = Math.max(own, Math.abs(point[k]))));
  const own = [...half.keys()].filter((i) => model.bodies[i].kind !== "fixed").map((i) => half.get(i));
  const add = (place, half) =>
    place.forEach((value, k) => Number.isFinite(value) && axes[k].push(value - half[k], value + half[k]));
  for (let s = 0; s < samples; s++) {
    const frame = Math.round((s / (samples - 1)) * (motion.count - 1));
    for (let body = 0; body < motion.bodies; body++)
      add(motion.position(body, frame), turned(own[body], motion.orientation(body, frame)));
  }
  for (const [body, point] of ends)
    if (body >= 0 && model.bodies[body].kind === "fixed")
      add(
        point.map((value, k) => value + model.bodies[body].position[k]),
        [0, 0, 0],
      );
  const sides = axes.map(range),
    box = surround(
      sides.map(([low]) => low),
      sides.map(([, high]) => high),
      model.bodies.filter((body) => body.kind === "fixed" && reach(body).some((half) => half > 0)),
    );
  return sizeOf(model, box.low, box.high);
}

// Extends the box of all moving bodies to the parts of the FIXED ones that are near: floors do not set the
// frame.
function surround(low, high, fixed) {
  const more = surroundings * Math.max(...low.map((least, k) => high[k] - least)),
    box = { low: [...low], high: [...high] };
  for (const body of fixed) {
    const half = turned(reach(body), body.orientation),
      near = body.position.every((x, k) => x - half[k] <= high[k] + more && x + half[k] >= low[k] - more);
    if (near) body.position.forEach((x, k) => {
      box.low[k] = Math.min(box.low[k], Math.max(x - half[k], low[k] - more));
      box.high[k] = Math.max(box.high[k], Math.min(x + half[k], high[k] + more));
    });
  }
  return box;
}

// Returns { low, high, radius, dot } (m) for the box between the corners LOW and HIGH.
export function sizeOf(model, low, high) {
  const sizes = model.bodies.filter(({ kind }) => kind !== "fixed").map((body) => Math.hypot(...reach(body))),
    typical = sizes.sort((a, b) => a - b)[Math.floor(sizes.length / 2)] || 0,
    across = Math.hypot(...low.map((least, k) => high[k] - least)) / 2,
    margin = 0.05 * across || 1,
    radius = across + margin;
  return {
    low: low.map((value) => value - margin),
    high: high.map((value) => value + margin),
    radius,
    dot: Math.min(typical ? typical / 5 : Infinity, radius / 40),
  };
}

// Returns the 99th percentile of the lengths of vectors in ARRAY, each at offset FROM in a group of SIZE
// numbers.
function common(arrays, size, from) {
  const lengths = [];
  for (const array of arrays) {
    const every = Math.max(1, Math.floor(array.length / size / 4000));
    for (let i = 0; i + size <= array.length; i += size * every)
      lengths.push(Math.hypot(array[i + from], array[i + from + 1], array[i + from + 2]));
  }
  lengths.sort((a, b) => a - b);
  return lengths[Math.floor(0.99 * (lengths.length - 1))] || 0;
}

// Returns the scales of arrows, m/N and m/(N s): the 99th percentile is drawn with a third of RADIUS.
export function lengthOfArrows(motions, radius) {
  const force = common(motions.map(({ forces }) => forces).filter(Boolean), 3, 0),
    impulse = common(
      motions.map(({ contacts }) => contacts),
      6,
      3,
    );
  return [force, impulse].map((value) => (value > 0 ? radius / 3 / value : 0));
}
