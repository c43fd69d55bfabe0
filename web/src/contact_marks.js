// contact_marks.js - marks of contacts: points, normals, friction cones, impulses.
import * as THREE from "three";
import { Arrows, Balls, Cones } from "./arrows.js";

const place = new THREE.Vector3(),
  normal = new THREE.Vector3(),
  way = new THREE.Vector3();
const inks = { points: "#222222", impulses: "#24b35a", normals: "#7a4fd0", cones: "#c9a227" };
const solid = (colour) => new THREE.MeshLambertMaterial({ color: colour });

export class ContactMarks {
  constructor(scale, thickness) {
    Object.assign(this, { scale, thickness });
    const clear = {
      color: inks.cones,
      transparent: true,
      opacity: 0.3,
      side: THREE.DoubleSide,
      depthWrite: false,
    };
    this.parts = {
      contacts: new Balls(solid(inks.points)),
      normals: new Arrows(solid(inks.normals)),
      cones: new Cones(new THREE.MeshBasicMaterial(clear)),
      impulses: new Arrows(solid(inks.impulses)),
    };
  }

  // CONTACTS: groups of WIDTH numbers, point and impulse; twelve numbers include normal and friction
  // (motion.js).
  update(shown, { contacts, width }, length) {
    const count = contacts ? contacts.length / width : 0,
      whole = width > 6;
    for (const part of Object.values(this.parts)) part.begin(count);
    for (let i = 0; i < count; i++) {
      const from = width * i;
      place.fromArray(contacts, from);
      if (shown.has("contacts")) this.parts.contacts.add(place, 0.4 * this.scale);
      if (whole) this.addNormal(shown, normal.fromArray(contacts, from + 3), contacts[from + 9]);
      if (shown.has("impulses"))
        this.parts.impulses.add(
          place,
          way.fromArray(contacts, from + (whole ? 6 : 3)).multiplyScalar(length),
          this.thickness,
        );
    }
    for (const part of Object.values(this.parts)) part.end();
  }

  // Normal and cone have three times the diameter of a joint as length. The cone shows friction up to 3.
  addNormal(shown, normal, friction) {
    const length = 3 * this.scale;
    if (shown.has("contact normals"))
      this.parts.normals.add(place, way.copy(normal).multiplyScalar(length), 0.4 * this.thickness);
    if (shown.has("friction cones") && friction > 0)
      this.parts.cones.add(place, normal, length, length * Math.min(3, friction));
  }

  // Use colours that contrast with the background of the page.
  theme(dark) {
    this.parts.contacts.material.color.set(dark ? "#f4f4f4" : inks.points);
  }
}
