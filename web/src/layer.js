// layer.js - one motion of a mechanism: its bodies, drawn as instances, and marks.
import * as THREE from "three";
import { Marks } from "./marks.js";
import { partsOf } from "./shapes.js";

// The pose of a body as a matrix.
class Pose {
  constructor() {
    this.matrix = new THREE.Matrix4();
  }
  point(out, [x, y, z]) {
    return out.set(x, y, z).applyMatrix4(this.matrix);
  }
  set(numbers, at) {
    x.fromArray(numbers, at);
    q.set(numbers[at + 4], numbers[at + 5], numbers[at + 6], numbers[at + 3]);
    this.matrix.compose(x, q, one);
  }
}
const x = new THREE.Vector3(),
  q = new THREE.Quaternion(),
  one = new THREE.Vector3(1, 1, 1),
  hidden = new THREE.Matrix4().makeScale(0, 0, 0),
  placed = new THREE.Matrix4();

// Returns the colour of body I: the solver's hue, with lightness from dark to pale that differs between
// neighbours.
const tone = {},
  shade = new THREE.Color();
function shadeOf(colour, i) {
  colour.getHSL(tone, THREE.SRGBColorSpace);
  const part = (i * 0.6180339887498949) % 1,
    least = Math.max(0.2, tone.l - 0.22);
  return shade.setHSL(tone.h, tone.s, least + 0.44 * part, THREE.SRGBColorSpace);
}

export class Layer {
  // GHOST: transparent. KNOWN: for each moving body "q": pose, "x": position only, "-": unknown; null: all
  // poses.
  constructor(model, { ghost, known }, size) {
    Object.assign(this, {
      model,
      ghost: Boolean(ghost),
      faint: false,
      group: new THREE.Group(),
      known: known ?? null,
    });
    this.material = new THREE.MeshLambertMaterial(
      ghost ? { transparent: true, opacity: 0.35, depthWrite: false } : {},
    );
    this.poses = model.bodies.map(() => new Pose());
    this.slots = [];
    model.bodies.forEach((body, i) => {
      if (body.kind === "fixed") this.poses[i].set([...body.position, ...body.orientation], 0);
      else this.slots.push(i);
    });
    this.addBodies(size.dot);
    this.marks = ghost ? null : new Marks(model, size, (i) => this.poses[i]);
    if (this.marks) this.group.add(this.marks.group);
  }

  addBodies(dot) {
    const kinds = new Map();
    this.slots.forEach((i, slot) => {
      const known = this.known?.[slot] ?? "q";
      if (known === "-") return;
      for (const part of partsOf(known === "q" ? this.model.bodies[i] : { shapes: [] }, dot)) {
        if (!kinds.has(part.key)) kinds.set(part.key, { make: part.make, members: [] });
        kinds.get(part.key).members.push({ body: i, matrix: part.matrix });
      }
    });
    this.kinds = [...kinds.values()].map(({ make, members }) => {
      const mesh = new THREE.InstancedMesh(make(), this.material, members.length);
      mesh.frustumCulled = false;
      this.group.add(mesh);
      return { mesh, members };
    });
  }

  paint(colour, dark) {
    const own = new THREE.Color(colour);
    for (const { mesh, members } of this.kinds) {
      members.forEach(({ body }, k) => mesh.setColorAt(k, this.ghost ? own : shadeOf(own, body)));
      mesh.instanceColor.needsUpdate = true;
    }
    this.marks?.theme(dark);
  }

  // FAINT: transparent, as a layer over another.
  seeThrough(on) {
    if (this.ghost || this.material.transparent === on) return;
    Object.assign(this.material, {
      transparent: on,
      opacity: on ? 0.3 : 1,
      depthWrite: !on,
      needsUpdate: true,
    });
  }

  update(snapshot, shown) {
    this.slots.forEach((i, slot) => this.poses[i].set(snapshot.poses, 7 * slot));
    for (const { mesh, members } of this.kinds) {
      members.forEach(({ body, matrix }, k) => {
        const pose = this.poses[body].matrix;
        mesh.setMatrixAt(
          k,
          Number.isFinite(pose.elements[12]) ? placed.multiplyMatrices(pose, matrix) : hidden,
        );
      });
      mesh.instanceMatrix.needsUpdate = true;
    }
    this.seeThrough(this.faint || shown.has("bodies see-through"));
    this.marks?.update(shown, snapshot);
  }
}
