// viewing.js - what the report and the live page have alike beside a view: keys of the camera, ways to look, a body
// to follow, names of what stands side by side, boxes to tick.
import { el } from "./text.js";

const turns = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const listed = 2000; // bodies to follow, at most

// Was KEY one of the camera's?
export function cameraKey(camera, key) {
  if (turns[key] && !camera.planar) camera.turn(...turns[key]);
  else if (key === "+" || key === "=") camera.zoom(1.15);
  else if (key === "-") camera.zoom(1 / 1.15);
  else return false;
  return true;
}

// Buttons that call LOOK with a way of camera.js.
export function looks(planar, look) {
  const names = planar ? ["front"] : ["corner", "front", "side", "top"];
  return names.map((name) => el("button", { type: "button", class: "quiet", click: () => look(name) }, name));
}

// Calls CHANGE with the number of a moving body among those, -1 for none.
export function follower(model, change) {
  const moving = model.bodies.filter(({ kind }) => kind !== "fixed").slice(0, listed);
  const select = el(
    "select",
    { "aria-label": "follow", change: () => change(Number(select.value)) },
    el("option", { value: "-1" }, "follow no body"),
    moving.map(({ name }, i) => el("option", { value: String(i) }, `follow ${name}`)),
  );
  return select;
}

// Into PLACE the NAMES of VIEW's layers where they stand side by side.
export function nameCells(place, view, names) {
  const cells = view.sideBySide ? view.cells() : [];
  place.replaceChildren(
    ...cells
      .filter(([layer]) => layer)
      .map(([layer, left, top]) =>
        el("span", { style: { left: `${100 * left}%`, top: `${100 * top}%` } }, names[view.layers.indexOf(layer)]),
      ),
  );
}

// A box to tick: [label, input].
export function check(text, on, change, disabled) {
  const input = el("input", { type: "checkbox", checked: on, disabled, change: () => change(input.checked) });
  return [el("label", { class: "check" }, input, el("span", { class: "swatch" }), text), input];
}
