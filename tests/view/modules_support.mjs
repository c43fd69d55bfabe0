// modules_support.mjs - verdicts with the measured value and its bound, and closed forms to compare with.
import { isDeepStrictEqual } from "node:util";
import { verdict } from "./browser.mjs";

export { verdict };
const short = (value) => {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 150 ? `${text.slice(0, 150)} …` : text;
};

// VALUE is at most BOUND.
export const near = (name, value, bound) =>
  verdict(name, value <= bound, `${value.toPrecision(3)}, at most ${bound}`);
export const least = (name, value, bound) =>
  verdict(name, value >= bound, `${value.toPrecision(3)}, at least ${bound}`);
export function equal(name, value, expected) {
  const same = isDeepStrictEqual(value, expected);
  verdict(name, same, same ? undefined : `${short(value)}, not ${short(expected)}`);
}

// Returns the largest difference of two lists of numbers; NaN if one has another length.
export const apart = (a, b) =>
  a.length === b.length ? [...a].reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0) : NaN;

// Returns a generator of equally distributed numbers between -1 and 1.
export function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

export const unit = (v) => v.map((x) => x / Math.hypot(...v));
export const cross = (a, b) =>
  [0, 1, 2].map((k) => a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
export const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
export const plus = (a, b, factor = 1) => a.map((x, k) => x + factor * b[k]);

// The unit quaternion w, x, y, z of a rotation by ANGLE about the unit vector AXIS.
export const quaternion = (axis, angle) => [Math.cos(angle / 2), ...axis.map((x) => Math.sin(angle / 2) * x)];

// The vector V rotated by ANGLE about AXIS (formula of Rodrigues).
export const rotated = (v, axis, angle) =>
  plus(
    plus(
      v.map((x) => x * Math.cos(angle)),
      cross(axis, v),
      Math.sin(angle),
    ),
    axis,
    dot(axis, v) * (1 - Math.cos(angle)),
  );

// CIE Lab coordinates of a colour "#rrggbb" (white D65).
export function lab(colour) {
  const [r, g, b] = [1, 3, 5]
    .map((i) => parseInt(colour.slice(i, i + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  const [x, y, z] = [
    (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
    0.2126 * r + 0.7152 * g + 0.0722 * b,
    (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
  ].map((t) => (t > (6 / 29) ** 3 ? Math.cbrt(t) : t / (3 * (6 / 29) ** 2) + 4 / 29));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
export const distance = (a, b) => Math.hypot(...plus(a, b, -1));
