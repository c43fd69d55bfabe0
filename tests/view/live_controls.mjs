// live_controls.mjs - controls of the live page in node: settings, marks, inputs, transport. Called by
// live_modules.sh.
import { button, everywhere, labelled, named, pass } from "./live_elements.mjs";
import { greet, group, model, near, pictureOf, same, start, statusOf, times } from "./live_samples.mjs";
import { Settings } from "../../web/src/live/settings.js";
import { makeTools } from "../../web/src/live/tools.js";
import { makeTransport } from "../../web/src/live/transport.js";

group("settings", () => {
  const sent = [],
    settings = new Settings(({ name }, value) => sent.push([name, value])),
    logarithmic = { name: "stiff", kind: "number", low: 0.001, high: 100, default: "0.01", moving: true },
    linear = { name: "gain", kind: "number", low: -2, high: 3, default: "1", moving: true };
  const control = (name) => labelled(settings.place, name),
    slider = (name) => labelled(settings.place, `${name}, slider`);
  const show = (stiff, gain) =>
    settings.show([
      { ...logarithmic, value: stiff },
      { ...linear, value: gain },
      { name: "warm", kind: "bool", value: "true" },
      { name: "way", choices: "up,down", value: "down" },
    ]);
  show("0.5", 1.5);
  near(
    "slider: a logarithmic one, by its end 1000 times the default",
    slider("stiff").getAttribute("max"),
    Math.log(10),
    1e-12,
  );
  near("slider: shows the logarithm of the value", slider("stiff").value, Math.log(0.5), 1e-12);
  near("slider: a linear one", [slider("gain").value, slider("gain").getAttribute("max")], [1.5, 3]);
  slider("stiff").value = Math.log(0.0625);
  slider("stiff").fire("input");
  pass(150);
  slider("gain").enter(-0.75);
  control("gain").enter(2.25);
  control("warm").tick(false);
  control("way").enter("up");
  same("settings: values", sent, [
    ["stiff", 0.0625],
    ["gain", -0.75],
    ["gain", 2.25],
    ["warm", false],
    ["way", "up"],
  ]);
  show(null, 0);
  const words = (name) => slider(name).getAttribute("aria-valuetext");
  same("settings: a missing value is none", [control("stiff").value, words("stiff")], ["", "no value"]);
  same("settings: zero is a value", [control("gain").value, words("gain")], ["0", "0"]);
  const count = named(settings.place, "div").filter(({ classList }) => classList.contains("unknown")).length;
  same("settings: one is marked as unknown", count, 1);
  settings.show([{ name: "torque", kind: "number", low: -1, high: 1, grows: true, value: 8 }]);
  near(
    "slider: its ends grow",
    ["min", "max"].map((end) => slider("torque")[end]),
    [-16, 16],
  );
});

group("tools", () => {
  const { state, stage, sent, send, will } = start(),
    panel = makeTools(state, stage, will, send);
  greet(state, [1, 2], model, { inputs: [{ of: "motor", kind: "hinge", value: 0.25, modes: false }] });
  same("tools: the server is told the marks once", sent, [
    { do: "want", boxes: false, forces: false, contacts: false },
  ]);
  const marks = named(panel, "label").filter(({ parent }) => parent.classList.contains("marks")),
    turn = (text, on) =>
      named(
        marks.find((mark) => mark.textContent === text),
        "input",
      )[0].tick(on);
  turn("friction cones", true);
  turn("bounding boxes", true);
  turn("friction cones", false);
  turn("joint forces", true);
  const wants = sent
    .slice(1)
    .map(({ boxes, forces, contacts }) => [boxes, forces, contacts].map(Number).join(""));
  same("tools: boxes, forces and contacts asked for", wants, ["001", "101", "100", "110"]);
  same("tools: marks shown", [...stage.shown], ["joints", "bounding boxes", "joint forces"]);
  labelled(panel, "motor").enter(0.5);
  same("tools: an input", sent.at(-1), { do: "input", of: "motor", value: 0.5 });
  named(panel, "input")
    .find((input) => input.getAttribute("type") === "radio" && !input.checked)
    .fire("change");
  same("tools: what the mouse does", will.does, "strike");
  labelled(panel, "follow").enter("1");
  same("tools: the followed body", stage.followed, 1);
});

group("transport", () => {
  const { state, sent, send } = start(),
    { element, showTime } = makeTransport(state, send),
    words = () => element.querySelector(".pace").textContent;
  greet(state);
  const press = (text) => button(element, text).fire("click"),
    key = (name, more) => everywhere.fire("keydown", { key: name, target: {}, ...more });
  press("Play");
  key(" ");
  state.message(statusOf([1], { paused: false }));
  press("Pause");
  key(" ");
  key(" ", { ctrlKey: true });
  key(" ", { target: { closest: () => element } });
  press("One step");
  key(".");
  key("r");
  same(
    "transport: commands",
    sent.map((command) => command.do).join(" "),
    "play play pause pause once once reset",
  );
  labelled(element, "speed").enter("0.25");
  same("transport: speed", sent.at(-1), { do: "speed", factor: 0.25 });
  const paceOf = (about, status) => {
    state.message(statusOf([1], { paused: false, ...status }));
    state.takePicture(pictureOf({ time: 1.25, steps: 1250, ...about }));
    showTime();
    return words();
  };
  same("transport: in time", paceOf({ factor: 0.98 }, {}), "In time: 0.98 × real time.");
  same(
    "transport: behind",
    paceOf({ factor: 0.5, lag: 0.25 }, { speed: 2 }),
    "Behind: 0.5 × real time instead of 2 ×, 0.25 s skipped.",
  );
  same("transport: unlimited", paceOf({ factor: 12.5 }, { speed: 0 }), "Unlimited: 12.5 × real time.");
  same("transport: paused", paceOf({}, { paused: true }), "Paused.");
  same("transport: the clock", named(element, "output")[0].textContent, "1.250 s, step 1,250");
});
