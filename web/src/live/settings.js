// settings.js - controls of settings: slider with number, choice, check box or text. They show the value
// reported by the server, except while the user changes it.
import { el, number } from "../text.js";

const slideInterval = 100; // ms between two values of a moving slider
const logRatio = 1000; // ratio of the ends above which a slider is logarithmic, and its half-range then

// Returns the control { element, show(value) } of ABOUT: { name, value, low, high, kind, choices: "a,b",
// live, unit, moving: send while a slider moves, grows: its ends are a guess }. SEND receives a number,
// boolean or text.
function setting(about, send) {
  if (about.choices) return choice(about, send);
  if (about.kind === "bool") return tick(about, send);
  return ["number", "integer"].includes(about.kind) ? new Slider(about, send) : text(about, send);
}

const isFixed = ({ live }) => live === false;
const labelled = (about, ...inside) =>
  el(
    "div",
    {
      class: about.name.length + (about.unit ?? "").length > 14 ? "setting long" : "setting",
      title: isFixed(about) ? `${about.help ?? about.name}: cannot change during a run` : about.help,
    },
    el(
      "span",
      { class: "name" },
      about.name,
      about.unit ? el("span", { class: "unit" }, ` ${about.unit}`) : null,
    ),
    inside,
  );

function choice(about, send) {
  const select = el(
    "select",
    { "aria-label": about.name, disabled: isFixed(about), change: () => send(select.value) },
    about.choices.split(",").map((name) => el("option", { value: name }, name)),
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

// Returns the ends of a slider: as given, else a range about the default. Logarithmic if the default is small
// against them. null if neither ends nor default give a range.
function ends({ low, high, value, default: usual, kind }) {
  const centre = Number(usual ?? value) || 0,
    from = low ?? (centre > 0 ? 0 : 2 * centre),
    to = high ?? 2 * Math.abs(centre);
  if (!(to > from)) return null;
  const log = centre > 0 && (to > logRatio * centre || (from > 0 && to > logRatio * from));
  return {
    from: log ? Math.max(from, centre / logRatio) : from,
    to: log ? Math.min(to, centre * logRatio) : to,
    log,
    step: kind === "integer" && !log ? "1" : "any",
  };
}

class Slider {
  constructor(about, send) {
    Object.assign(this, { about, send, range: ends(about), held: false, sent: 0, later: null, shown: null });
    const disabled = isFixed(about),
      step = this.range?.step ?? "any";
    this.box = el("input", {
      type: "number",
      "aria-label": about.name,
      step,
      placeholder: "–",
      disabled,
      change: () =>
        this.box.value !== "" &&
        Number.isFinite(Number(this.box.value)) &&
        this.submit(Number(this.box.value)),
    });
    this.bar = this.range
      ? el("input", {
          type: "range",
          "aria-label": `${about.name}, slider`,
          min: this.scale(this.range.from),
          max: this.scale(this.range.to),
          step,
          disabled,
          pointerdown: () => (this.held = true),
          pointerup: () => (this.held = false),
          pointercancel: () => (this.held = false),
          input: () => ((this.box.value = String(this.read())), this.submitLater(this.read())),
          change: () => ((this.held = false), this.submit(this.read())),
        })
      : null;
    this.element = labelled(about, this.bar, this.box);
  }

  scale(value) {
    return String(this.range.log ? Math.log(Math.max(value, this.range.from)) : value);
  }

  read() {
    const value = this.range.log ? Math.exp(Number(this.bar.value)) : Number(this.bar.value);
    return this.about.kind === "integer" ? Math.round(value) : Number(value.toPrecision(4));
  }

  submit(value) {
    clearTimeout(this.later);
    Object.assign(this, { sent: performance.now(), later: null });
    this.send(value);
  }

  // Send while the slider moves; other sliders send when released.
  submitLater(value) {
    if (!this.about.moving) return;
    clearTimeout(this.later);
    this.later = setTimeout(
      () => this.submit(value),
      Math.max(0, slideInterval - (performance.now() - this.sent)),
    );
  }

  // Extend the range to twice VALUE on both sides.
  grow(value) {
    Object.assign(this.range, { from: -2 * value, to: 2 * value });
    Object.assign(this.bar, { min: this.scale(this.range.from), max: this.scale(this.range.to) });
  }

  // Show TEXT, also a number; null: no value.
  show(text) {
    const value = text === null ? NaN : Number(text),
      known = Number.isFinite(value);
    const busy = this.held || this.later !== null || document.activeElement === this.box;
    if (busy || Object.is(value, this.shown)) return;
    this.shown = value;
    if (known && this.about.grows && Math.abs(value) > this.range.to) this.grow(Math.abs(value));
    this.box.value = known ? String(Number(value.toPrecision(6))) : "";
    this.element.classList.toggle("unknown", !known);
    if (!this.bar) return;
    if (known) this.bar.value = this.scale(value);
    this.bar.setAttribute("aria-valuetext", known ? number(value) : "no value");
  }
}

// A list of controls in `place`, rebuilt only if its settings change. SEND(about, value) sends a value.
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
    this.controls.forEach((control, i) => control.show(list[i].value));
  }
}
