// picture.js - reads the pictures of a lane: poses and measures after a step. Little endian, as current
// processors are, so that arrays are used in place.

const magic = 0x31464e48, // "HNF1"
  head = 128,
  none = 0xffffffff;
const counts = ["magic", "lane", "generation", "flags", "bodies", "joints", "contacts", "boxes"];
const measures = [
  "time",
  "steps",
  "energy",
  "drift",
  "velocity",
  "penetration",
  "impulses",
  "operations",
  "cost",
  "factor",
  "lag",
];
export const widths = { contact: 12, box: 6 };

// A snapshot (motion.js) with boxes and measures; null if BUFFER is not a picture.
export function readPicture(buffer) {
  if (buffer.byteLength < head) return null;
  const view = new DataView(buffer),
    count = Object.fromEntries(counts.map((name, i) => [name, view.getUint32(4 * i, true)]));
  const { bodies, joints, contacts, boxes } = count,
    sizes = [3 * joints, widths.contact * contacts, widths.box * boxes];
  if (count.magic !== magic || buffer.byteLength < head + 56 * bodies + 4 * (sizes[0] + sizes[1] + sizes[2]))
    return null;
  let at = head + 56 * bodies;
  const floats = (size) => new Float32Array(buffer, (at += 4 * size) - 4 * size, size);
  const [forces, touching, around] = sizes.map(floats),
    worst = view.getUint32(120, true);
  return {
    ...Object.fromEntries(measures.map((name, i) => [name, view.getFloat64(32 + 8 * i, true)])),
    lane: count.lane,
    generation: count.generation,
    bodies,
    measured: Boolean(count.flags & 4),
    worst: worst === none ? -1 : worst,
    poses: new Float64Array(buffer, head, 7 * bodies),
    forces: count.flags & 1 ? forces : null,
    contacts: touching,
    width: widths.contact,
    boxes: around,
  };
}

// Returns the largest distance between the bodies of A and B: { most (m), body }; null if A and B have other
// bodies or times.
export function apart(a, b) {
  if (!a || !b || a.bodies !== b.bodies || Math.abs(a.time - b.time) > 1e-9 * (1 + Math.abs(a.time)))
    return null;
  let most = 0,
    body = 0;
  for (let i = 0; i < a.bodies; i++) {
    const distance = Math.hypot(...[0, 1, 2].map((k) => a.poses[7 * i + k] - b.poses[7 * i + k]));
    if (distance > most || Number.isNaN(distance)) ((most = distance), (body = i));
  }
  return { most, body };
}
