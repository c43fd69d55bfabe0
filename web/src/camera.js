// camera.js - the camera: orbit, views along axes, a view of the whole, following a body.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const ways = { front: [0, 0, 1], side: [1, 0, 0], top: [0, 1, 0], corner: [0.55, 0.4, 0.75] };

// The up direction: opposite to gravity if gravity is along an axis, else y.
function upOf(gravity) {
  const k = gravity.findIndex((g, i) => g !== 0 && gravity.every((other, n) => n === i || other === 0));
  return new THREE.Vector3(
    ...[0, 1, 2].map((i) => (i === (k < 0 ? 1 : k) ? (k >= 0 && gravity[k] > 0 ? -1 : 1) : 0)),
  );
}

export class Camera {
  // SIZE: low and high corner of the visible region, m.
  constructor(canvas, model, size, changed) {
    Object.assign(this, { planar: model.planar, followed: null });
    this.eye = model.planar ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(35, 1, 0.01, 100);
    this.eye.up.copy(upOf(model.gravity));
    this.controls = new OrbitControls(this.eye, canvas);
    if (model.planar) this.shiftOnly();
    this.controls.screenSpacePanning = true;
    this.controls.addEventListener("change", changed);
    this.changed = changed;
    this.setSize(size);
    this.aspect = 1.6;
    this.look(model.planar ? "front" : "corner");
  }

  // A planar view is never rotated: the gestures that rotate pan instead.
  shiftOnly() {
    this.controls.enableRotate = false;
    this.controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
    this.controls.touches = { ONE: THREE.TOUCH.PAN, TWO: THREE.TOUCH.DOLLY_PAN };
  }

  // Set a new SIZE of the visible region; the camera stays until the next look().
  setSize(size) {
    this.size = size;
    this.middle = new THREE.Vector3().addVectors(size.low, size.high).divideScalar(2);
  }

  // Show the whole region from a named direction, given for y up.
  look(way) {
    this.way = way;
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.eye.up);
    const direction = new THREE.Vector3(...ways[way]).normalize().applyQuaternion(turn),
      { middle } = this;
    if (way === "top")
      direction.addScaledVector(new THREE.Vector3(0, 0, 1).applyQuaternion(turn), 1e-3).normalize();
    const distance = this.distance(direction);
    this.controls.target.copy(middle);
    this.eye.position.copy(middle).addScaledVector(direction, distance);
    this.eye.near = distance / 100;
    this.eye.far = distance * 100;
    this.eye.zoom = 1;
    this.controls.update();
    this.changed();
  }

  // Place the camera on the line from the centre against DIRECTION, so that all corners are visible.
  distance(direction) {
    const side = new THREE.Vector3().crossVectors(this.eye.up, direction).normalize(),
      up = new THREE.Vector3().crossVectors(direction, side);
    const { low, high } = this.size,
      corner = new THREE.Vector3(),
      slope = Math.tan(((35 / 2) * Math.PI) / 180);
    let distance = 0;
    this.half = { up: 0, side: 0 };
    for (let i = 0; i < 8; i++) {
      corner.set(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z).sub(this.middle);
      const half = { up: 1.04 * Math.abs(corner.dot(up)), side: 1.04 * Math.abs(corner.dot(side)) };
      for (const way of ["up", "side"]) this.half[way] = Math.max(this.half[way], half[way]);
      distance = Math.max(
        distance,
        Math.max(half.up, half.side / this.aspect) / slope + corner.dot(direction),
      );
    }
    return distance;
  }

  // Rotate by steps of 10 degrees, or zoom: for keys.
  turn(across, along) {
    const away = this.eye.position.clone().sub(this.controls.target),
      up = this.eye.up;
    const side = new THREE.Vector3().crossVectors(up, away).normalize(),
      step = Math.PI / 18;
    away.applyAxisAngle(up, across * step);
    const lifted = away.clone().applyAxisAngle(side, -along * step);
    if (Math.abs(lifted.angleTo(up) - Math.PI / 2) < 1.5) away.copy(lifted);
    this.eye.position.copy(this.controls.target).add(away);
    this.controls.update();
    this.changed();
  }

  zoom(factor) {
    if (this.planar) this.eye.zoom *= factor;
    else this.eye.position.lerp(this.controls.target, 1 - 1 / factor);
    this.controls.update();
    this.changed();
  }

  // Shift camera and target.
  shift(way) {
    for (const place of [this.controls.target, this.eye.position]) place.add(way);
    this.controls.update();
  }

  // Shift with the followed body.
  follow(place) {
    if (!place) return (this.followed = null);
    if (this.followed) this.shift(place.clone().sub(this.followed));
    else {
      this.eye.position.add(place).sub(this.controls.target);
      this.controls.target.copy(place);
    }
    this.followed = place.clone();
    this.controls.update();
  }

  // Returns half the height (m) that a rectangle of this aspect ratio must show.
  height(aspect) {
    return Math.max(this.half.up, this.half.side / aspect);
  }

  // Fit the projection to a rectangle of this aspect ratio: one of several, or the whole canvas.
  fit(aspect) {
    const narrow = this.height(aspect) / this.height(this.aspect);
    if (this.planar) {
      const half = this.height(aspect);
      Object.assign(this.eye, { left: -half * aspect, right: half * aspect, top: half, bottom: -half });
    } else {
      const fov = 2 * Math.atan(Math.tan((35 * Math.PI) / 360) * narrow);
      Object.assign(this.eye, { aspect, fov: (fov * 180) / Math.PI });
    }
    this.eye.updateProjectionMatrix();
  }
}
