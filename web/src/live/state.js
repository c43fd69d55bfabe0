// state.js - what the page knows of the command: its greeting, its status, a lane each with model and newest picture.
import { History } from "./history.js";
import { apart, readPicture } from "./picture.js";

// Texts of settings that mean the same.
const same = (a, b) => String(a) === String(b) || (String(a) !== "" && Number(a) === Number(b));

export class State {
  constructor() {
    Object.assign(this, { listeners: new Map(), history: new History(), script: { ms: 0, pictures: 0, plots: 0 } });
    this.clear();
  }

  clear() {
    Object.assign(this, { hello: null, status: null, lanes: new Map() });
    this.history.clear();
  }

  // WHAT: "hello", "model", "status", "picture", "done", "refused".
  on(what, listener) {
    this.listeners.set(what, [...(this.listeners.get(what) ?? []), listener]);
  }
  tell(what, about) {
    for (const listener of this.listeners.get(what) ?? []) listener(about);
  }

  message(message) {
    const { type } = message;
    if (type === "hello") {
      this.clear();
      this.hello = message;
    } else if (!this.hello)
      return; // what was told to all others while this page came
    else if (type === "model") this.takeModel(message);
    else if (type === "status") this.takeStatus(message);
    this.tell(type, message);
  }

  takeModel({ lane, generation, model, low, high }) {
    const own = this.lanes.get(lane) ?? { number: lane, picture: null, ahead: null };
    Object.assign(own, { generation, model, low, high, names: new Map(model.bodies.map(({ name }, i) => [name, i])) });
    if (own.picture?.generation !== generation) own.picture = null;
    this.lanes.set(lane, own);
  }

  // Lanes that are gone leave with all that was known of them.
  takeStatus(status) {
    this.status = status;
    for (const number of this.lanes.keys())
      if (!status.lanes.some(({ lane }) => lane === number)) {
        this.lanes.delete(number);
        this.history.lanes.delete(number);
      }
  }

  // Pictures of another model than the one that is known are passed over: the model is on its way.
  takePicture(buffer) {
    const before = performance.now(),
      picture = readPicture(buffer),
      lane = picture && this.lanes.get(picture.lane);
    if (lane && lane.generation === picture.generation) {
      lane.picture = picture;
      lane.apart = lane === this.first ? null : apart(this.first?.picture, picture);
      this.history.add(picture, lane.apart?.most ?? null);
      this.tell("picture", picture);
    }
    this.script.ms += performance.now() - before;
    this.script.pictures++;
  }

  get all() {
    return [...this.lanes.values()].sort((a, b) => a.number - b.number);
  }
  get first() {
    return this.all[0];
  }
  about(number) {
    return this.status?.lanes.find(({ lane }) => lane === number);
  }

  // The lane NUMBER's solver with those of its settings that are not as usual.
  title(number) {
    const about = this.about(number);
    if (!about) return String(number);
    const own = about.parameters.filter(({ value, default: usual }) => !same(value, usual)),
      settings = own.map(({ name, value }) => `${name}=${value}`).join(",");
    return `${number}  ${about.spec.split(":")[0]}${settings ? `:${settings}` : ""}`;
  }
}
