// bykeys.js - selects a body by name: strikes it, or holds it by a mouse spring and moves the target.
import { el } from "../text.js";
import { newGrip, spring } from "./hand.js";

const maxListed = 2000; // bodies in the list, at most: longer lists are slow
const ways = {
  "+x": [1, 0, 0],
  "−x": [-1, 0, 0],
  "+y": [0, 1, 0],
  "−y": [0, -1, 0],
  "+z": [0, 0, 1],
  "−z": [0, 0, -1],
};
const isMoving = ({ kind }) => kind !== "fixed";

export class ByKeys {
  // WILL and SEND as in hand.js.
  constructor(state, will, send) {
    Object.assign(this, { state, will, send, held: null }); // held: { id, to, known: confirmed by a status }
    this.body = el("select", { "aria-label": "body" });
    this.way = el(
      "select",
      { "aria-label": "direction" },
      Object.keys(ways).map((name) => el("option", { value: name }, name)),
    );
    const button = (text, act) => {
      const can = () => state.first?.picture && this.body.value && act();
      return el("button", { type: "button", click: can }, text);
    };
    this.hold = button("Hold", () => (this.held ? this.release() : this.attach()));
    this.move = button("Move the target", () => this.nudge());
    this.element = el(
      "fieldset",
      {},
      el("legend", {}, "By keyboard"),
      el("div", { class: "row" }, this.body, this.way),
      el(
        "div",
        { class: "row" },
        button("Strike", () => this.strike()),
        this.hold,
        this.move,
      ),
    );
    state.on("model", ({ lane, model }) => lane === state.first.number && this.list(model));
    state.on("status", ({ grips }) => this.checkStatus(grips));
    state.on(
      "refused",
      ({ command }) => command?.do === "grip" && command.id === this.held?.id && this.setHeld(null),
    );
    this.setHeld(null);
  }

  list({ bodies, planar }) {
    const { value } = this.body,
      moving = bodies.filter(isMoving).slice(0, maxListed);
    this.body.replaceChildren(...moving.map(({ name }) => el("option", { value: name }, name)));
    if (moving.some(({ name }) => name === value)) this.body.value = value;
    for (const option of this.way.options)
      option.disabled = option.hidden = planar && option.value.endsWith("z");
  }

  // A mouse spring that was in an earlier status and is not in this one has been removed.
  checkStatus(grips) {
    if (!this.held) return;
    const known = grips.some(({ id }) => id === this.held.id);
    if (this.held.known && !known) this.setHeld(null);
    else this.held.known = known;
  }

  setHeld(held) {
    this.held = held;
    this.hold.textContent = held ? "Release" : "Hold";
    this.move.hidden = !held;
  }

  // The selected body with the position of its centre of mass.
  get chosen() {
    const { model, names, picture } = this.state.first,
      i = names.get(this.body.value),
      slot = model.bodies.slice(0, i).filter(isMoving).length;
    return { ...model.bodies[i], at: [...picture.poses.subarray(7 * slot, 7 * slot + 3)] };
  }

  strike() {
    const { name, mass, at } = this.chosen;
    this.send({
      do: "impulse",
      body: name,
      at,
      impulse: ways[this.way.value].map((x) => x * mass * this.will.change),
    });
  }

  attach() {
    const { name, mass, at } = this.chosen;
    this.setHeld({ id: newGrip(), to: at, known: false });
    this.send({ do: "grip", id: this.held.id, body: name, at, ...spring(mass, this.will.frequency) });
  }

  // Move the target by a twentieth of the extent of the scene.
  nudge() {
    const { low, high } = this.state.first,
      step = Math.max(...low.map((x, k) => high[k] - x)) / 20;
    this.held.to = this.held.to.map((x, k) => x + step * ways[this.way.value][k]);
    this.send({ do: "target", id: this.held.id, to: this.held.to });
  }

  release() {
    this.send({ do: "release", id: this.held.id });
    this.setHeld(null);
  }
}
