// tools.js - the panel beside the view: lanes, parameters and inputs, mouse, marks, camera, adding a body,
// saved states, command log.
import { switches } from "../marks.js";
import { el } from "../text.js";
import { check, follower, looks } from "../viewing.js";
import { Adding } from "./adding.js";
import { ByKeys } from "./bykeys.js";
import { extraSwitches } from "./extras.js";
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
    fold("Mouse and fingers", true, makeWill(state, will, send)),
    fold("Show", true, makeShow(state, stage, send)),
    fold("Camera", true, makeCamera(state, stage)),
    fold("Add a body", false, new Adding(state, stage, send).parts),
    fold("Saved states", false, makeSlots(state, send)),
    fold("Command log", false, makeRecord(state)),
  ];
  return el("div", { class: "panel" }, all);
}

// A fold of settings, hidden if there are none.
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
    "Parameters of the scene",
    state,
    (status) => status.parameters,
    ({ name }, value) => send({ do: "set", name, value: String(value) }),
  );

const inputs = (state, send) =>
  settingsFold(
    "Motors and inputs",
    state,
    (status) =>
      status.inputs.map(({ of: name, value, modes, kind }) => {
        const about = { name, value, low: -1, high: 1, moving: true };
        return modes ? { ...about, kind: "integer" } : { ...about, kind: "number", unit: kind, grows: true };
      }),
    ({ name }, value) => send({ do: "input", of: name, value }),
  );

// Actions of the mouse on a body, and the same by keyboard.
function makeWill(state, will, send) {
  const does = [
    ["pull", "pulls with a spring"],
    ["strike", "strikes"],
    ["camera", "moves the camera"],
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
      el("legend", {}, "On a body, the mouse"),
      does,
      el(
        "p",
        { class: "note" },
        "A strike goes along the view, or along the drag. With Shift the mouse always strikes.",
      ),
    ),
    slide("frequency", { name: "spring", unit: "Hz", low: 0.2, high: 10 }),
    slide("change", { name: "strike", unit: "m/s", low: 0.05, high: 20 }),
    new ByKeys(state, will, send).element,
  ];
}

// Marks that apply to this model. The server is asked for the data that they need.
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
    (want(), stage.requestDraw());
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
  const arrows = new Settings((_, value) => ((stage.arrows = value), stage.requestDraw()));
  arrows.show([
    { name: "arrows", unit: "×", kind: "number", low: 0.1, high: 5, value: stage.arrows, moving: true },
  ]);
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
