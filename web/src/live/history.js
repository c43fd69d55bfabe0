// history.js - the last few thousand pictures as rows: time, and measures of each lane.

export const kept = 4000;
export const measures = ["energy", "drift", "work", "cost", "apart"];

export class History {
  constructor() {
    this.clear();
  }

  clear() {
    Object.assign(this, { times: [], lanes: new Map() });
  }

  // Returns the record of lane NUMBER; its columns have one entry a row, null for no value.
  lane(number) {
    if (!this.lanes.has(number)) {
      const columns = Object.fromEntries(measures.map((name) => [name, this.times.map(() => null)]));
      this.lanes.set(number, { columns, row: -1, last: null, start: null });
    }
    return this.lanes.get(number);
  }

  // Add PICTURE of its lane; APART: distance from the first lane, m, or null. A new row starts when a lane
  // comes again.
  add(picture, apart) {
    const own = this.lane(picture.lane);
    if (own.last && picture.time < own.last.time) this.back(picture.time, own);
    if (own.last && picture.steps === own.last.steps && own.row >= 0) return;
    const newest = this.times.length - 1;
    if (newest < 0 || (own.row === newest && picture.time > this.times[newest])) this.row(picture.time);
    own.row = this.times.length - 1;
    if (picture.measured && own.start === null) own.start = picture.energy;
    const steps = own.last ? picture.steps - own.last.steps : 0;
    const values = {
      energy: picture.measured ? picture.energy - own.start : null,
      drift: picture.measured ? picture.drift : null,
      work: steps > 0 ? (picture.operations - own.last.operations) / steps : null,
      cost: picture.cost > 0 ? 1e3 * picture.cost : null,
      apart,
    };
    for (const name of measures)
      own.columns[name][own.row] = Number.isFinite(values[name]) ? values[name] : null;
    own.last = { time: picture.time, steps: picture.steps, operations: picture.operations };
  }

  // Go back to TIME after a reset or a load: later rows are removed, and energy changes start from there.
  back(time, own) {
    let count = this.times.length;
    while (count > 0 && this.times[count - 1] >= time) count--;
    this.cut(count);
    Object.assign(own, { last: null, start: null });
  }

  cut(count) {
    this.times.length = count;
    for (const own of this.lanes.values()) {
      for (const column of Object.values(own.columns)) column.length = count;
      own.row = Math.min(own.row, count - 1);
    }
  }

  row(time) {
    if (this.times.length >= 1.25 * kept) this.drop(this.times.length - kept);
    this.times.push(time);
    for (const { columns } of this.lanes.values())
      for (const column of Object.values(columns)) column.push(null);
  }

  drop(count) {
    this.times.splice(0, count);
    for (const own of this.lanes.values()) {
      for (const column of Object.values(own.columns)) column.splice(0, count);
      own.row -= count;
    }
  }

  // Measure changes of energy from now on.
  level() {
    for (const own of this.lanes.values()) {
      own.start = null;
      own.columns.energy.fill(null);
    }
  }
}
