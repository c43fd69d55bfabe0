// words.js - what was done, in words.
import { isNumber, number } from "../text.js";

const size = (vector) => (Array.isArray(vector) ? number(Math.hypot(...vector)) : "–");
const place = (vector) => (Array.isArray(vector) ? `(${vector.map((x) => number(x)).join(", ")})` : "");

const said = {
  impulse: ({ body, impulse }) => `${body} is struck with ${size(impulse)} N s`,
  input: ({ of, value }) => `${of} is given ${number(value)}`,
  grip: ({ body, id }) => `hand ${id} takes hold of ${body}`,
  target: ({ id, to }) => `hand ${id} goes to ${place(to)}`,
  release: ({ id }) => `hand ${id} lets go`,
  solver: ({ spec }) => `solver ${spec}`,
  parameter: ({ key, value }) => `the solver's ${key} = ${value}`,
  step: ({ size }) => `step ${number(size)} s`,
  set: ({ name, value }) => `the scene's ${name} = ${value}`,
  reset: () => "back to the start",
  pause: () => "pause",
  play: () => "on",
  once: () => "one step",
  speed: ({ factor }) => (factor === 0 ? "as fast as it goes" : `speed ${number(factor)}`),
  add: ({ name, shape }) => `a ${shape} more, ${name}`,
  save: ({ slot }) => `saved in slot ${slot}`,
  load: ({ slot }) => `loaded from slot ${slot}`,
  fork: ({ spec }) => `a lane more, with ${spec}`,
  drop: ({ lane }) => `lane ${lane} is dropped`,
};

export function inWords(command) {
  const words = said[command?.do]?.(command) ?? String(command?.do ?? "something");
  return isNumber(command?.lane) && command.do !== "drop" ? `${words}, lane ${command.lane}` : words;
}
