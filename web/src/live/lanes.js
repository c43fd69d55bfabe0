// lanes.js - a card for each lane: solver, step, settings and measures; adding and dropping lanes; their
// layout.
import { colour, onTheme } from "../palette.js";
import { el, number } from "../text.js";
import { check } from "../viewing.js";
import { Settings } from "./settings.js";

const maxLanes = 4; // limit of the server
const base = (spec) => spec.split(":")[0];

export function makeLanes(state, stage, send) {
  const cards = new Map(),
    place = el("div", { class: "cards" });
  const layout = el(
    "select",
    { "aria-label": "lanes", change: () => lay(layout.value === "1") },
    el("option", { value: "0" }, "overlaid"),
    el("option", { value: "1" }, "side by side"),
  );
  function lay(sideBySide) {
    if (stage.view) stage.view.sideBySide = sideBySide;
    (stage.label(), stage.requestDraw());
  }
  const other = el("select", { "aria-label": "solver of another lane" }),
    fork = el(
      "button",
      { type: "button", click: () => send({ do: "fork", spec: other.value }) },
      "Another lane",
    );
  const more = el("div", { class: "row" }, other, fork),
    together = el("div", { class: "row" }, layout);

  function showStatus({ lanes, solvers }) {
    for (const [key, card] of cards)
      if (!lanes.some(({ lane }) => lane === key))
        (card.element.remove(), cards.delete(key), stage.hidden.delete(key));
    for (const about of lanes) {
      if (!cards.has(about.lane)) {
        cards.set(about.lane, new Card(about.lane, state, stage, send));
        place.append(cards.get(about.lane).element);
      }
      cards.get(about.lane).show(about, solvers, lanes.length);
    }
    fill(other, solvers);
    more.hidden = lanes.length >= maxLanes;
    together.hidden = lanes.length < 2;
  }
  state.on("status", showStatus);
  state.on("picture", ({ lane }) => cards.get(lane)?.measureSoon());
  state.on("refused", ({ command }) =>
    cards.forEach((card) => (!command?.lane || command.lane === card.lane ? card.showAgain() : null)),
  );
  onTheme(() => cards.forEach((card) => card.paint()));
  return [place, together, more];
}

// Set the options of SELECT, only if NAMES have changed.
function fill(select, names) {
  const key = names.join();
  if (select.dataset.names === key) return;
  const { value } = select;
  select.dataset.names = key;
  select.replaceChildren(...names.map((name) => el("option", { value: name }, name)));
  if (names.includes(value)) select.value = value;
}

class Card {
  constructor(lane, state, stage, send) {
    Object.assign(this, { lane, state });
    const [shown] = check(`Lane ${lane}`, true, (on) => {
      on ? stage.hidden.delete(lane) : stage.hidden.add(lane);
      stage.requestDraw();
    });
    this.swatch = shown.querySelector(".swatch");
    this.solvers = el("select", {
      "aria-label": `solver of lane ${lane}`,
      change: () => send({ do: "solver", lane, spec: this.solvers.value }),
    });
    this.step = el("input", {
      type: "number",
      step: "any",
      min: "0",
      "aria-label": `step of lane ${lane}, s`,
      change: () => Number(this.step.value) > 0 && send({ do: "step", lane, size: Number(this.step.value) }),
    });
    this.drop = el(
      "button",
      { type: "button", class: "quiet", title: `drop lane ${lane}`, click: () => send({ do: "drop", lane }) },
      "Drop",
    );
    this.spec = el("code", { class: "spec" });
    this.ended = el("p", { class: "ended", role: "alert", hidden: true });
    this.figures = el("dl", { class: "pairs small" });
    this.settings = new Settings(({ name }, value) =>
      send({ do: "parameter", lane, key: name, value: String(value) }),
    );
    this.more = el(
      "details",
      {},
      el("summary", {}, "Settings of the solver"),
      this.spec,
      this.settings.place,
    );
    this.element = el(
      "article",
      { class: "card", "aria-label": `lane ${lane}` },
      el("div", { class: "head" }, shown, this.drop),
      el("div", { class: "row" }, this.solvers, el("label", {}, "step ", this.step, " s")),
      this.ended,
      this.figures,
      this.more,
    );
    this.paint();
  }

  paint() {
    this.swatch.style.setProperty("--ink", colour(this.lane - 1));
  }

  show(about, solvers, count) {
    this.about = about;
    const own = base(about.spec);
    fill(this.solvers, solvers.includes(own) ? solvers : [own, ...solvers]);
    if (document.activeElement !== this.solvers) this.solvers.value = own;
    if (document.activeElement !== this.step) this.step.value = String(about.step);
    this.drop.hidden = count < 2;
    this.spec.textContent = about.spec;
    const words = about.ended
      ? `Ended: ${about.ended}${about.explanation ? `. ${about.explanation}` : ""}`
      : "";
    if (this.ended.textContent !== words) this.ended.textContent = words;
    this.ended.hidden = !about.ended;
    this.more.hidden = about.parameters.length === 0;
    this.settings.show(about.parameters);
    this.measureSoon();
  }

  // After a refusal: show the current values again.
  showAgain() {
    if (!this.about) return;
    this.solvers.value = base(this.about.spec);
    this.step.value = String(this.about.step);
    this.settings.key = null;
    this.settings.show(this.about.parameters);
  }

  // Show the measures of the newest picture, a few times a second.
  measureSoon() {
    this.later ??= setTimeout(() => {
      this.later = null;
      this.measure();
    }, 200);
  }

  measure() {
    const own = this.state.lanes.get(this.lane),
      picture = own?.picture;
    if (!picture) return;
    const joint = own.model.joints[picture.worst]?.name;
    const rows = [
      ["energy", picture.measured && `${number(picture.energy, 4)} J`],
      [
        "joint error",
        picture.measured &&
          own.model.joints.length &&
          `${number(picture.drift)}${joint ? ` at ${joint}` : ""}`,
      ],
      ["penetration", Number.isFinite(picture.penetration) && `${number(picture.penetration)} m`],
      ["contacts", picture.contacts.length && String(picture.contacts.length / picture.width)],
      ["time a step", picture.cost > 0 && `${number(1e3 * picture.cost)} ms`],
      ["from lane 1", own.apart && `${number(own.apart.most)} m`],
    ].filter(([, text]) => text);
    this.figures.replaceChildren(...rows.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]));
  }
}
