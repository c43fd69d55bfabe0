// tools.js - the panel beside the view: what is shown, the camera, hands, parameters and inputs, a body more,
// slots, the list of what was done.
import { switches } from "../marks.js";
import { el } from "../text.js";
import { check, follower, looks } from "../viewing.js";
import { makeAdding } from "./adding.js";
import { extraSwitches } from "./extras.js";
import { newGrip, spring } from "./hand.js";
import { makeLanes } from "./lanes.js";
import { makeRecord, makeSlots } from "./record.js";
import { Settings } from "./settings.js";

const fold = (title, open, ...inside) =>
  el("details", { class: "fold", open }, el("summary", {}, title), el("div", { class: "inside" }, inside));

export function makeTools(state, stage, will, send) {
  const all = [
    fold("Lanes", true, makeLanes(state, stage, send)),
    parameters(state, send),
    inputs(state, send),
    fold("Mouse and fingers", true, makeWill(state, stage, will, send)),
    fold("Show", true, makeShow(state, stage, send)),
    fold("Camera", true, makeCamera(state, stage)),
    fold("Add a body", false, makeAdding(state, stage, send)),
    fold("Keep and return", false, makeSlots(state, send)),
    fold("What was done", false, makeRecord(state)),
  ];
  return el("div", { class: "panel" }, all);
}

// A fold of settings that is there only when there are any.
function settingsFold(title, state, listOf, sendOne) {
  const settings = new Settings(sendOne),
    element = fold(title, true, settings.place);
  element.hidden = true;
  const show = (status) => {
    const list = listOf(status);
    element.hidden = list.length === 0;
    settings.show(list);
  };
  state.on("status", show);
  state.on("refused", () => ((settings.key = null), state.status && show(state.status)));
  return element;
}

const parameters = (state, send) =>
  settingsFold(
    "The scene's parameters",
    state,
    (status) => status.parameters,
    ({ name }, value) => send({ do: "set", name, value: String(value) }),
  );

const inputs = (state, send) =>
  settingsFold(
    "Motors and inputs",
    state,
    (status) =>
      status.inputs.map(({ of, value, low, high, modes, kind, unit }) =>
        modes
          ? { name: of, value, kind: "integer", low: -1, high: 1, moving: true }
          : {
              name: of,
              value,
              kind: "number",
              low: low ?? -1,
              high: high ?? 1,
              unit: unit ?? kind,
              moving: true,
              grows: low === null,
            },
      ),
    ({ name }, value) => send({ do: "input", of: name, value }),
  );

// What the mouse does to a body, and the same by keys.
function makeWill(state, stage, will, send) {
  const does = [
    ["pull", "pulls it by a spring"],
    ["strike", "strikes it"],
    ["camera", "leaves it alone"],
  ].map(([name, text]) => {
    const input = el("input", {
      type: "radio",
      name: "does",
      checked: will.does === name,
      change: () => (will.does = name),
    });
    return el("label", { class: "check" }, input, text);
  });
  const slide = (name, about) => {
    const settings = new Settings((_, value) => (will[name] = value));
    settings.show([{ kind: "number", moving: true, ...about, value: will[name] }]);
    return settings.place;
  };
  return [
    el(
      "fieldset",
      {},
      el("legend", {}, "On a body it"),
      does,
      el("p", { class: "note" }, "It strikes along the view, or the way it is moved; with Shift it always does."),
    ),
    slide("frequency", { name: "spring", unit: "Hz", low: 0.2, high: 10 }),
    slide("change", { name: "strike", unit: "m/s", low: 0.05, high: 20 }),
    byKeys(state, stage, will, send),
  ];
}

const ways = {
  "+x": [1, 0, 0],
  "−x": [-1, 0, 0],
  "+y": [0, 1, 0],
  "−y": [0, -1, 0],
  "+z": [0, 0, 1],
  "−z": [0, 0, -1],
};

// A body that is named instead of pointed at: struck, held and moved a little.
function byKeys(state, stage, will, send) {
  const body = el("select", { "aria-label": "body" }),
    way = el(
      "select",
      { "aria-label": "way" },
      Object.keys(ways).map((name) => el("option", { value: name }, name)),
    );
  const held = { id: null, to: null };
  const about = () => {
    const { model, names, picture } = state.first,
      i = names.get(body.value),
      slot = model.bodies.slice(0, i).filter(({ kind }) => kind !== "fixed").length;
    return { name: body.value, mass: model.bodies[i].mass, at: [...picture.poses.subarray(7 * slot, 7 * slot + 3)] };
  };
  const strike = () => {
    const { name, mass, at } = about();
    send({ do: "impulse", body: name, at, impulse: ways[way.value].map((x) => x * mass * will.change) });
  };
  const hold = el("button", { type: "button", click: () => (held.id ? letGo() : take()) }, "Hold");
  const move = el("button", { type: "button", hidden: true, click: () => nudge() }, "Move the hand");
  function show() {
    hold.textContent = held.id ? "Let go" : "Hold";
    move.hidden = !held.id;
  }
  function take() {
    const { name, mass, at } = about();
    Object.assign(held, { id: newGrip(), to: at });
    send({ do: "grip", id: held.id, body: name, at, ...spring(mass, will.frequency) });
    show();
  }
  function nudge() {
    const step = state.first.low.reduce((sum, low, k) => Math.max(sum, state.first.high[k] - low), 0) / 20;
    held.to = held.to.map((x, k) => x + step * ways[way.value][k]);
    send({ do: "target", id: held.id, to: held.to });
  }
  function letGo() {
    send({ do: "release", id: held.id });
    held.id = null;
    show();
  }
  state.on("model", ({ lane }) => {
    if (lane !== state.first.number) return;
    const moving = state.first.model.bodies.filter(({ kind }) => kind !== "fixed").slice(0, 2000),
      { value } = body;
    body.replaceChildren(...moving.map(({ name }) => el("option", { value: name }, name)));
    if (moving.some(({ name }) => name === value)) body.value = value;
    for (const option of way.options)
      option.disabled = option.hidden = state.first.model.planar && option.value.endsWith("z");
  });
  state.on("status", ({ grips }) => {
    if (held.id && held.known && !grips.some(({ id }) => id === held.id)) held.id = null;
    held.known = Boolean(held.id && grips.some(({ id }) => id === held.id));
    show();
  });
  const can = (act) => () => state.first?.picture && body.value && act();
  return el(
    "fieldset",
    {},
    el("legend", {}, "By keys"),
    el("div", { class: "row" }, body, way),
    el("div", { class: "row" }, el("button", { type: "button", click: can(strike) }, "Strike"), hold, move),
  );
}

// Marks of what this model has; the command is told what pictures are to have in them.
function makeShow(state, stage, send) {
  const place = el("div", { class: "checks marks" });
  let told = false;
  const want = () =>
    send({
      do: "want",
      boxes: stage.shown.has("bounding boxes"),
      forces: stage.shown.has("joint forces"),
      contacts: touching.some((name) => stage.shown.has(name)),
    });
  const turn = (name) => (on) => {
    on ? stage.shown.add(name) : stage.shown.delete(name);
    (want(), stage.ask());
  };
  function show() {
    const { model } = state.first,
      names = [...switches, ...extraSwitches].filter((name) => has(name, model, state.lanes.size));
    if (place.dataset.names === names.join()) return;
    place.dataset.names = names.join();
    place.replaceChildren(...names.map((name) => check(name, stage.shown.has(name), turn(name))[0]));
  }
  state.on("hello", () => (told = false));
  state.on("model", show);
  state.on("status", () => {
    if (state.first) show();
    if (!told) want();
    told = true;
  });
  const arrows = new Settings((_, value) => ((stage.arrows = value), stage.ask()));
  arrows.show([{ name: "arrows", unit: "×", kind: "number", low: 0.1, high: 5, value: stage.arrows, moving: true }]);
  return [place, arrows.place];
}

const touching = ["contacts", "contact normals", "friction cones", "impulses"];

function has(name, model, lanes) {
  if (name === "joints" || name === "joint forces" || name === "worst joint") return model.joints.length > 0;
  if (name === "joint axes") return model.joints.some(({ axis_a }) => axis_a);
  if (name === "body axes") return model.bodies.some(({ kind }) => kind === "rigid");
  if (name === "differences") return lanes > 1;
  if (touching.includes(name)) return model.collides;
  const shapes = model.bodies.some((body) => body.shapes.length > 0);
  return shapes || name === "trails" || name === "bodies see-through";
}

function makeCamera(state, stage) {
  const place = el("div", { class: "row" });
  let key = null;
  state.on("model", ({ lane, model }) => {
    const now = model.bodies.map(({ name }) => name).join("\n");
    if (lane !== state.first.number || key === now) return;
    key = now;
    const follow = follower(model, (body) => stage.follow(body));
    follow.value = String(stage.followed);
    place.replaceChildren(...looks(model.planar, (way) => stage.view && stage.look(way)), follow);
  });
  return place;
}
