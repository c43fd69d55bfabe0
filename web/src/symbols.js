// symbols.js - symbols of solvers: a shape by the last digit of the index, and where the colours repeat, a
// dash and hollow symbols. Two solvers of a report differ in colour, shape or dash.
import uPlot from "uplot";
import { colours, dash } from "./palette.js";

const shapes = [
  null, // a circle
  [[-1, -1], [1, -1], [1, 1], [-1, 1]].map((corner) => corner.map((x) => 0.88 * x)), // prettier-ignore
  [[0, -1.25], [1.15, 0.75], [-1.15, 0.75]], // prettier-ignore
  [[0, -1.35], [1.35, 0], [0, 1.35], [-1.35, 0]], // prettier-ignore
  [[0, 1.25], [-1.15, -0.75], [1.15, -0.75]], // prettier-ignore
];
const size = 4; // px: radius of a circle

const shapeOf = (index) => shapes[index % shapes.length];
const isHollow = (index) => Math.floor(index / colours) % 2 === 1;

// Adds the symbol of solver INDEX at (X, Y) with radius R to a path of a canvas.
function draw(path, index, x, y, r) {
  const shape = shapeOf(index);
  if (!shape) {
    path.moveTo(x + r, y);
    path.arc(x, y, r, 0, 2 * Math.PI);
    return;
  }
  shape.forEach(([a, b], i) => path[i ? "lineTo" : "moveTo"](x + r * a, y + r * b));
  path.closePath();
}

// Returns the points of a series of uPlot with the symbol of solver INDEX; GROUND fills hollow ones.
export const pointsOf = (index, colour, ground, show) => ({
  show,
  size: 2 * size,
  fill: isHollow(index) ? ground : colour,
  paths: (u, series, first, last, some) => {
    const path = new Path2D(),
      add = (i) =>
        u.data[series][i] !== null &&
        u.data[series][i] !== undefined &&
        draw(
          path,
          index,
          u.valToPos(u.data[0][i], "x", true),
          u.valToPos(u.data[series][i], "y", true),
          (size - 0.5) * uPlot.pxRatio,
        );
    if (some) some.forEach(add);
    else for (let i = first; i <= last; i++) add(i);
    return { stroke: path, fill: path, clip: null, flags: 3 };
  },
});

const svg = (name, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

// Returns the symbol of solver INDEX as an element, with its line if LINE; its colour is --ink.
export function swatch(index, line = false) {
  const shape = shapeOf(index),
    half = line ? 14 : 6,
    sign = shape
      ? svg("polygon", { points: shape.map((corner) => corner.map((x) => size * x).join()).join(" ") })
      : svg("circle", { r: size });
  if (isHollow(index)) sign.setAttribute("class", "hollow");
  const dashes = (dash(index) ?? []).join(" ") || "none",
    parts = line ? [svg("line", { x1: -half, x2: half, "stroke-dasharray": dashes })] : [];
  return svg(
    "svg",
    {
      class: "symbol",
      viewBox: `${-half} -6 ${2 * half} 12`,
      width: 2 * half,
      height: 12,
      "aria-hidden": "true",
    },
    ...parts,
    sign,
  );
}
