// hand.js - mouse and touch on bodies: pulling with a mouse spring, or striking. Gestures outside of bodies,
// and with two fingers, go to the camera.
import * as THREE from "three";

const clickReach = { mouse: 10, pen: 10, touch: 24 }, // px: largest distance of a click from a body
  clickRadius = 5, // px: a shorter drag is a click
  targetInterval = 33; // ms between two target commands
const ray = new THREE.Raycaster(),
  pointer = new THREE.Vector2(),
  plane = new THREE.Plane(),
  a = new THREE.Vector3(),
  b = new THREE.Vector3(),
  into = new THREE.Vector3();

// Returns the mouse spring for a body of MASS (kg): of FREQUENCY (Hz), critically damped.
export function spring(mass, frequency) {
  const turns = 2 * Math.PI * frequency;
  return { stiffness: mass * turns ** 2, damping: 2 * mass * turns };
}
export const newGrip = () => `p${Math.random().toString(36).slice(2, 8)}-${++grips}`;
let grips = 0;

export class Hand {
  // WILL: current settings { does: "pull", "strike" or "camera", frequency (Hz), change (m/s) }. SEND sends a
  // command.
  constructor(stage, will, send) {
    Object.assign(this, { stage, will, send, held: null, own: null, gone: null, passing: false });
    const { element } = stage,
      on = (name, listener) => element.addEventListener(name, listener, { capture: true });
    on("pointerdown", (event) => this.down(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.up(event));
    on("pointercancel", (event) => this.isHolder(event) && this.release());
    on("pointerleave", () => this.showHover(null));
    on("contextmenu", (event) => this.held && event.preventDefault()); // long press of a finger
    stage.state.on("hello", () => this.drop());
    stage.state.on(
      "refused",
      ({ command }) => command?.do === "grip" && command.id === this.held?.id && this.drop(),
    );
  }

  // Set the ray of the camera through EVENT, in the rectangle of one lane if they are side by side. Returns
  // its layers and size.
  aim(event) {
    const { view, canvas } = this.stage,
      box = canvas.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width,
      y = (event.clientY - box.top) / box.height;
    const cell = view.cells().find(([, left, top, wide, high]) => x - left < wide && y - top < high);
    const [only, left, top, wide, high] = cell ?? [null, 0, 0, 1, 1];
    const size = { x: wide * box.width, y: high * box.height };
    view.camera.fit(size.x / size.y);
    view.camera.eye.updateMatrixWorld();
    pointer.set((2 * (x - left)) / wide - 1, 1 - (2 * (y - top)) / high);
    ray.setFromCamera(pointer, view.camera.eye);
    return { layers: only ? [only] : view.layers.filter(({ group }) => group.visible), size };
  }

  // Returns the body under the mouse: { layer, body: index, at }, or null.
  pick(event) {
    if (!this.stage.view || this.stage.due) return null;
    const { layers, size } = this.aim(event);
    for (const layer of layers) {
      const hit =
        this.surface(layer) ?? this.beside(layer, size, clickReach[event.pointerType] ?? clickReach.mouse);
      if (hit) return { layer, ...hit };
    }
    return null;
  }

  surface({ kinds }) {
    let best = null;
    for (const { mesh, members } of kinds) {
      mesh.computeBoundingSphere();
      const [hit] = ray.intersectObject(mesh, false);
      if (hit && (!best || hit.distance < best.distance))
        best = { distance: hit.distance, body: members[hit.instanceId].body, at: hit.point.clone() };
    }
    return best;
  }

  // Returns the body whose centre or link is nearest on the screen, within REACH (px).
  beside(layer, size, reach) {
    let best = null;
    const { eye } = this.stage.view.camera;
    const flat = (v) =>
      v.project(eye).set(((v.x - pointer.x) * size.x) / 2, ((v.y - pointer.y) * size.y) / 2, v.z);
    const offer = (body, from, to) => {
      const start = flat(a.copy(from)).clone(),
        way = flat(b.copy(to)).sub(start).setZ(0);
      const part =
        way.lengthSq() > 0
          ? Math.min(1, Math.max(0, -(start.x * way.x + start.y * way.y) / way.lengthSq()))
          : 0;
      const distance = Math.hypot(start.x + part * way.x, start.y + part * way.y);
      if (start.z > 1 || !(distance < (best?.distance ?? reach))) return;
      best = { distance, body, at: from.clone().lerp(to, part) };
    };
    for (const body of layer.slots) {
      const middle = layer.poses[body].point(new THREE.Vector3(), [0, 0, 0]);
      offer(body, middle, middle);
    }
    for (const [[i, p], [k, r]] of layer.marks?.drawn ?? [])
      if (i === k)
        offer(i, layer.poses[i].point(new THREE.Vector3(), p), layer.poses[i].point(new THREE.Vector3(), r));
    return best;
  }

  // Returns the intersection of the ray with the plane through AT that faces the camera.
  intersect(event, at) {
    this.aim(event);
    const { eye } = this.stage.view.camera;
    plane.setFromNormalAndCoplanarPoint(eye.getWorldDirection(into), at);
    return ray.ray.intersectPlane(plane, new THREE.Vector3());
  }

  // True if EVENT belongs to the pointer that holds a body.
  isHolder({ pointerId }) {
    return this.held?.event.pointerId === pointerId;
  }

  down(event) {
    if (event.target !== this.stage.canvas || this.passing) return;
    if (this.held && event.pointerType === "touch") return this.passToCamera();
    if (this.held || event.button !== 0 || !event.isPrimary) return;
    const does = event.shiftKey ? "strike" : this.will.does,
      found = does === "camera" ? null : this.pick(event);
    if (!found) return;
    const { layer, body, at } = found,
      { model } = layer;
    if (model.planar) at.z = model.bodies[body].position[2];
    const { name, mass } = model.bodies[body];
    this.held = {
      does,
      layer,
      body,
      name,
      mass,
      at,
      event, // newest event
      x: event.clientX,
      y: event.clientY,
      along: ray.ray.direction.clone(),
    };
    this.stage.view.camera.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.canvas.focus({ preventScroll: true });
    if (does === "pull") this.attach();
    if (event.pointerType === "touch") this.showName(name);
    event.stopPropagation();
    event.preventDefault();
  }

  // A second finger: pass the first one on to the camera, too.
  passToCamera() {
    const { event } = this.held;
    this.release();
    this.passing = true;
    this.stage.canvas.dispatchEvent(new PointerEvent("pointerdown", event));
    this.passing = false;
  }

  attach() {
    const { held } = this,
      at = held.at.toArray();
    const point = held.at.clone().applyMatrix4(held.layer.poses[held.body].matrix.clone().invert()).toArray();
    Object.assign(held, { id: newGrip(), sent: performance.now() });
    const { stiffness, damping } = spring(held.mass, this.will.frequency);
    this.send({ do: "grip", id: held.id, body: held.name, at, stiffness, damping });
    this.own = { id: held.id, body: held.name, point, target: at };
    this.stage.requestDraw();
  }

  move(event) {
    if (!this.held) return this.showHover(event);
    event.stopPropagation();
    if (!this.isHolder(event)) return;
    this.held.event = event;
    if (this.held.does !== "pull") return;
    const to = this.intersect(event, this.held.at);
    if (!to) return;
    if (this.held.layer.model.planar) to.z = this.held.at.z;
    this.own.target = to.toArray();
    if (performance.now() - this.held.sent >= targetInterval) this.target();
    else this.later ??= setTimeout(() => this.target(), targetInterval);
    this.stage.requestDraw();
  }

  target() {
    clearTimeout(this.later);
    this.later = null;
    if (!this.held?.id) return;
    this.held.sent = performance.now();
    this.send({ do: "target", id: this.held.id, to: this.own.target });
  }

  up(event) {
    if (!this.held) return;
    event.stopPropagation();
    if (!this.isHolder(event)) return;
    if (this.held.does === "strike") this.strike(event);
    this.release();
  }

  // Strike along the view, or along the drag; in a planar scene from the point of impact to the body's
  // centre.
  strike(event) {
    const { at, x, y, along, name, mass, layer, body } = this.held;
    const moved =
      Math.hypot(event.clientX - x, event.clientY - y) > clickRadius
        ? this.intersect(event, at)?.sub(at)
        : null;
    let way = moved ?? along;
    if (layer.model.planar) {
      way = moved ?? layer.poses[body].point(new THREE.Vector3(), [0, 0, 0]).sub(at);
      way.z = 0;
      if (!(way.length() > 1e-9)) way.set(1, 0, 0);
    }
    const impulse = way.normalize().multiplyScalar(mass * this.will.change);
    this.send({
      do: "impulse",
      body: name,
      at: at.toArray(),
      impulse: impulse.toArray().map((value) => value + 0),
    });
  }

  // Release the body.
  release() {
    if (this.held?.id) (this.target(), this.send({ do: "release", id: this.held.id }));
    this.drop();
  }

  // Clear the record of the held body.
  drop() {
    if (!this.held) return;
    if (this.held.event.pointerType === "touch") this.showName(null);
    Object.assign(this, { gone: this.own?.id, held: null, own: null });
    this.stage.view.camera.controls.enabled = true;
    this.stage.requestDraw();
  }

  // Show the name of the body under the mouse.
  showHover(event) {
    if (!event || event.buttons) return this.showName(null);
    if (this.looked && event.timeStamp - this.looked < 100) return;
    this.looked = event.timeStamp;
    const found = this.will.does === "camera" && !event.shiftKey ? null : this.pick(event);
    this.showName(found ? found.layer.model.bodies[found.body].name : null);
  }

  showName(name) {
    this.stage.hover.textContent = name ?? "";
    this.stage.canvas.classList.toggle("over", name !== null);
  }
}
