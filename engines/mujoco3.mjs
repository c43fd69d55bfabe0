#!/usr/bin/env node
// mujoco3.mjs - MuJoCo 3 as an external solver of Holonom (doc/external.md), by the package mujoco-js in
// engines/node_modules (`npm ci` there). Settings are attributes of MuJoCo's <option>:
//
//   --solver "external:command=node engines/mujoco3.mjs cone=elliptic impratio=10"
//
// Trees of ball joints, hinges, sliders and fixed joints in MuJoCo's own coordinates; free bodies; planes,
// spheres, boxes, capsules and cylinders with the friction of each pair of shapes. All else is refused by its
// name: loops, limits, forces, restitution. Contact is MuJoCo's, soft by its defaults; there is no damping
// and no armature.
import { createInterface } from "node:readline";
import loadMujoco from "mujoco-js";

const reply = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");
const refuse = (why) => {
  throw new Error(`MuJoCo: ${why}`);
};

// ---- Vectors and quaternions (w, x, y, z) -----------------------------------------------------------------

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const minus = (a, b) => a.map((x, i) => x - b[i]);
const plus = (a, b) => a.map((x, i) => x + b[i]);
const times = (s, a) => a.map((x) => s * x);
const inverse = (q) => [q[0], -q[1], -q[2], -q[3]];
const product = (p, q) => [
  p[0] * q[0] - dot(p.slice(1), q.slice(1)),
  ...plus(plus(times(p[0], q.slice(1)), times(q[0], p.slice(1))), cross(p.slice(1), q.slice(1))),
];
const turn = (q, v) => {
  const t = times(2, cross(q.slice(1), v));
  return plus(plus(v, times(q[0], t)), cross(q.slice(1), t));
};
// Returns the rotation of the z axis to the unit vector n.
const fromZ = (n) => {
  const q = n[2] > -0.9 ? [1 + n[2], -n[1], n[0], 0] : [n[0], 0, 1 - n[2], n[1]];
  return times(1 / Math.hypot(...q), q);
};

// ---- The model as MJCF ------------------------------------------------------------------------------------

const text = (values) => values.map((x) => x.toPrecision(17)).join(" ");
const types = { ball: "ball", hinge: "hinge", slider: "slide", fixed: null };

// Gives every moving body its parent and the joint to it, from the ground outwards.
function plantTrees(model) {
  const number = new Map(model.bodies.map((body, i) => [body.name, i]));
  const nodes = model.bodies.map((body) => ({
    body,
    parent: -1,
    joint: null,
    flipped: false,
    placed: body.kind === "fixed",
  }));
  const joints = model.joints.map((joint) => ({
    ...joint,
    ends: [number.get(joint.a), number.get(joint.b)],
    used: false,
  }));
  for (const joint of joints)
    if (!(joint.type in types))
      refuse(`joint ${joint.name} is of type ${joint.type}, which is not translated`);
  const order = [];
  const grow = () => {
    for (let found = true; found; ) {
      found = false;
      for (const joint of joints) {
        const [a, b] = joint.ends;
        if (joint.used || nodes[a].placed === nodes[b].placed) continue;
        const child = nodes[a].placed ? b : a;
        Object.assign(nodes[child], { parent: a + b - child, joint, flipped: child === a, placed: true });
        joint.used = found = true;
        order.push(child);
      }
    }
  };
  grow();
  nodes.forEach((node, i) => {
    if (node.placed) return;
    node.placed = true;
    order.push(i);
    grow();
  });
  const loop = joints.find((joint) => !joint.used);
  if (loop) refuse(`joint ${loop.name} closes a loop`);
  return { nodes, order };
}

function geomOf(shape, name) {
  const place = `pos="${text(shape.position)}" name="${name}"`;
  const upright = product(shape.orientation, [Math.SQRT1_2, -Math.SQRT1_2, 0, 0]); // MuJoCo's z is our y
  const common = shape.collides ? "" : ' contype="0" conaffinity="0"';
  const geom = (type, size, q) => `<geom type="${type}" size="${size}" ${place} quat="${text(q)}"${common}/>`;
  switch (shape.kind) {
    case "plane":
      return geom("plane", "0 0 1", product(shape.orientation, fromZ(shape.normal)));
    case "box":
      return geom("box", text(times(0.5, shape.size)), shape.orientation);
    case "sphere":
      return geom("sphere", text([shape.radius]), shape.orientation);
    case "cylinder":
    case "capsule":
      return geom(shape.kind, text([shape.radius, 0.5 * shape.height]), upright);
    default:
      return refuse(`shape ${shape.kind} of body ${name.split(".")[0]} is not translated`);
  }
}

const geomsOf = (body, i) => body.shapes.map((shape, k) => geomOf(shape, `g${i}.${k}`)).join("");

function jointOf(node) {
  const { joint, flipped } = node;
  if (!joint) return "<freejoint/>";
  const type = types[joint.type];
  if (!type) return "";
  const point = flipped ? joint.point_a : joint.point_b;
  node.axis = type === "ball" ? null : times(flipped ? -1 : 1, (flipped ? joint.axes_a : joint.axes_b)[0]);
  return `<joint type="${type}" pos="${text(point)}"${node.axis ? ` axis="${text(node.axis)}"` : ""}/>`;
}

function bodyOf(nodes, i) {
  const node = nodes[i],
    { body } = node;
  const base =
    node.parent >= 0 ? nodes[node.parent].body : { position: [0, 0, 0], orientation: [1, 0, 0, 0] };
  node.rest = turn(inverse(base.orientation), minus(body.position, base.position));
  node.turn = product(inverse(base.orientation), body.orientation);
  const inertia = body.kind === "particle" ? [1e-12, 1e-12, 1e-12] : body.inertia;
  const inside = nodes.flatMap((other, k) =>
    other.parent === i && other.body.kind !== "fixed" ? [bodyOf(nodes, k)] : [],
  );
  return (
    `<body name="b${i}" pos="${text(node.rest)}" quat="${text(node.turn)}">` +
    `<inertial pos="0 0 0" mass="${text([body.mass])}" diaginertia="${text(inertia)}"/>` +
    `${jointOf(node)}${geomsOf(body, i)}${inside.join("")}</body>`
  );
}

// A <pair> for all shapes that can collide, with their own friction.
function pairsOf(nodes, surfaces) {
  const shapes = [],
    pairs = [];
  nodes.forEach(({ body }, i) => body.shapes.forEach((shape, k) => shapes.push({ i, k, shape })));
  const jointed = (i, k) => nodes[i].parent === k || nodes[k].parent === i;
  for (let a = 0; a < shapes.length; a++)
    for (let b = a + 1; b < shapes.length; b++) {
      const s = shapes[a],
        t = shapes[b],
        fixed = [s, t].filter(({ i }) => nodes[i].body.kind === "fixed").length;
      if (s.i === t.i || fixed === 2 || !s.shape.collides || !t.shape.collides || jointed(s.i, t.i)) continue;
      const {
        friction,
        restitution,
        rolling_friction: roll,
        torsional_friction: spin,
      } = surfaces.pairs[surfaces.kind[a]][surfaces.kind[b]];
      if (restitution > 0) refuse("there is no restitution");
      const condim = friction === 0 ? 1 : roll > 0 ? 6 : spin > 0 ? 4 : 3;
      pairs.push(
        `<pair geom1="g${s.i}.${s.k}" geom2="g${t.i}.${t.k}" condim="${condim}" ` +
          `friction="${text([friction, friction, spin, roll, roll])}"/>`,
      );
    }
  return pairs.join("");
}

function mjcfOf(model, surfaces, nodes, options) {
  for (const body of model.bodies)
    if (body.kind !== "fixed" && minus(body.gravity, model.gravity).some((x) => x !== 0))
      refuse(`body ${body.name} has a gravity of its own`);
  if (model.forces.length > 0) refuse(`force ${model.forces[0].name} is not translated`);
  const roots = nodes.flatMap(({ body, parent }, i) => {
    if (body.kind === "fixed")
      return [
        `<body name="b${i}" pos="${text(body.position)}" quat="${text(body.orientation)}">` +
          geomsOf(body, i) +
          nodes.flatMap((other, k) => (other.parent === i ? [bodyOf(nodes, k)] : [])).join("") +
          "</body>",
      ];
    return parent < 0 ? [bodyOf(nodes, i)] : [];
  });
  return (
    `<mujoco><compiler angle="radian" balanceinertia="false"/><size memory="500M"/>` +
    `<option gravity="${text(model.gravity)}" ${options}/>` +
    `<worldbody>${roots.join("")}</worldbody><contact>${pairsOf(nodes, surfaces)}</contact></mujoco>`
  );
}

// ---- States -----------------------------------------------------------------------------------------------

const pose = (b) => ({ x: b.slice(0, 3), q: b.slice(3, 7), v: b.slice(7, 10), w: b.slice(10, 13) });
const still = { x: [0, 0, 0], q: [1, 0, 0, 0], v: [0, 0, 0], w: [0, 0, 0] };

// Writes the coordinates of all bodies, in the order of the joints of MuJoCo.
function setState(nodes, sequence, bodies, data) {
  const qpos = data.qpos,
    qvel = data.qvel;
  let p = 0,
    v = 0;
  const put = (positions, velocities) => {
    for (const x of positions) qpos[p++] = x;
    for (const x of velocities) qvel[v++] = x;
  };
  for (const i of sequence) {
    const node = nodes[i],
      own = pose(bodies[i]),
      base = node.parent >= 0 ? pose(bodies[node.parent]) : still;
    const reference = product(base.q, node.turn),
      relative = product(inverse(reference), own.q);
    const rate = turn(inverse(own.q), minus(own.w, base.w));
    if (!node.joint) put([...own.x, ...own.q], [...own.v, ...turn(inverse(own.q), own.w)]);
    else if (node.joint.type === "ball") put(relative, rate);
    else if (node.joint.type === "hinge")
      put([2 * Math.atan2(dot(relative.slice(1), node.axis), relative[0])], [dot(rate, node.axis)]);
    else if (node.joint.type === "slider") {
      const axis = turn(own.q, node.axis),
        apart = minus(own.x, base.x);
      put(
        [dot(axis, minus(apart, turn(base.q, node.rest)))],
        [dot(axis, minus(minus(own.v, base.v), cross(base.w, apart)))],
      );
    }
  }
}

function getState(mujoco, model, data, nodes, bodies, numbers) {
  mujoco.mj_kinematics(model, data);
  mujoco.mj_comPos(model, data);
  mujoco.mj_comVel(model, data);
  const spatial = new mujoco.DoubleBuffer(6);
  const result = nodes.map(({ body }, i) => {
    if (body.kind === "fixed") return bodies[i];
    const n = numbers[i];
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY.value, n, spatial, 0);
    const rate = Array.from(spatial.GetView());
    return [
      ...data.xpos.slice(3 * n, 3 * n + 3),
      ...data.xquat.slice(4 * n, 4 * n + 4),
      ...rate.slice(3),
      ...rate.slice(0, 3),
    ];
  });
  spatial.delete();
  return result;
}

// ---- The program ------------------------------------------------------------------------------------------

const options = process.argv
  .slice(2)
  .map((word) => word.replace(/^([a-z_]+)=(.*)$/, '$1="$2"'))
  .join(" ");
const mujoco = await loadMujoco();
let model, data, nodes, sequence, numbers;

function begin({ model: ours, surfaces }) {
  ({ nodes } = plantTrees(ours));
  const xml = mjcfOf(ours, surfaces, nodes, options);
  mujoco.FS.writeFile("/scene.xml", xml);
  model = mujoco.MjModel.loadFromXML("/scene.xml");
  if (!model) refuse("it does not take the model");
  data = new mujoco.MjData(model);
  numbers = nodes.map((_, i) => mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY.value, `b${i}`));
  sequence = nodes
    .map((_, i) => i)
    .filter((i) => nodes[i].body.kind !== "fixed")
    .sort((a, b) => numbers[a] - numbers[b]);
  reply({ name: "MuJoCo", version: mujoco.mj_versionString(), order: /RK4/.test(options) ? 4 : 1 });
}

function step({ step: h, restart, bodies }) {
  model.opt.timestep = h;
  if (restart) {
    mujoco.mj_resetData(model, data);
    setState(nodes, sequence, bodies, data);
  }
  mujoco.mj_step(model, data);
  reply({ bodies: getState(mujoco, model, data, nodes, bodies, numbers) });
}

let started = false;
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  try {
    if (started) step(request);
    else begin(request);
  } catch (why) {
    reply(started ? { error: String(why.message ?? why) } : { unsupported: String(why.message ?? why) });
  }
  started = true;
}
