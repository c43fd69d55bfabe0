// live_panels.mjs - panels of the live page in node: adding a body, lanes, plots, log, saved states; what
// they show of a status, and the commands that they send. Called by live_modules.sh.
import { button, labelled, named, pass } from "./live_elements.mjs";
import {
  corners,
  greet,
  group,
  minus,
  model,
  modelOf,
  near,
  pictureOf,
  plus,
  poses,
} from "./live_samples.mjs";
import { same, start, statusOf, times } from "./live_samples.mjs";
import { verdict } from "./browser.mjs";
import { Vector3 } from "../../web/node_modules/three/build/three.module.js";
import { Adding } from "../../web/src/live/adding.js";
import { ByKeys } from "../../web/src/live/bykeys.js";
import { makeLanes } from "../../web/src/live/lanes.js";
import { makePlots } from "../../web/src/live/plots.js";
import { makeRecord, makeSlots } from "../../web/src/live/record.js";

group("adding", () => {
  const { state, stage, sent, send } = start(),
    adding = new Adding(state, stage, send),
    field = (name) => named(adding.parts, "input").find((input) => input.getAttribute("name") === name);
  greet(state);
  const across = Math.hypot(...minus(corners.high, corners.low));
  near("add: the usual radius, two digits, m", field("size").value, (across / 25).toPrecision(2));
  near("add: the usual mass is the median, kg", field("mass").value, 2.5);
  near("add: the usual speed, m/s", field("speed").value, across.toPrecision(2));
  field("mass").enter(0.65);
  field("friction").enter(0.3);
  field("restitution").enter(0.8);
  field("speed").enter(6);
  button(adding.parts, "Throw it").fire("click");
  const [ball] = sent;
  same("add: a sphere", [ball.do, ball.name, ball.shape, ball.size.length], ["add", "added1", "sphere", 1]);
  near("add: mass, friction and restitution", [ball.mass, ball.friction, ball.restitution], [0.65, 0.3, 0.8]);
  const middle = times(0.5, plus(corners.low, corners.high)),
    time = Math.hypot(...minus(middle, ball.at)) / 6;
  const end = plus(plus(ball.at, times(time, ball.velocity)), times((time * time) / 2, model.gravity));
  near("add: its flight meets the middle, m", end, middle, 1e-12);
  labelled(adding.parts, "shape").enter("box");
  same("add: a box has three sizes", adding.lengths.length, 3);
  const camera = { controls: { target: new Vector3(0.5, 0.25, 0.75) }, eye: { up: new Vector3(0, 0, 1) } };
  stage.view = { camera };
  button(adding.parts, "Drop it").fire("click");
  const [, box] = sent;
  same("add: a box of another name", [box.name, box.shape, box.size.length], ["added2", "box", 3]);
  near("add: dropped above the target, m", box.at.slice(0, 2), [0.5, 0.25], 1e-15);
  const height = (box.at[2] - corners.high[2]) / across;
  verdict(
    "add: dropped above the scene, by 0.1 to 0.5 of its diagonal",
    height > 0.1 && height < 0.5,
    height,
  );
  near("add: dropped at rest", box.velocity, [0, 0, 0]);
  camera.eye.up = new Vector3(0, -1, 0);
  button(adding.parts, "Drop it").fire("click");
  const depth = (corners.low[1] - sent[2].at[1]) / across;
  verdict("add: with gravity upwards, dropped below", depth > 0.1 && depth < 0.5, depth);
});

group("by keyboard", () => {
  const { state, sent, send, will } = start(),
    keys = new ByKeys(state, will, send);
  greet(state);
  const body = labelled(keys.element, "body"),
    press = (text) => button(keys.element, text).fire("click");
  same(
    "keys: moving bodies",
    body.options.map(({ value }) => value),
    ["ball", "box", "pea"],
  );
  body.enter("box");
  press("Strike");
  same("keys: nothing without a picture", sent.length, 0);
  state.takePicture(pictureOf({}));
  labelled(keys.element, "direction").enter("−y");
  press("Strike");
  same("keys: a strike", [sent[0].do, sent[0].body], ["impulse", "box"]);
  near("keys: mass times change of velocity, N s", sent[0].impulse, [0, -2.5 * 1.5, 0], 1e-15);
  near("keys: at the centre of the body, m", sent[0].at, poses.box.x);
  body.enter("pea");
  press("Hold");
  const [, grip] = sent;
  same(
    "keys: a spring",
    [grip.do, grip.body, button(keys.element, "Release") !== undefined],
    ["grip", "pea", true],
  );
  near("keys: at the centre of its body, m", grip.at, poses.pea.x);
  near("keys: of 2 Hz", Math.sqrt(grip.stiffness / 0.5) / (2 * Math.PI), 2, 1e-12);
  press("Move the target");
  const step = Math.max(...minus(corners.high, corners.low)) / 20;
  near("keys: the target moves by a twentieth, m", sent[2].to, plus(poses.pea.x, [0, -step, 0]), 1e-15);
  same("keys: of this spring", sent[2].id, grip.id);
  press("Release");
  same("keys: released", sent[3], { do: "release", id: grip.id });
  press("Hold");
  state.message(statusOf([1], { grips: [{ id: sent[4].id }] }));
  same("keys: held", keys.move.hidden, false);
  state.message(statusOf([1]));
  same("keys: removed by the server", keys.move.hidden, true);
  state.message(modelOf(1, { ...model, planar: true }));
  const sides = labelled(keys.element, "direction").options.filter(({ disabled }) => !disabled);
  same(
    "keys: no z in the plane",
    sides.map(({ value }) => value),
    ["+x", "−x", "+y", "−y"],
  );
});

group("lanes", () => {
  const { state, stage, sent, send } = start(),
    parts = makeLanes(state, stage, send);
  greet(state, [1, 2]);
  near(
    "lanes: steps, s",
    [1, 2].map((lane) => labelled(parts, `step of lane ${lane}, s`).value),
    [0.01, 0.02],
  );
  labelled(parts, "step of lane 2, s").enter(0.004);
  labelled(parts, "step of lane 2, s").enter(-1);
  labelled(parts, "solver of lane 2").enter("xpbd");
  labelled(parts, "solver of another lane").enter("moreau");
  button(parts, "Another lane").fire("click");
  button([labelled(parts, "lane 2")], "Drop").fire("click");
  same("lanes: commands", sent, [
    { do: "step", lane: 2, size: 0.004 },
    { do: "solver", lane: 2, spec: "xpbd" },
    { do: "fork", spec: "moreau" },
    { do: "drop", lane: 2 },
  ]);
  named(labelled(parts, "lane 2"), "input")[0].tick(false);
  same("lanes: hidden", [...stage.hidden], [2]);
  state.takePicture(pictureOf({ energy: 12.345, drift: 0.00125, worst: 1, penetration: NaN, cost: 2.5e-5 }));
  pass(250);
  const rows = named(labelled(parts, "lane 1"), "dl")[0].children.map(({ textContent }) => textContent);
  same("lanes: measures", rows, [
    "energy",
    "12.35 J",
    "joint error",
    "1.25e-3 at lower",
    "time a step",
    "2.50e-2 ms",
  ]);
  const ended = statusOf([1]);
  Object.assign(ended.lanes[0], { ended: "diverged", explanation: "a body is lost" });
  state.message(ended);
  same("lanes: a dropped one has no card", labelled(parts, "lane 2"), undefined);
  const alert = named(parts, "p").find((child) => child.getAttribute("role") === "alert");
  same("lanes: the end", [alert.hidden, alert.textContent], [false, "Ended: diverged. a body is lost"]);
  same("lanes: no longer hidden", [...stage.hidden], []);
});

group("plots", () => {
  const { state } = start(),
    { element } = makePlots(state),
    shown = () =>
      Object.fromEntries(element.children.map((figure) => [titleOf(figure), figure.shown.curves()]));
  const titleOf = (figure) => named(figure, "span")[0].textContent;
  greet(state, [1, 2]);
  for (let i = 0; i < 3; i++)
    for (const lane of [1, 2])
      state.takePicture(
        pictureOf({
          lane,
          time: i / 4,
          steps: 5 * i,
          energy: 7 - i * lane,
          drift: lane / 2 ** i,
          operations: 60 * i,
          cost: 0.25,
        }),
      );
  pass(400);
  const plots = shown(),
    numbers = (title) => plots[title].map(({ y }) => [...y]);
  same("plots: their titles", Object.keys(plots), [
    "Energy, change",
    "Joint error",
    "Distance from the first lane",
    "Work per step",
    "Time per step",
  ]);
  near("plots: times", plots["Joint error"][1].x, [0, 0.25, 0.5]);
  near("plots: energy", numbers("Energy, change"), [0, -1, -2, 0, -2, -4]);
  near("plots: joint error", numbers("Joint error"), [1, 0.5, 0.25, 2, 1, 0.5]);
  near(
    "plots: work",
    numbers("Work per step").map((y) => y.slice(1)),
    [12, 12, 12, 12],
  );
  near("plots: time", numbers("Time per step"), Array(6).fill(250));
  same("plots: no distance of the first lane", plots["Distance from the first lane"].length, 1);
  const [energy] = element.children;
  button(energy, "Set to zero").fire("click");
  state.takePicture(pictureOf({ time: 1, steps: 20, energy: 3 }));
  pass(400);
  near("plots: energy from now on", shown()["Energy, change"][0].y.at(-1), 0);
});

group("saved states and log", () => {
  const { state, sent, send } = start(),
    slots = makeSlots(state, send),
    log = makeRecord(state);
  greet(state, [1, 2], model, { slots: [3, 5] });
  const choose = (slot, text) => (labelled(slots, "slot").enter(slot), button(slots, text).fire("click"));
  choose(3, "Load");
  choose(4, "Load");
  choose(4, "Save");
  choose(5, "Load");
  same("slots: commands; an empty slot is not loaded", sent, [
    { do: "load", slot: 3 },
    { do: "save", slot: 4 },
    { do: "load", slot: 5 },
  ]);
  same(
    "slots: full ones",
    labelled(slots, "slot")
      .options.filter((o) => /full/.test(o.textContent))
      .map((o) => o.value),
    ["3", "5"],
  );
  const done = (at_step, command) => state.message({ type: "done", at_step, command, lane: 2 });
  done(3, { do: "impulse", body: "box", impulse: [0, 3, -4] });
  for (const x of [1, 2, 3]) done(4 + x, { do: "target", id: "p1", to: [x, 0, 0] });
  done(9, { do: "target", id: "p2", to: [4, 0, 0] });
  const lines = labelled(log, "command log").children.map(({ textContent }) => textContent);
  same("log: targets of one spring share a line", lines, [
    "3box is struck with 5 N s, lane 2",
    "7mouse spring p1 is moved to (3, 0, 0), lane 2",
    "9mouse spring p2 is moved to (4, 0, 0), lane 2",
  ]);
  same(
    "log: a session of each lane",
    named(log, "a").map((link) => link.getAttribute("href")),
    ["session/1", "session/2"],
  );
});
