// viewing.js - controls shared by the report and the live page: keys of the camera, view directions, the body
// to follow, names of rectangles, check boxes.
import { el } from "./text.js";

const turns = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const maxListed = 2000; // bodies in the list, at most: longer lists are slow

// Applies KEY to the camera. True if it is a key of the camera.
export function cameraKey(camera, key) {
  if (turns[key] && !camera.planar) camera.turn(...turns[key]);
  else if (key === "+" || key === "=") camera.zoom(1.15);
  else if (key === "-") camera.zoom(1 / 1.15);
  else return false;
  return true;
}

// Returns buttons that call LOOK with a named direction of camera.js.
export function looks(planar, look) {
  const names = planar ? ["front"] : ["corner", "front", "side", "top"];
  return names.map((name) => el("button", { type: "button", class: "quiet", click: () => look(name) }, name));
}

// Returns a selection that calls CHANGE with the index of a moving body among the moving ones, -1 for none.
export function follower(model, change) {
  const moving = model.bodies.filter(({ kind }) => kind !== "fixed").slice(0, maxListed);
  const select = el(
    "select",
    { "aria-label": "follow", change: () => change(Number(select.value)) },
    el("option", { value: "-1" }, "follow no body"),
    moving.map(({ name }, i) => el("option", { value: String(i) }, `follow ${name}`)),
  );
  return select;
}

// Show the NAMES of VIEW's layers in PLACE if they are side by side.
export function nameCells(place, view, names) {
  const cells = view.sideBySide ? view.cells() : [];
  place.replaceChildren(
    ...cells
      .filter(([layer]) => layer)
      .map(([layer, left, top]) =>
        el(
          "span",
          { style: { left: `${100 * left}%`, top: `${100 * top}%` } },
          names[view.layers.indexOf(layer)],
        ),
      ),
  );
}

// Returns a check box: [label, input], with the element SIGN before its text.
export function check(text, on, change, disabled, sign = el("span", { class: "swatch" })) {
  const input = el("input", { type: "checkbox", checked: on, disabled, change: () => change(input.checked) });
  return [el("label", { class: "check" }, input, sign, text), input];
}
