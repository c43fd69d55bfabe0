// scene3d.js - a mechanism in three dimensions: layers, each with a motion, overlaid or side by side. It
// draws snapshots (motion.js).
import * as THREE from "three";
import { Camera } from "./camera.js";
import { Ground } from "./ground.js";
import { Layer } from "./layer.js";

export function hasWebGL() {
  try {
    const canvas = document.createElement("canvas");
    return Boolean(canvas.getContext("webgl2"));
  } catch {
    return false;
  }
}

const cornersOf = ({ low, high, radius }) => ({
  low: new THREE.Vector3(...low),
  high: new THREE.Vector3(...high),
  radius,
});

// Removes an object from the scene and frees its graphics memory.
function discard(group) {
  group.removeFromParent();
  group.traverse((part) => {
    for (const own of [part, part.geometry, part.material].flat()) own?.dispose?.();
  });
}

export class View {
  // SIZE: corners LOW and HIGH of the visible region, its RADIUS, and the radius DOT of a joint, m
  // (extent.js).
  constructor(canvas, model, layers, size) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.scene = new THREE.Scene();
    this.sun = new THREE.DirectionalLight("#ffffff", 1.6);
    this.scene.add(new THREE.HemisphereLight("#ffffff", "#8a8f98", 2.2), this.sun, this.sun.target);
    this.sideBySide = false;
    this.frames = 0;
    this.layers = [];
    this.setLayers(model, layers, size);
    this.camera = new Camera(canvas, model, cornersOf(size), () => this.requestDraw());
  }

  // Replace the layers. LAYERS: { ghost, known, model }; a layer without a model uses MODEL.
  setLayers(model, layers, size) {
    for (const { group } of this.layers) discard(group);
    this.layers = layers.map((layer) => new Layer(layer.model ?? model, layer, size));
    for (const { group } of this.layers) this.scene.add(group);
    this.setGround(model, size);
  }

  // Set up ground and camera for a region of SIZE.
  setGround(model, size) {
    if (this.ground) discard(this.ground.group);
    this.ground = new Ground(model, cornersOf(size), size.dot);
    this.scene.add(this.ground.group);
    this.camera?.setSize(cornersOf(size));
  }

  // Lengths of arrows, m/N and m/(N s).
  setArrows(force, impulse) {
    for (const { marks } of this.layers) if (marks) marks.lengths = { force, impulse };
  }

  paint(colours, background, dark) {
    this.renderer.setClearColor(background);
    this.ground.paint(dark);
    this.layers.forEach((layer, i) => layer.paint(colours[i], dark));
    this.requestDraw();
  }

  // SNAPSHOTS: one for each layer, null if hidden. SHOWN: names of marks.
  show(snapshots, shown, followed) {
    this.place(snapshots, shown, followed);
    this.requestDraw();
  }

  // Update as draw() does, but draw later.
  place(snapshots, shown, followed) {
    this.layers.forEach((layer, i) => {
      layer.group.visible = snapshots[i] !== null;
      if (snapshots[i]) layer.update(snapshots[i], shown);
    });
    const first =
      this.layers.find(({ group, ghost }) => group.visible && !ghost) ??
      this.layers.find(({ group }) => group.visible);
    this.camera.follow(
      followed >= 0 && first
        ? first.poses[first.slots[followed]].point(new THREE.Vector3(), [0, 0, 0])
        : null,
    );
  }

  // The first time, the view of the whole is fitted to it.
  resize(width, height) {
    this.renderer.setSize(width, height, false);
    if (!this.sized) ((this.camera.aspect = width / height), this.camera.look(this.camera.way));
    this.sized = true;
    this.draw();
  }

  // Request one drawing for all changes since the last one; it calls `before` first.
  requestDraw() {
    if (this.asked || !this.renderer) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.before?.();
      this.draw();
    });
  }

  // Returns the rectangles of the visible layers: [layer or null for all, left, top, width, height], as
  // fractions of the canvas.
  cells() {
    const visible = this.layers.filter(({ group, ghost }) => group.visible && !ghost);
    if (!this.sideBySide || visible.length < 2) return [[null, 0, 0, 1, 1]];
    const [columns, rows] = this.grid(visible.length);
    return visible.map((layer, i) => [
      layer,
      (i % columns) / columns,
      Math.floor(i / columns) / rows,
      1 / columns,
      1 / rows,
    ]);
  }

  // Returns columns and rows for COUNT rectangles of maximum size.
  grid(count) {
    const ways = [...Array(count).keys()].map((i) => [i + 1, Math.ceil(count / (i + 1))]),
      { clientWidth, clientHeight } = this.canvas;
    const size = ([columns, rows]) => Math.min(clientWidth / columns / 1.3, clientHeight / rows);
    return ways.reduce((best, way) => (size(way) > size(best) ? way : best));
  }

  draw() {
    if (!this.camera) return;
    const width = this.canvas.clientWidth,
      height = this.canvas.clientHeight,
      { renderer } = this;
    const shown = this.layers.map(({ group }) => group.visible);
    this.sun.position.copy(this.camera.eye.position);
    this.sun.target.position.copy(this.camera.controls.target);
    this.ground.follow(this.camera.controls.target);
    renderer.setScissorTest(false);
    renderer.clear();
    renderer.autoClear = false;
    renderer.setScissorTest(true);
    for (const [only, left, top, across, down] of this.cells()) {
      const rectangle = [left * width, (1 - top - down) * height, across * width, down * height];
      this.layers.forEach(
        (layer, i) => (layer.group.visible = shown[i] && (!only || layer === only || layer.ghost)),
      );
      this.camera.fit(rectangle[2] / rectangle[3]);
      renderer.setViewport(...rectangle);
      renderer.setScissor(...rectangle);
      renderer.render(this.scene, this.camera.eye);
    }
    this.layers.forEach((layer, i) => (layer.group.visible = shown[i]));
    this.frames++;
  }
}
