// shapes.js - appearance of bodies: parts, each with a shared geometry and a matrix of its pose.
import * as THREE from "three";

const unit = {
  box: () => new THREE.BoxGeometry(1, 1, 1),
  sphere: () => new THREE.SphereGeometry(1, 24, 16),
  dot: () => new THREE.SphereGeometry(1, 12, 8), // about ten pixels: the error is a third of a pixel
  cylinder: () => new THREE.CylinderGeometry(1, 1, 1, 32),
  circle: () => new THREE.CylinderGeometry(1, 1, 1, 48).rotateX(Math.PI / 2),
};

function hull(shape, depth) {
  const positions = [],
    corner = (i) => shape.corners.slice(3 * i, 3 * i + 3);
  if (shape.kind === "polygon") {
    const outline = new THREE.Shape(
      shape.faces.length ? ring(shape).map((i) => new THREE.Vector2(...corner(i))) : [],
    );
    return new THREE.ExtrudeGeometry(outline, { depth, bevelEnabled: false }).translate(0, 0, -depth / 2);
  }
  for (const face of shape.faces)
    for (let i = 2; i < face.length; i++)
      positions.push(...corner(face[0]), ...corner(face[i - 1]), ...corner(face[i]));
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
  geometry.computeVertexNormals();
  return geometry;
}

// Returns the triangles of a height field; the diagonal of a cell joins the ends of its lower sides.
function terrain({ size, row, heights }) {
  const positions = [],
    rows = heights.length / row;
  const point = (i, j) => [
    (i / (row - 1) - 0.5) * size[0],
    heights[j * row + i],
    (j / (rows - 1) - 0.5) * size[1],
  ];
  for (let j = 0; j + 1 < rows; j++)
    for (let i = 0; i + 1 < row; i++) {
      positions.push(...point(i, j), ...point(i, j + 1), ...point(i + 1, j));
      positions.push(...point(i + 1, j + 1), ...point(i + 1, j), ...point(i, j + 1));
    }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
  geometry.computeVertexNormals();
  return geometry;
}

// Returns the corners of a convex polygon in order, by their angle about the centre.
function ring(shape) {
  const count = shape.corners.length / 3,
    middle = [0, 1].map((k) => shape.corners.reduce((sum, x, i) => sum + (i % 3 === k ? x : 0), 0) / count);
  const angle = (i) => Math.atan2(shape.corners[3 * i + 1] - middle[1], shape.corners[3 * i] - middle[0]);
  return [...Array(count).keys()].sort((a, b) => angle(a) - angle(b));
}

// Returns the geometry of a shape: [key, constructor, scale].
function geometryOf(shape, depth) {
  const [a, b, c] = shape.size;
  switch (shape.kind) {
    case "box":
      return ["box", unit.box, [a, b, c || depth]];
    case "sphere":
      return ["sphere", unit.sphere, [a, a, a]];
    case "ellipsoid":
      return ["sphere", unit.sphere, [a, b, c]];
    case "cylinder":
      return ["cylinder", unit.cylinder, [a, b, a]];
    case "circle":
      return ["circle", unit.circle, [a, a, depth]];
    case "capsule":
      return [`capsule ${b / a}`, () => new THREE.CapsuleGeometry(1, b / a, 8, 24), [a, a, a]];
    case "convex":
    case "polygon":
      return [JSON.stringify([shape.corners, shape.faces]), () => hull(shape, depth), [1, 1, 1]];
    case "height_field":
      return [JSON.stringify([shape.size, shape.row, shape.heights]), () => terrain(shape), [1, 1, 1]];
    default:
      return null; // planes are drawn by ground.js
  }
}

const place = (x, q, scale) =>
  new THREE.Matrix4().compose(
    new THREE.Vector3(...x),
    new THREE.Quaternion(q[1], q[2], q[3], q[0]),
    new THREE.Vector3(...scale),
  );

// Returns the parts of BODY: its shapes, or a ball of radius DOT if it has none.
export function partsOf(body, dot) {
  const parts = [];
  for (const shape of body.shapes) {
    const found = geometryOf(shape, dot);
    if (found)
      parts.push({
        key: found[0],
        make: found[1],
        matrix: place(shape.position, shape.orientation, found[2]),
      });
  }
  if (parts.length === 0 && body.shapes.length === 0)
    parts.push({
      key: "dot",
      make: unit.dot,
      matrix: place([0, 0, 0], [1, 0, 0, 0], [dot, dot, dot]),
      dot: true,
    });
  return parts;
}

// Returns the half-extents of SHAPE about its origin, along its axes; zero for planes.
function halfSides({ kind, size: [a, b, c], corners, heights }) {
  if (corners)
    return [0, 1, 2].map((k) => Math.max(...corners.map((x, i) => (i % 3 === k ? Math.abs(x) : 0))));
  switch (kind) {
    case "plane":
      return [0, 0, 0];
    case "box":
      return [a / 2, b / 2, (c || 0) / 2];
    case "ellipsoid":
      return [a, b, c];
    case "height_field":
      return [a / 2, heights.reduce((most, y) => Math.max(most, Math.abs(y)), 0), b / 2];
    case "cylinder":
      return [a, b / 2, a];
    case "capsule":
      return [a, a + b / 2, a];
    default:
      return [a, a, kind === "circle" ? 0 : a];
  }
}

// Returns the half-extents of SHAPE rotated by Q = [w, x, y, z].
export function turned(half, [w, x, y, z]) {
  const rows = [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
  return rows.map((row) => row.reduce((sum, r, k) => sum + Math.abs(r) * half[k], 0));
}

// Returns the half-extents of BODY about its centre of mass, along its axes, m.
export function reach(body) {
  const most = [0, 0, 0];
  for (const shape of body.shapes.filter(({ kind }) => kind !== "plane"))
    turned(halfSides(shape), shape.orientation).forEach((half, k) => {
      most[k] = Math.max(most[k], half + Math.abs(shape.position[k]));
    });
  return most;
}
