// modules_bodies.mjs - shapes, the ground, bodies in their poses with shades, joints and their forces.
import {
  along,
  apartFrom,
  arrowError,
  block,
  corners,
  instance,
  most,
  times,
  vector,
} from "./modules_corners.mjs";
import {
  apart,
  distance,
  dot,
  equal,
  lab,
  least,
  near,
  plus,
  quaternion,
  rotated,
  unit,
} from "./modules_support.mjs";

const axis = unit([1, -3, 2]),
  angle = 0.9,
  turn = quaternion(axis, angle);
const solid = (kind, size, more = {}) => ({
  kind,
  size,
  position: [0, 0, 0],
  orientation: [1, 0, 0, 0],
  ...more,
});

function testShapes({ shapes }) {
  const at = [0.4, -0.1, 0.7],
    bounds = {
      box: [0.1, 0.3, 0.45],
      sphere: [0.2, 0.2, 0.2],
      cylinder: [0.2, 0.3, 0.2],
      capsule: [0.2, 0.5, 0.2],
      ellipsoid: [0.2, 0.6, 0.9],
      height_field: [0.1, 0.5, 0.3],
    };
  for (const [kind, half] of Object.entries(bounds)) {
    const size = kind === "box" || kind === "ellipsoid" ? [0.2, 0.6, 0.9] : [0.2, 0.6],
      heights = { row: 3, heights: [0.5, -0.1, 0.2, -0.5, 0.3, 0.1] },
      body = { shapes: [solid(kind, size, { position: at, ...(kind === "height_field" ? heights : {}) })] },
      [part] = shapes.partsOf(body, 0.05),
      points = corners(part.make(), part.matrix);
    const found = [0, 1, 2].map((k) => [Math.min, Math.max].map((end) => end(...points.map((p) => p[k]))));
    near(
      `shapes: ${kind}: its extent`,
      apart(
        found.flat(),
        half.flatMap((h, k) => [at[k] - h, at[k] + h]),
      ),
      1e-6,
    );
    near(
      `shapes: ${kind}: its reach from the centre of mass`,
      apart(shapes.reach(body), plus(half, times(at, 1).map(Math.abs))),
      1e-12,
    );
  }
  const [turned] = shapes.partsOf({
    shapes: [solid("box", [0.2, 0.6, 0.9], { position: at, orientation: turn })],
  });
  const expected = block([0.2, 0.6, 0.9], [0, 0, 0]).map((p) => plus(at, rotated(p, axis, angle)));
  near(
    "shapes: a shape is placed in its body",
    apartFrom(corners(turned.make(), turned.matrix), expected),
    1e-6,
  );
  const [ball] = shapes.partsOf({ shapes: [] }, 0.05);
  near(
    "shapes: a body without shapes is a ball",
    Math.abs(along(corners(ball.make(), ball.matrix), [0, 0, 0], [0, 1, 0]) - 0.05),
    1e-6,
  );
  equal(
    "shapes: planes are left to the ground",
    shapes.partsOf({ shapes: [solid("plane", [0, 1, 0])] }, 1),
    [],
  );
}

function testGround({ ground: { Ground } }) {
  const normal = unit([1, 2, 3]),
    model = {
      bodies: [
        { kind: "fixed", position: [1, 2, 3], orientation: turn, shapes: [solid("box", [0.2, 0.6, 0.9])] },
        { kind: "fixed", position: [0, -1, 0], orientation: turn, shapes: [solid("plane", normal)] },
        { kind: "rigid", position: [9, 9, 9], orientation: turn, shapes: [solid("box", [1, 1, 1])] },
      ],
    };
  const size = { low: vector([-1, -1, -1]), high: vector([2, 1, 1]), radius: 2 },
    made = new Ground(model, size, 0.05),
    [mesh, square] = made.group.children;
  equal("ground: fixed shapes alone", made.group.children.length, 2);
  const expected = block([0.2, 0.6, 0.9], [0, 0, 0]).map((p) => plus([1, 2, 3], rotated(p, axis, angle)));
  near("ground: fixed shapes are turned", apartFrom(corners(mesh.geometry, mesh.matrix), expected), 1e-6);
  const up = rotated(normal, axis, angle),
    below = (place) => {
      made.follow(vector(place));
      square.updateMatrixWorld(true);
      return corners(square.children[0].geometry, square.children[0].matrixWorld);
    };
  const level = (points) => most(points.map((p) => Math.abs(dot(plus(p, [0, -1, 0], -1), up) + 1e-3 * 2)));
  near("ground: a plane is a square across its normal", level(below([0, 0, 0])), 1e-5);
  const [before, after] = [[0, 0, 0], [31, -17, 8]].map((place) => [place, below(place)]); // prettier-ignore
  near("ground: it stays in its plane", level(after[1]), 1e-5);
  const shift = plus(after[1][0], before[1][0], -1),
    cell = 8 / 24,
    sides = [1, 2].map((k) => unit(plus(after[1][k], after[1][0], -1)));
  const cells = sides.map((side) => dot(shift, side) / cell);
  near("ground: it moves by whole cells", most(cells.map((n) => Math.abs(n - Math.round(n)))), 1e-4);
  const middle = after[1].reduce((sum, p) => plus(sum, p, 1 / after[1].length), [0, 0, 0]);
  near(
    "ground: its centre is within half a cell",
    most(sides.map((side) => Math.abs(dot(plus(middle, after[0], -1), side)))),
    0.5001 * cell,
  );
}

const size = { dot: 0.05, radius: 2 };
function mechanism() {
  const box = { kind: "rigid", name: "box", shapes: [solid("box", [0.2, 0.6, 0.9])] },
    bare = { kind: "rigid", name: "bare", shapes: [] };
  const post = { kind: "fixed", position: [5, 0, 0], orientation: turn, shapes: [] };
  const joint = {
    type: "hinge",
    a: 1,
    b: 0,
    point_a: [0, 0.5, 0],
    point_b: [0.1, 0.3, -0.45],
    axis_a: [0, 0, 1],
  };
  return { bodies: [box, post, ...Array.from({ length: 6 }, () => bare)], joints: [joint], forces: [] };
}

function testLayer({ THREE, layer: { Layer } }) {
  const model = mechanism(),
    layer = new Layer(model, {}, size),
    place = [0.3, -2, 1],
    poses = new Float64Array(49);
  for (let slot = 0; slot < 7; slot++) poses.set([slot, 0, 0, 1, 0, 0, 0], 7 * slot);
  poses.set([...place, ...turn], 0);
  poses[7 * 2] = NaN;
  const force = [30, -40, 12],
    state = { poses, forces: Float64Array.from(force), contacts: null, width: 6 };
  layer.marks.lengths = { force: 0.01, impulse: 1 };
  layer.update(state, new Set(["joints", "joint axes", "joint forces", "body axes"]));
  const world = (p) => plus(place, rotated(p, axis, angle)),
    [boxes, balls] = layer.kinds.map(({ mesh }) => mesh);
  near(
    "layer: bodies are placed and turned",
    apartFrom(instance(boxes, 0), block([0.2, 0.6, 0.9], [0, 0, 0]).map(world)),
    1e-6,
  );
  equal(
    "layer: a body without a place is hidden",
    instance(balls, 1).every((p) => Math.hypot(...p) === 0),
    true,
  );
  layer.paint("#0072B2", false);
  const colour = new THREE.Color(),
    shades = [0, 1, 2, 3, 4, 5].map((i) => (balls.getColorAt(i, colour), lab(`#${colour.getHexString()}`)));
  least(
    "layer: neighbours differ in CIE Lab",
    Math.min(...shades.slice(1).map((shade, i) => distance(shade, shades[i]))),
    8,
  );

  const { joints, "joint axes": axes, "joint forces": arrows } = layer.marks.parts,
    anchor = plus([5, 0, 0], rotated([0, 0.5, 0], axis, angle)),
    ends = axes.geometry.attributes.position.array;
  near(
    "marks: a joint is a ball at its point",
    Math.abs(along(instance(joints.meshes[0], 0), anchor, [0, 1, 0]) - 0.05),
    1e-6,
  );
  near(
    "marks: a joint force acts at the point of the second body",
    arrowError(arrows, 0, world([0.1, 0.3, -0.45]), times(force, 0.01)),
    1e-5,
  );
  const reach = rotated([0, 0, 0.15], axis, angle);
  near(
    "marks: the axis of a joint",
    apart(ends.slice(0, 6), [...plus(anchor, reach, -1), ...plus(anchor, reach)]),
    1e-6,
  );
  const third = layer.marks.axes[2].geometry.attributes.position.array;
  near("marks: body axes", apart(third.slice(0, 6), [...place, ...world([0, 0, 0.2])]), 1e-6);
  layer.update({ ...state, forces: null }, new Set());
  equal(
    "marks: marks that are off",
    [joints.meshes[0], arrows.meshes[0]].map(({ count }) => count),
    [0, 0],
  );
}

export function testBodies(modules) {
  testShapes(modules);
  testGround(modules);
  testLayer(modules);
}
