// settings.js - a thing that can be set: a slider with a number, a choice, a box to tick or a text. What the
// command says of it is shown, unless somebody has it in hand just now.
import { el, number } from "../text.js";

const often = 100; // ms between two values of a slider that is moved
const decades = 1000; // the ratio above which a slider goes by powers, and as far as it goes then

// Of ABOUT: { name, value, low, high, kind, choices, live, unit, moving: sent while a slider moves, grows: its ends
// are but a guess }. SEND takes a value: a number, true or false, or a text.
export function setting(about, send) {
  const make = about.choices?.length ? choice : about.kind === "bool" ? tick : isNumeric(about.kind) ? slider : text;
  return make(about, send);
}

const isNumeric = (kind) => kind === "number" || kind === "integer" || kind === "motor";
const isFixed = ({ live }) => live === false;
const labelled = (about, ...inside) =>
  el(
    "div",
    {
      class: about.name.length + (about.unit ?? "").length > 14 ? "setting long" : "setting",
      title: isFixed(about) ? `${about.help ?? about.name}: not while it runs` : about.help,
    },
    el("span", { class: "name" }, about.name, about.unit ? el("span", { class: "unit" }, ` ${about.unit}`) : null),
    inside,
  );

const listed = (choices) => (Array.isArray(choices) ? choices : choices.split(/[,\s]+/).filter(Boolean));

function choice(about, send) {
  const select = el(
    "select",
    { "aria-label": about.name, disabled: isFixed(about), change: () => send(select.value) },
    listed(about.choices).map((name) => el("option", { value: name }, name)),
  );
  return {
    element: labelled(about, select),
    show: (value) => document.activeElement !== select && (select.value = String(value ?? "")),
  };
}

function tick(about, send) {
  const input = el("input", {
    type: "checkbox",
    "aria-label": about.name,
    disabled: isFixed(about),
    change: () => send(input.checked),
  });
  const show = (value) => {
    input.checked = value === true || value === "true";
    input.indeterminate = value === null;
  };
  return { element: labelled(about, input), show };
}

function text(about, send) {
  const input = el("input", {
    type: "text",
    "aria-label": about.name,
    disabled: isFixed(about),
    change: () => input.value && send(input.value),
  });
  return {
    element: labelled(about, input),
    show: (value) => document.activeElement !== input && (input.value = String(value ?? "")),
  };
}

// Ends of a slider: those there are, else a range about what it is by default; by powers about a default that is small
// beside them. null where all that says nothing.
function ends({ low, high, value, default: usual, kind }) {
  const centre = Number(usual ?? value) || 0,
    from = low ?? (centre > 0 ? 0 : 2 * centre),
    to = high ?? 2 * Math.abs(centre);
  if (!(to > from)) return null;
  const log = centre > 0 && (to > decades * centre || (from > 0 && to > decades * from));
  return {
    from: log ? Math.max(from, centre / decades) : from,
    to: log ? Math.min(to, centre * decades) : to,
    log,
    step: kind === "integer" && !log ? "1" : "any",
  };
}

function slider(about, send) {
  const range = ends(about);
  let held = false,
    sent = 0,
    later = null,
    shown = null;
  const give = (value) => {
    clearTimeout(later);
    [sent, later] = [performance.now(), null];
    send(value);
  };
  const soon = (value) => {
    if (!about.moving) return; // it is sent when it is let go
    clearTimeout(later);
    later = setTimeout(() => give(value), Math.max(0, often - (performance.now() - sent)));
  };
  const own = about.kind === "integer" ? Math.round : (value) => Number(value.toPrecision(4));
  const read = () => own(range.log ? Math.exp(Number(bar.value)) : Number(bar.value));
  const box = el("input", {
    type: "number",
    "aria-label": about.name,
    step: range?.step ?? "any",
    placeholder: "–",
    disabled: isFixed(about),
    change: () => box.value !== "" && Number.isFinite(Number(box.value)) && give(Number(box.value)),
  });
  const scale = (value) => String(range.log ? Math.log(Math.max(value, range.from)) : value);
  const bar =
    range &&
    el("input", {
      type: "range",
      "aria-label": `${about.name}, slider`,
      min: scale(range.from),
      max: scale(range.to),
      step: range.step,
      disabled: isFixed(about),
      pointerdown: () => (held = true),
      pointerup: () => (held = false),
      pointercancel: () => (held = false),
      input: () => ((box.value = String(read())), soon(read())),
      change: () => ((held = false), give(read())),
    });
  const grow = (value) => {
    Object.assign(range, { from: -2 * value, to: 2 * value });
    Object.assign(bar, { min: scale(range.from), max: scale(range.to) });
  };
  const element = labelled(about, bar, box);
  // VALUE is NaN where there is none.
  const show = (value) => {
    if (held || later !== null || document.activeElement === box || Object.is(value, shown)) return;
    shown = value;
    const known = Number.isFinite(value);
    if (known && about.grows && Math.abs(value) > range.to) grow(Math.abs(value));
    box.value = known ? String(Number(value.toPrecision(6))) : "";
    element.classList.toggle("unknown", !known);
    if (known && bar) bar.value = scale(value);
    bar?.setAttribute("aria-valuetext", known ? number(value) : "no value");
  };
  return { element, show: (value) => show(value === null ? NaN : Number(value)) };
}

// Settings LIST under one another, made anew only when others are in it. PLACE gets them; SEND(about, value).
export class Settings {
  constructor(send) {
    Object.assign(this, { send, place: el("div", { class: "settings" }), key: null, controls: [] });
  }

  show(list) {
    const key = JSON.stringify(list.map((about) => ({ ...about, value: null })));
    if (key !== this.key) {
      this.key = key;
      this.controls = list.map((about) => setting(about, (value) => this.send(about, value)));
      this.place.replaceChildren(...this.controls.map(({ element }) => element));
    }
    this.controls.forEach(({ show }, i) => show(list[i].value));
  }
}
