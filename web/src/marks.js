// marks.js - marks of a layer: joints and their axes, links, body axes, forces, contacts.
import * as THREE from "three";
import { Arrows, Balls, Lines } from "./arrows.js";
import { ContactMarks } from "./contact_marks.js";

const a = new THREE.Vector3(),
  b = new THREE.Vector3(),
  c = new THREE.Vector3();
const solid = (colour) => new THREE.MeshLambertMaterial({ color: colour });
const line = (colour) => new THREE.LineBasicMaterial({ color: colour });
// Colours that no solver has; body axes are red, green and blue as usual.
const inks = { joints: "#c9a227", axes: "#8a6d00", forces: "#e0326f" };

export const switches = [
  "joints",
  "joint axes",
  "body axes",
  "joint forces",
  "contacts",
  "contact normals",
  "friction cones",
  "impulses",
  "bodies see-through",
];

// Draw marks over the bodies. Links, which represent bodies, are drawn in depth order.
export function onTop(parts) {
  for (const part of parts) {
    (part.material ?? part.lines.material).depthTest = false;
    part.order = 1;
    part.group.renderOrder = 1;
  }
}

export class Marks {
  constructor(model, { dot: scale, radius }, poseOf) {
    Object.assign(this, {
      model,
      scale,
      poseOf,
      thickness: Math.max(0.5 * scale, radius / 180),
      group: new THREE.Group(),
      lengths: { force: 0, impulse: 0 },
    });
    this.links = new Lines(line("#888888"));
    this.axes = ["#d33a2c", "#2e9e3e", "#2c6bd3"].map((ink) => new Lines(line(ink)));
    this.parts = {
      joints: new Balls(solid(inks.joints)),
      "joint axes": new Lines(line(inks.axes)),
      "joint forces": new Arrows(solid(inks.forces)),
    };
    this.contacts = new ContactMarks(scale, this.thickness);
    const above = [...this.axes, ...Object.values(this.parts), ...Object.values(this.contacts.parts)];
    this.group.add(this.links.group, ...above.map((part) => part.group));
    onTop(above);
    this.drawn = this.linksOf(model);
  }

  // True if body I is drawn as a ball.
  bare(i) {
    const body = this.model.bodies[i];
    return body && body.kind !== "fixed" && body.shapes.length === 0;
  }

  // Rods and springs are lines between points. Bodies without shapes have lines from the centre of mass to
  // each joint.
  linksOf(model) {
    const links = [];
    for (const joint of [...model.joints, ...model.forces]) {
      if (joint.a < 0 || joint.b < 0) continue;
      const ends = [
        [joint.a, joint.point_a],
        [joint.b, joint.point_b],
      ];
      if (joint.type === "distance" || joint.type.includes("spring")) links.push(ends);
      for (const [body, point] of ends)
        if (this.bare(body) && Math.hypot(...point) > 0)
          links.push([
            [body, [0, 0, 0]],
            [body, point],
          ]);
    }
    return links;
  }

  world(out, body, point) {
    return this.poseOf(body).point(out, point);
  }

  update(shown, snapshot) {
    this.updateLinks();
    this.updateAxes(shown.has("body axes"));
    this.updateJoints(shown, snapshot);
    this.contacts.update(shown, snapshot, this.lengths.impulse);
  }

  updateLinks() {
    this.links.begin(this.drawn.length);
    for (const [[i, p], [k, r]] of this.drawn) this.links.add(this.world(a, i, p), this.world(b, k, r));
    this.links.end();
  }

  updateAxes(visible) {
    const bodies = visible ? this.model.bodies : [],
      length = 4 * this.scale;
    this.axes.forEach((part, k) => {
      part.begin(bodies.length);
      bodies.forEach((body, i) => {
        if (body.kind === "rigid")
          part.add(
            this.world(a, i, [0, 0, 0]),
            this.world(
              b,
              i,
              [0, 1, 2].map((n) => (n === k ? length : 0)),
            ),
          );
      });
      part.end();
    });
  }

  updateJoints(shown, snapshot) {
    const { joints } = this.model,
      balls = this.parts.joints,
      axes = this.parts["joint axes"],
      arrows = this.parts["joint forces"];
    (balls.begin(2 * joints.length), axes.begin(joints.length), arrows.begin(joints.length));
    joints.forEach((joint, j) => {
      if (joint.a < 0 || joint.b < 0) return;
      if (shown.has("joints")) {
        // A smaller mark leaves the balls visible.
        const size = this.bare(joint.a) || this.bare(joint.b) ? 0.6 * this.scale : this.scale;
        balls.add(this.world(a, joint.a, joint.point_a), size);
        if (joint.type === "distance") balls.add(this.world(a, joint.b, joint.point_b), size);
      }
      if (shown.has("joint axes") && joint.axis_a) {
        const along = (way) => joint.point_a.map((x, k) => x + way * 3 * this.scale * joint.axis_a[k]);
        axes.add(this.world(a, joint.a, along(-1)), this.world(b, joint.a, along(1)));
      }
      if (shown.has("joint forces") && snapshot.forces) {
        c.fromArray(snapshot.forces, 3 * j).multiplyScalar(this.lengths.force);
        arrows.add(this.world(a, joint.b, joint.point_b), c, this.thickness);
      }
    });
    (balls.end(), axes.end(), arrows.end());
  }

  theme(dark) {
    this.contacts.theme(dark);
  }
}
