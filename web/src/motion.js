// motion.js - the motion of a run: exact in its frames, with linear interpolation and the shortest rotation
// between them.
import { expand } from "./pack.js";

// A snapshot of one instant: poses x, y, z, w, x, y, z of each body; forces of each joint, N; contacts, each
// of WIDTH numbers: six (point; impulse, N s) or twelve (point, normal, impulse, friction, gap (m), one
// unused). Records and live runs fill snapshots.
export const snapshot = (bodies) => ({
  poses: new Float64Array(7 * bodies),
  forces: null,
  contacts: null,
  width: 6,
});

export async function loadMotion(about, text) {
  const reader = await expand(text),
    { frames, bodies, joints, contacts } = about;
  return new Motion(about, {
    times: reader.doubles(frames),
    positions: reader.series(3 * bodies, frames),
    orientations: reader.series(4 * bodies, frames),
    forces: joints ? reader.floats(3 * joints * frames) : null,
    ends: reader.words(frames),
    contacts: reader.floats(6 * contacts),
  });
}

class Motion {
  constructor(about, arrays) {
    Object.assign(this, {
      about,
      count: about.frames,
      bodies: about.bodies,
      joints: about.joints,
      ...arrays,
    });
  }

  get end() {
    return this.times[this.count - 1];
  }

  // Returns the last frame at or before TIME.
  frameAt(time) {
    let low = 0,
      high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time * (1 + 1e-14)) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  position(body, frame) {
    return [0, 1, 2].map((k) => this.positions[(3 * body + k) * this.count + frame] * this.about.resolution);
  }

  orientation(body, frame) {
    return [0, 1, 2, 3].map(
      (k) => this.orientations[(4 * body + k) * this.count + frame] * this.about.turning,
    );
  }

  // Fill INTO with the state at TIME; forces and contacts are those of the last frame at or before it.
  at(time, into) {
    const frame = this.frameAt(time),
      next = Math.min(frame + 1, this.count - 1);
    const step = this.times[next] - this.times[frame];
    const part = step > 0 ? Math.min(1, Math.max(0, (time - this.times[frame]) / step)) : 0;
    for (let body = 0; body < this.bodies; body++) this.pose(body, frame, next, part, into.poses);
    into.forces = this.forces && this.forces.subarray(3 * this.joints * frame, 3 * this.joints * (frame + 1));
    into.contacts = this.contacts.subarray(frame ? 6 * this.ends[frame - 1] : 0, 6 * this.ends[frame]);
    return frame;
  }

  pose(body, frame, next, part, poses) {
    const { count, positions, orientations } = this,
      to = 7 * body;
    for (let k = 0; k < 3; k++) {
      const row = (3 * body + k) * count,
        from = positions[row + frame];
      poses[to + k] = (from + part * (positions[row + next] - from)) * this.about.resolution;
    }
    let sign = 0,
      square = 0;
    for (let k = 0; k < 4; k++)
      sign += orientations[(4 * body + k) * count + frame] * orientations[(4 * body + k) * count + next];
    for (let k = 0; k < 4; k++) {
      const row = (4 * body + k) * count,
        from = orientations[row + frame];
      const q = from + part * ((sign < 0 ? -1 : 1) * orientations[row + next] - from);
      poses[to + 3 + k] = q;
      square += q * q;
    }
    const scale = square > 0 ? 1 / Math.sqrt(square) : 0;
    for (let k = 3; k < 7; k++) poses[to + k] *= scale;
  }
}
