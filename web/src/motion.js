// motion.js - the motion of a run: exact in its frames, between them on a straight way and the shortest turn.
import { expand } from "./pack.js";

// What a view shows of one instant: poses x, y, z, w, x, y, z of each body; forces of each joint, N; contacts, each of
// WIDTH numbers: six, place and impulse, N s, or twelve, place, normal, impulse, friction, gap, m, and one that is not
// used. Whoever has poses, a record or a run that goes on, can fill one.
export const snapshot = (bodies) => ({ poses: new Float64Array(7 * bodies), forces: null, contacts: null, width: 6 });

export async function loadMotion(about, text) {
  const reader = await expand(text),
    { frames, bodies, joints, contacts } = about;
  return new Motion(about, {
    times: reader.doubles(frames),
    positions: reader.courses(3 * bodies, frames),
    orientations: reader.courses(4 * bodies, frames),
    forces: joints ? reader.floats(3 * joints * frames) : null,
    ends: reader.words(frames),
    contacts: reader.floats(6 * contacts),
  });
}

class Motion {
  constructor(about, arrays) {
    Object.assign(this, { about, count: about.frames, bodies: about.bodies, joints: about.joints, ...arrays });
  }

  get end() {
    return this.times[this.count - 1];
  }

  // The last frame at TIME or before.
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
    return [0, 1, 2, 3].map((k) => this.orientations[(4 * body + k) * this.count + frame] * this.about.turning);
  }

  // Fills INTO with the instant TIME; forces and contacts are those of the frame at it or before.
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
