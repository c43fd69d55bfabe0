// arrows.js - instanced balls, arrows and lines whose number and poses change with time.
import * as THREE from "three";

const up = new THREE.Vector3(0, 1, 0);
const matrix = new THREE.Matrix4(),
  turn = new THREE.Quaternion(),
  at = new THREE.Vector3(),
  way = new THREE.Vector3(),
  scale = new THREE.Vector3();

// An instanced mesh that grows on demand.
class Many {
  constructor(geometries, material) {
    Object.assign(this, { geometries, material, group: new THREE.Group(), room: 0, meshes: [] });
  }

  begin(count) {
    if (count > this.room) {
      this.room = 2 * count;
      for (const mesh of this.meshes) mesh.dispose();
      this.group.clear();
      this.meshes = this.geometries.map(
        (geometry) => new THREE.InstancedMesh(geometry, this.material, this.room),
      );
      for (const mesh of this.meshes)
        Object.assign(mesh, { frustumCulled: false, renderOrder: this.order ?? 0 });
      this.group.add(...this.meshes);
    }
    for (const mesh of this.meshes) mesh.count = 0;
  }

  put(mesh, x, q, s) {
    this.meshes[mesh].setMatrixAt(this.meshes[mesh].count++, matrix.compose(x, q, s));
  }
  end() {
    for (const mesh of this.meshes) mesh.instanceMatrix.needsUpdate = true;
  }
}

export class Balls extends Many {
  constructor(material) {
    super([new THREE.SphereGeometry(1, 16, 12)], material);
  }
  add(x, radius) {
    this.put(0, x, turn.identity(), scale.setScalar(radius));
  }
}

// Open cones with their apex at the contact point.
export class Cones extends Many {
  constructor(material) {
    super([new THREE.ConeGeometry(1, 1, 24, 1, true).rotateX(Math.PI).translate(0, 0.5, 0)], material);
  }

  // Add a cone with apex X along NORMAL, of height LENGTH and end radius WIDE.
  add(x, normal, length, wide) {
    this.put(0, x, turn.setFromUnitVectors(up, normal), scale.set(wide, length, wide));
  }
}

// Each arrow is a shaft and a head, both of unit length and thickness.
export class Arrows extends Many {
  constructor(material) {
    super(
      [
        new THREE.CylinderGeometry(0.5, 0.5, 1, 10).translate(0, 0.5, 0),
        new THREE.ConeGeometry(1, 1, 14).translate(0, 0.5, 0),
      ],
      material,
    );
  }

  // Add an arrow from X along VECTOR, of the length of VECTOR.
  add(x, vector, thickness) {
    const length = vector.length();
    if (!(length > 1e-3 * thickness)) return;
    const head = Math.min(3 * thickness, 0.6 * length),
      wide = Math.min(thickness, 0.4 * length);
    turn.setFromUnitVectors(up, way.copy(vector).divideScalar(length));
    this.put(0, x, turn, scale.set(wide, length - head, wide));
    this.put(
      1,
      at.copy(x).addScaledVector(way, length - head),
      turn,
      scale.set(1.2 * wide, head, 1.2 * wide),
    );
  }
}

export class Lines {
  constructor(material) {
    this.geometry = new THREE.BufferGeometry();
    this.lines = new THREE.LineSegments(this.geometry, material);
    this.lines.frustumCulled = false;
    this.group = this.lines;
    this.room = 0;
  }

  begin(count) {
    if (count > this.room) {
      this.room = 2 * count;
      this.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(6 * this.room), 3));
    }
    this.count = 0;
  }

  add(a, b) {
    const array = this.geometry.attributes.position.array,
      i = 6 * this.count++;
    ((array[i] = a.x), (array[i + 1] = a.y), (array[i + 2] = a.z));
    ((array[i + 3] = b.x), (array[i + 4] = b.y), (array[i + 5] = b.z));
  }

  end() {
    this.geometry.setDrawRange(0, 2 * this.count);
    if (this.geometry.attributes.position) this.geometry.attributes.position.needsUpdate = true;
  }
}
