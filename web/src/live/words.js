// words.js - commands in words.
import { isNumber, number } from "../text.js";

const size = (vector) => (Array.isArray(vector) ? number(Math.hypot(...vector)) : "–");
const place = (vector) => (Array.isArray(vector) ? `(${vector.map((x) => number(x)).join(", ")})` : "");

const said = {
  impulse: ({ body, impulse }) => `${body} is struck with ${size(impulse)} N s`,
  input: ({ of, value }) => `${of} is set to ${number(value)}`,
  grip: ({ body, id }) => `mouse spring ${id} is attached to ${body}`,
  target: ({ id, to }) => `mouse spring ${id} is moved to ${place(to)}`,
  release: ({ id }) => `mouse spring ${id} is released`,
  solver: ({ spec }) => `solver ${spec}`,
  parameter: ({ key, value }) => `the solver's ${key} = ${value}`,
  step: ({ size }) => `step ${number(size)} s`,
  set: ({ name, value }) => `the scene's ${name} = ${value}`,
  reset: () => "reset",
  pause: () => "pause",
  play: () => "play",
  once: () => "one step",
  speed: ({ factor }) => (factor === 0 ? "unlimited speed" : `speed ${number(factor)}`),
  add: ({ name, shape }) => `a ${shape} is added, ${name}`,
  save: ({ slot }) => `saved in slot ${slot}`,
  load: ({ slot }) => `loaded from slot ${slot}`,
  fork: ({ spec }) => `a new lane with ${spec}`,
  drop: ({ lane }) => `lane ${lane} is dropped`,
};

export function inWords(command) {
  const words = said[command?.do]?.(command) ?? String(command?.do ?? "something");
  return isNumber(command?.lane) && command.do !== "drop" ? `${words}, lane ${command.lane}` : words;
}
