// modules_corners.mjs - the corners of the triangles of drawn objects, and their distances from closed forms.
import { cross, distance, dot, plus, unit } from "./modules_support.mjs";

let THREE;
export const setThree = (three) => (THREE = three);
export const times = (v, factor) => v.map((x) => factor * x);
export const vector = (v) => new THREE.Vector3(...v);
export const most = (list) => list.reduce((a, b) => Math.max(a, b), 0);

// The corners of a geometry placed by a matrix.
export function corners(geometry, matrix) {
  const { array, count } = geometry.attributes.position,
    at = vector([0, 0, 0]);
  return Array.from({ length: count }, (_, i) =>
    at
      .fromArray(array, 3 * i)
      .applyMatrix4(matrix)
      .toArray(),
  );
}

// The corners of instance I of an instanced mesh.
export function instance(mesh, i) {
  const matrix = new THREE.Matrix4();
  mesh.getMatrixAt(i, matrix);
  return corners(mesh.geometry, matrix);
}

// The largest coordinate of POINTS along WAY from ORIGIN, and the largest distance from that line.
export const along = (points, origin, way) => Math.max(...points.map((p) => dot(plus(p, origin, -1), way)));
export const aside = (points, origin, way) =>
  Math.max(...points.map((p) => Math.hypot(...cross(plus(p, origin, -1), way))));

// The largest deviation of the ends of arrow I from X and X + V.
export function arrowError(arrows, i, x, v) {
  const way = unit(v),
    [shaft, head] = arrows.meshes.map((mesh) => instance(mesh, i));
  const tips = [shaft, head].map((points) => along(points, x, way)),
    start = -along(shaft, x, times(way, -1));
  const end = Math.hypot(...v);
  return Math.max(
    Math.abs(tips[1] - end),
    Math.abs(start),
    Math.abs(tips[0] + along(head, plus(x, v), times(way, -1)) - end),
  );
}

// The corners of a box with these SIDES about AT.
export const block = (sides, at) => {
  const low = times(sides, -0.5);
  return [0, 1, 2, 3, 4, 5, 6, 7].map((i) =>
    plus(
      at,
      low.map((x, k) => ((i >> k) & 1 ? -x : x)),
    ),
  );
};

// The largest distance of a corner from the nearest of the expected ones, both ways.
export const apartFrom = (points, expected) =>
  Math.max(
    ...points.map((p) => Math.min(...expected.map((e) => distance(p, e)))),
    ...expected.map((e) => Math.min(...points.map((p) => distance(p, e)))),
  );
