// ground.js - fixed bodies with their shapes. Planes are drawn as a square grid that follows the camera in
// whole cells.
import * as THREE from "three";
import { partsOf } from "./shapes.js";

const cells = 24,
  way = new THREE.Vector3(),
  along = new THREE.Vector3();

function plane(shape, pose, size, material, lines) {
  const normal = new THREE.Vector3(...shape.size).applyQuaternion(pose.q),
    square = new THREE.Group();
  const middle = new THREE.Vector3().addVectors(size.low, size.high).divideScalar(2);
  const at = middle.clone().addScaledVector(normal, -middle.clone().sub(pose.x).dot(normal));
  const grid = new THREE.GridHelper(4 * size.radius, cells);
  grid.material = lines;
  square.add(
    new THREE.Mesh(new THREE.PlaneGeometry(4 * size.radius, 4 * size.radius).rotateX(-Math.PI / 2), material),
    grid,
  );
  square.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), normal);
  square.position.copy(at).addScaledVector(normal, -1e-3 * size.radius);
  square.userData = { home: square.position.clone(), cell: (4 * size.radius) / cells };
  return square;
}

export class Ground {
  constructor(model, size, dot) {
    this.group = new THREE.Group();
    this.squares = [];
    this.material = new THREE.MeshLambertMaterial();
    this.flat = new THREE.MeshBasicMaterial({
      transparent: true,
      opacity: 0.5,
      side: THREE.DoubleSide,
      depthWrite: false,
    });
    this.lines = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.6 });
    for (const body of model.bodies.filter(({ kind }) => kind === "fixed")) this.add(body, size, dot);
  }

  add(body, size, dot) {
    const x = new THREE.Vector3(...body.position),
      [w, i, j, k] = body.orientation,
      q = new THREE.Quaternion(i, j, k, w);
    const whole = new THREE.Matrix4().compose(x, q, new THREE.Vector3(1, 1, 1));
    for (const part of body.shapes.length ? partsOf(body, dot) : []) {
      const mesh = new THREE.Mesh(part.make(), this.material);
      mesh.matrixAutoUpdate = false;
      mesh.matrix.multiplyMatrices(whole, part.matrix);
      this.group.add(mesh);
    }
    for (const shape of body.shapes.filter(({ kind }) => kind === "plane")) {
      const [pw, px, py, pz] = shape.orientation;
      const pose = {
        x: new THREE.Vector3(...shape.position).applyMatrix4(whole),
        q: q.clone().multiply(new THREE.Quaternion(px, py, pz, pw)),
      };
      this.squares.push(plane(shape, pose, size, this.flat, this.lines));
      this.group.add(this.squares.at(-1));
    }
  }

  // Centre the squares below PLACE.
  follow(place) {
    for (const square of this.squares) {
      const { home, cell } = square.userData;
      way.subVectors(place, home);
      square.position.copy(home);
      for (const side of [
        [1, 0, 0],
        [0, 0, 1],
      ]) {
        along.fromArray(side).applyQuaternion(square.quaternion);
        square.position.addScaledVector(along, cell * Math.round(way.dot(along) / cell));
      }
    }
  }

  paint(dark) {
    this.material.color.set(dark ? "#5b6168" : "#b9bec4");
    this.flat.color.set(dark ? "#2a2f35" : "#e4e7ea");
    this.lines.color.set(dark ? "#454c54" : "#c3c9cf");
  }
}
