// state.js - state received from the server: greeting, status, and each lane with model and newest picture.
import { History } from "./history.js";
import { apart, readPicture } from "./picture.js";

// True if two texts of a setting have the same meaning.
const same = (a, b) =>
  String(a) === String(b) || (String(a) !== "" && String(b) !== "" && Number(a) === Number(b));

export class State {
  constructor() {
    Object.assign(this, {
      listeners: new Map(),
      history: new History(),
      script: { ms: 0, pictures: 0, plots: 0 },
    });
    this.clear();
  }

  clear() {
    Object.assign(this, { hello: null, status: null, lanes: new Map() });
    this.history.clear();
  }

  // Events: "hello", "model", "status", "picture", "done", "refused".
  on(what, listener) {
    this.listeners.set(what, [...(this.listeners.get(what) ?? []), listener]);
  }
  emit(what, about) {
    for (const listener of this.listeners.get(what) ?? []) listener(about);
  }

  message(message) {
    const { type } = message;
    if (type === "hello") {
      this.clear();
      this.hello = message;
    } else if (!this.hello)
      return; // messages to other clients before this page was greeted
    else if (type === "model") this.takeModel(message);
    else if (type === "status") this.takeStatus(message);
    this.emit(type, message);
  }

  takeModel({ lane, generation, model, low, high }) {
    const own = this.lanes.get(lane) ?? { number: lane, picture: null, ahead: null };
    Object.assign(own, {
      generation,
      model,
      low,
      high,
      names: new Map(model.bodies.map(({ name }, i) => [name, i])),
    });
    if (own.picture?.generation !== generation) own.picture = null;
    this.lanes.set(lane, own);
  }

  // Store the status and remove dropped lanes with their history.
  takeStatus(status) {
    this.status = status;
    for (const number of this.lanes.keys())
      if (!status.lanes.some(({ lane }) => lane === number)) {
        this.lanes.delete(number);
        this.history.lanes.delete(number);
      }
  }

  // Ignore pictures of a model that has not arrived yet.
  takePicture(buffer) {
    const before = performance.now(),
      picture = readPicture(buffer),
      lane = picture && this.lanes.get(picture.lane);
    if (lane && lane.generation === picture.generation) {
      lane.picture = picture;
      lane.apart = lane === this.first ? null : apart(this.first?.picture, picture);
      this.history.add(picture, lane.apart?.most ?? null);
      this.emit("picture", picture);
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

  // Returns the title of lane NUMBER: its solver with the settings that differ from their defaults.
  title(number) {
    const about = this.about(number);
    if (!about) return String(number);
    const own = about.parameters.filter(({ value, default: usual }) => !same(value, usual)),
      settings = own.map(({ name, value }) => `${name}=${value}`).join(",");
    return `${number}  ${about.spec.split(":")[0]}${settings ? `:${settings}` : ""}`;
  }
}
