// extras.js - marks of a lane beside its layer (layer.js): bounding boxes, trails, the joint with the largest
// error, and differences from the first lane.
import * as THREE from "three";
import { Balls, Lines } from "../arrows.js";
import { onTop } from "../marks.js";

const length = 400, // pictures of a trail
  many = 64, // the first bodies only have trails, since more would hide the scene
  a = new THREE.Vector3(),
  b = new THREE.Vector3();
const edges = [0, 1, 2].flatMap((k) => [0, 1, 2, 3].map((i) => [k, i]));
const line = (colour) => new THREE.LineBasicMaterial({ color: colour });

export const extraSwitches = ["bounding boxes", "trails", "worst joint", "differences"];

export class Extras {
  constructor(layer, { dot }) {
    Object.assign(this, { layer, dot, group: new THREE.Group(), trails: new Trails(layer) });
    this.boxes = new Lines(line("#7b8794"));
    this.worst = new Balls(
      new THREE.MeshBasicMaterial({ color: "#e01b24", transparent: true, opacity: 0.55 }),
    );
    this.apart = new Lines(line("#e01b24"));
    onTop([this.worst, this.apart]);
    this.group.add(...[this.boxes, this.worst, this.apart, this.trails].map(({ group }) => group));
  }

  paint(colour) {
    this.trails.material.color.set(colour);
  }

  // FIRST: picture of the first lane; null for the first lane itself, or if the pictures cannot be compared.
  update(shown, picture, first) {
    this.trails.update(shown.has("trails"), picture);
    this.drawBoxes(shown.has("bounding boxes") ? picture.boxes : []);
    this.markWorst(shown.has("worst joint") ? picture.worst : -1);
    this.drawApart(shown.has("differences") ? first : null, picture);
  }

  drawBoxes(boxes) {
    this.boxes.begin(2 * boxes.length);
    for (let i = 0; i + 6 <= boxes.length; i += 6)
      for (const [k, corner] of edges) {
        const ends = [0, 1, 2].map((n) => boxes[i + n + 3 * ((corner >> ((n - k + 2) % 3)) & 1)]);
        a.fromArray(ends).setComponent(k, boxes[i + k]);
        b.fromArray(ends).setComponent(k, boxes[i + k + 3]);
        this.boxes.add(a, b);
      }
    this.boxes.end();
  }

  markWorst(index) {
    const joint = this.layer.model.joints[index];
    this.worst.begin(joint ? 1 : 0);
    if (joint && joint.b >= 0)
      this.worst.add(this.layer.poses[joint.b].point(a, joint.point_b), 2.2 * this.dot);
    this.worst.end();
  }

  drawApart(first, { poses }) {
    const count = first ? poses.length / 7 : 0;
    this.apart.begin(count);
    for (let i = 0; i < count; i++)
      this.apart.add(a.fromArray(poses, 7 * i), b.fromArray(first.poses, 7 * i));
    this.apart.end();
  }
}

// Past positions of the centres of mass: a ring buffer of line segments.
class Trails {
  constructor(layer) {
    this.bodies = Math.min(many, layer.slots.length);
    this.material = line("#888888");
    this.geometry = new THREE.BufferGeometry();
    this.group = new THREE.LineSegments(this.geometry, this.material);
    this.group.frustumCulled = false;
    this.clear();
  }

  clear() {
    Object.assign(this, { next: 0, count: 0, last: null });
  }

  update(visible, picture) {
    this.group.visible = visible;
    if (!visible) return this.clear();
    if (!this.geometry.attributes.position) this.make();
    if (this.last && picture.time < this.last.time) this.clear();
    if (this.last && picture.time > this.last.time) this.add(picture);
    if (!this.last || picture.time > this.last.time) this.last = { time: picture.time, poses: picture.poses };
    this.geometry.setDrawRange(0, 2 * this.bodies * this.count);
  }

  make() {
    this.geometry.setAttribute(
      "position",
      new THREE.BufferAttribute(new Float32Array(6 * this.bodies * length), 3),
    );
  }

  add({ poses }) {
    const { array } = this.geometry.attributes.position,
      from = 6 * this.bodies * this.next;
    for (let i = 0; i < this.bodies; i++)
      for (let k = 0; k < 3; k++) {
        array[from + 6 * i + k] = this.last.poses[7 * i + k];
        array[from + 6 * i + 3 + k] = poses[7 * i + k];
      }
    this.next = (this.next + 1) % length;
    this.count = Math.min(length, this.count + 1);
    this.geometry.attributes.position.needsUpdate = true;
  }
}
