// modules_data.mjs - packed motions, their interpolation, and their extent.
import { deflateSync } from "node:zlib";
import { byId, Part } from "./modules_page.mjs";
import { apart, dot, equal, near, plus, quaternion, random, unit } from "./modules_support.mjs";

// ---- Encoding, as cli/page/page_frames.c describes it ---------------------------------------------------

// Returns the bytes of an array by significance.
function planes(array) {
  const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength),
    size = array.BYTES_PER_ELEMENT;
  return Buffer.from(bytes.map((_, i) => bytes[(i % array.length) * size + Math.floor(i / array.length)]));
}

// Returns the words of a series of integers: second differences modulo 2^32, with the sign in the lowest bit.
function words(values) {
  const before = (i) => BigInt(i < 0 ? values[0] : values[i]);
  return Uint32Array.from(values, (value, i) => {
    const second = i === 0 ? BigInt(value) : before(i) - 2n * before(i - 1) + before(i - 2),
      left = BigInt.asIntN(32, second);
    return Number(left >= 0n ? 2n * left : -2n * left - 1n);
  });
}

const join = (arrays) => Uint32Array.from(arrays.flatMap((array) => [...array]));
const base64 = (...arrays) => deflateSync(Buffer.concat(arrays.map(planes))).toString("base64");

// A motion of two bodies: a parabola, and a rotation about AXIS by RATE, stored with alternating signs.
export const step = 0.11;
const axis = unit([2, -1, 3]),
  rate = 1.7,
  resolution = 2 ** -20,
  turning = 2 ** -28,
  frames = 40;
const placeOf = (body, t) => (body ? [3 - t, 2 * t, 0.5] : [t, 2 - 4.905 * t * t, -1.25]);
const turnOf = (body, t) => quaternion(body ? axis : [0, 0, 1], body ? rate * t : -0.4 * t);

export function packed(last = frames) {
  const times = Float64Array.from({ length: last }, (_, i) => i * step),
    series = (of, sizes, scale) =>
      join(
        [0, 1].flatMap((body) =>
          Array.from({ length: sizes }, (_, k) =>
            words(Array.from(times, (t, i) => Math.round(of(body, t, i)[k] / scale))),
          ),
        ),
      );
  const forces = Float32Array.from({ length: 3 * last }, (_, i) => i + 0.5),
    ends = Uint32Array.from(times, (_, i) => 2 * (i + 1)),
    contacts = Float32Array.from({ length: 12 * last }, (_, i) => i / 4);
  const positions = series(placeOf, 3, resolution),
    orientations = series((body, t, i) => turnOf(body, t).map((x) => (i % 2 ? -x : x)), 4, turning);
  return {
    about: { frames: last, bodies: 2, joints: 1, contacts: 2 * last, resolution, turning, stride: 1 },
    text: base64(times, positions, orientations, forces, ends, contacts),
  };
}

async function testPack({ pack }) {
  const next = random(3),
    series = [
      Array.from({ length: 200 }, (_, i) => Math.round(1e6 * Math.sin(i / 9) + 10 * next())),
      Array.from({ length: 200 }, () => Math.round(next() * (2 ** 31 - 1))),
      Array.from({ length: 200 }, (_, i) => 5 - 7 * i * i),
    ];
  const numbers = Float64Array.from({ length: 50 }, () => next() * 1e30);
  const reader = await pack.expand(base64(numbers, join(series.map(words)), Float32Array.of(0.1, -3e9)));
  equal("pack: doubles are read from their byte planes", [...reader.doubles(50)], [...numbers]);
  equal("pack: series of integers are restored", [...reader.series(3, 200)], series.flat());
  equal("pack: floats follow", [...reader.floats(2)], [Math.fround(0.1), -3e9]);
}

async function testMotion({ motion }) {
  const { about, text } = packed(),
    run = await motion.loadMotion(about, text),
    into = motion.snapshot(2);
  const error = { frame: 0, between: 0, turn: 0, norm: 0 };
  let late = 0,
    others = 0;
  for (let i = 0; i < frames; i++) {
    for (const time of [i * step, i * step * (1 - 4e-16), i * step * (1 + 4e-16), (i + 0.7) * step])
      late += run.frameAt(time) !== i;
    for (const part of i + 1 < frames ? [0, 0.25, 0.5, 0.9] : [0]) {
      others += run.at((i + part) * step, into) !== i;
      for (const body of [0, 1]) {
        const [from, to] = [i, i + 1].map((k) => placeOf(body, k * step)),
          place = plus(from, plus(to, from, -1), part),
          of = apart(into.poses.slice(7 * body, 7 * body + 3), place);
        error[part ? "between" : "frame"] = Math.max(error[part ? "between" : "frame"], of);
        // On the chord between two quaternions the half angle has this tangent.
        const half = (body ? rate : 0.4) * (step / 2),
          angle = 2 * Math.atan2(part * Math.sin(half), 1 - part + part * Math.cos(half)),
          exact = turnOf(body, i * step + angle / (body ? rate : 0.4)),
          q = into.poses.slice(7 * body + 3, 7 * body + 7);
        error.turn = Math.max(error.turn, 1 - Math.abs(dot(q, exact)));
        error.norm = Math.max(error.norm, Math.abs(Math.hypot(...q) - 1));
      }
    }
  }
  near("motion: positions of frames are rounded to the resolution", error.frame, 0.51 * resolution);
  near("motion: positions between frames are on straight lines", error.between, 0.51 * resolution);
  near("motion: rotations between frames are the shortest", error.turn, 1e-14);
  near("motion: quaternions have norm 1", error.norm, 1e-14);
  equal("motion: the frame of a time is the last one at or before it", [late, others], [0, 0]);
  run.at(5.5 * step, into);
  equal("motion: forces are those of the frame", [...into.forces], [15.5, 16.5, 17.5]);
  equal(
    "motion: contacts are those of the frame",
    [...into.contacts],
    Array.from({ length: 12 }, (_, i) => (60 + i) / 4),
  );
  near("motion: the last frame is kept after the end", Math.abs(run.at(1e3, into) - frames + 1), 0);
  equal(
    "motion: the position of a frame",
    apart(run.position(0, 9), placeOf(0, 9 * step)) < resolution,
    true,
  );
  near(
    "motion: the orientation of a frame",
    1 - Math.abs(dot(run.orientation(1, 8), turnOf(1, 8 * step))),
    turning,
  );
}

async function testReading({ data }) {
  const owners = [5, 12, 3, 7].map((last, i) => {
    const { about, text } = packed(last),
      part = new Part("script");
    part.textContent = text;
    byId.set(`frames-${i}`, part);
    return { frames: { ...about, id: `frames-${i}` } };
  });
  owners[2] = {}; // a run without a motion
  const motions = await data.readMotions({ runs: owners.slice(0, 3), reference: owners[3] });
  equal(
    "data: each run has its own motion, the reference the last",
    motions.map((one) => one?.count ?? 0),
    [5, 12, 0, 7],
  );
  equal(
    "data: encoded text is removed",
    [0, 1, 3].map((i) => byId.get(`frames-${i}`).removed),
    [true, true, true],
  );
}

// ---- The extent of a motion -----------------------------------------------------------------------------

function testExtent({ extent }) {
  const box = (size, position, kind) => ({
    kind,
    position,
    orientation: [1, 0, 0, 0],
    shapes: [{ kind: "box", size, position: [0, 0, 0], orientation: [1, 0, 0, 0] }],
  });
  const motion = {
    count: 25,
    bodies: 1,
    position: (body, frame) => [frame / 24, 0, 0],
    orientation: () => [1, 0, 0, 0],
  };
  const sizes = (...fixed) =>
    extent.extent({ bodies: [box([0.2, 0.4, 0.1], [0, 0, 0], "rigid"), ...fixed], joints: [], forces: [] }, [
      motion,
    ]);
  const alone = sizes(),
    across = Math.hypot(1.2, 0.4, 0.1) / 2,
    margin = 0.05 * across;
  near(
    "extent: the box of a moving body",
    apart(
      [...alone.low, ...alone.high],
      [-0.1 - margin, -0.2 - margin, -0.05 - margin, 1.1 + margin, 0.2 + margin, 0.05 + margin],
    ),
    1e-12,
  );
  near("extent: the radius", Math.abs(alone.radius - 1.05 * across), 1e-12);
  equal("extent: a distant floor is left out", sizes(box([50, 1, 50], [0, -9, 0], "fixed")), alone);
  const near_by = sizes(box([50, 1, 50], [0, -0.75, 0], "fixed"));
  // A tenth of the larger side, 0.12 m, of the floor is visible on each side.
  const low = [-0.22, -0.32, -0.17],
    high = [1.22, 0.2, 0.17],
    wide = 0.05 * (Math.hypot(...plus(high, low, -1)) / 2);
  near(
    "extent: the near part of a floor is shown",
    apart([...near_by.low, ...near_by.high], [...low.map((x) => x - wide), ...high.map((x) => x + wide)]),
    1e-12,
  );
  const motions = [
    {
      forces: Float32Array.from({ length: 3000 }, (_, i) => (i % 3 === 1 ? (i - 1) / 3 : 0)),
      contacts: Float32Array.of(9, 9, 9, 0, 3, 4),
    },
  ];
  const [force, impulse] = extent.lengthOfArrows(motions, 6);
  near("extent: the 99th percentile of forces has a third of the radius", Math.abs(force * 989 - 2), 1e-12);
  near("extent: so have the impulses", Math.abs(impulse * 5 - 2), 1e-12);
}

export async function testData(modules) {
  await testPack(modules);
  await testMotion(modules);
  await testReading(modules);
  testExtent(modules);
}
