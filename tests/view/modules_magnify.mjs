// modules_magnify.mjs - magnified differences of poses, and the frames in which they are taken.
import { apart, dot, equal, near, plus, quaternion, random, unit, verdict } from "./modules_support.mjs";

// The product of quaternions, from the sums of all products of units.
const product = ([a, ...u], [b, ...v]) => [
  a * b - dot(u, v),
  ...[0, 1, 2].map(
    (k) => a * v[k] + b * u[k] + u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3],
  ),
];
const motionOf = (times) => ({
  times,
  count: times.length,
  bodies: 1,
  about: { resolution: 2e-6 },
  end: times.at(-1),
  at: (time, into) => ((into.poses = Float64Array.of(time, 0, 0, 1, 0, 0, 0)), 0),
});

export function testMagnify({ magnify }) {
  const next = random(11);
  let place = 0,
    turn = 0;
  for (let trial = 0; trial < 50; trial++) {
    const axes = [0, 1].map(() => unit([next(), next(), next()])),
      x = [next(), next(), next()],
      by = [next(), next(), next()].map((d) => 1e-3 * d),
      q = quaternion(axes[0], 3 * next()),
      angle = 0.01 * next(),
      sign = trial % 2 ? -1 : 1;
    const base = Float64Array.of(...x, ...q),
      poses = Float64Array.of(...plus(x, by), ...product(quaternion(axes[1], angle), q).map((d) => sign * d));
    magnify.magnify(poses, base, 100, "q");
    place = Math.max(place, apart(poses.slice(0, 3), plus(x, by, 100)));
    turn = Math.max(turn, 1 - Math.abs(dot(poses.slice(3), product(quaternion(axes[1], 100 * angle), q))));
  }
  near("magnify: differences of positions are multiplied", place, 1e-12);
  near("magnify: rotation vectors are multiplied", turn, 1e-12);
  const base = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0),
    run = Float64Array.of(
      1,
      0,
      0,
      ...quaternion([0.6, 0, 0.8], 0.1),
      1,
      0,
      0,
      ...quaternion([0.6, 0, 0.8], 0.1),
    ),
    poses = run.slice();
  magnify.magnify(poses, base, 10, "x-");
  equal("magnify: unknown poses are left", [...poses], [10, ...run.slice(1)]);

  const fine = motionOf([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]),
    coarse = motionOf([0, 0.15, 0.3, 0.45, 0.6 + 1e-13]),
    odd = motionOf([0, 0.25, 0.55]);
  equal("magnify: common frames", magnify.commonFrames(fine, coarse), [
    [0, 0],
    [3, 2],
    [6, 4],
  ]);
  const layers = [
      { motion: coarse, name: "base", known: null },
      { motion: fine, name: "fine" },
      { motion: odd },
    ],
    magnifier = new magnify.Magnifier(layers[0]);
  equal("magnify: no label without magnification", magnifier.text(layers), "");
  magnifier.factor = 1000;
  equal("magnify: differences are taken at common frames", magnifier.times(fine, 0.5), [0.3, 0.3]);
  equal("magnify: without common frames both are interpolated", magnifier.times(odd, 0.4), [0.4, 0.4]);
  const label = magnifier.text(layers.slice(0, 2));
  verdict(
    "magnify: the label has factor and rounding",
    /^Difference from base × 1000 .* 0?\.?002|2\.0e-3/.test(label),
    label,
  );
  verdict("magnify: the label states interpolation", /interpolated/.test(magnifier.text(layers)));
}
