// live.js - assembles the live page.
import { el, plural } from "../text.js";
import { Hand } from "./hand.js";
import { Link } from "./link.js";
import { makePlots } from "./plots.js";
import { LiveStage } from "./live_stage.js";
import { State } from "./state.js";
import { makeTools } from "./tools.js";
import { makeTransport } from "./transport.js";
import { inWords } from "./words.js";

const refusalTime = 8000; // ms for which a refusal is shown
const state = new State(),
  stage = new LiveStage(state),
  will = { does: "pull", frequency: 2, change: 1 };
let link = null;
const send = (command) => link?.send(command) ?? false;

const name = el("h1", {}, "Holonom"),
  about = el("p", { class: "brand" }),
  lamp = el("p", { class: "lamp", role: "status" }),
  refusal = el("p", { class: "refusal", role: "alert", hidden: true });
const transport = makeTransport(state, send),
  hand = new Hand(stage, will, send);

document
  .getElementById("page")
  .replaceChildren(
    el("header", {}, el("div", {}, name, about), lamp),
    el(
      "div",
      { class: "desk" },
      el("section", { class: "sight", "aria-label": "motion" }, stage.element, transport.element, refusal),
      makeTools(state, stage, will, send),
      el("section", { class: "plots", "aria-label": "plots" }, makePlots(state).element),
    ),
  );

// Show the mouse springs of all clients; the target of this page's own follows the mouse without delay.
function showGrips() {
  const others = (state.status?.grips ?? []).filter(({ id }) => id !== hand.own?.id && id !== hand.gone);
  stage.grips = hand.own ? [...others, hand.own] : others;
}

state.on("hello", ({ scene, title }) => {
  name.textContent = scene;
  about.textContent = title;
  document.title = `${scene} – Holonom`;
});
state.on("status", ({ pages }) => {
  const words = pages > 1 ? `Connected, ${plural(pages, "page")}` : "Connected";
  if (lamp.lastChild.textContent !== words) lamp.lastChild.textContent = words;
  showGrips();
});
state.on("done", ({ command }) => {
  const grip = command.do === "target" && state.status?.grips.find(({ id }) => id === command.id);
  if (grip) ((grip.target = command.to), showGrips(), stage.requestDraw());
});
let tick = 0;
state.on("picture", () => {
  showGrips();
  if (tick) return;
  tick = setTimeout(() => ((tick = 0), transport.showTime()), 100);
});

let hide = 0;
state.on("refused", ({ command, text }) => {
  refusal.textContent = `Refused (${inWords(command)}): ${text}`;
  refusal.hidden = false;
  clearTimeout(hide);
  hide = setTimeout(() => (refusal.hidden = true), refusalTime);
});

function showLink(now, words) {
  const root = document.documentElement;
  root.dataset.link = now;
  lamp.replaceChildren(
    el("span", { class: "dot", "aria-hidden": "true" }),
    now === "connected" ? words : now === "lost" ? "Lost" : words,
  );
  if (now === "lost") stage.notice.textContent = words;
  if (now !== "connecting") stage.notice.hidden = now === "connected";
}

window.holonomLive = { state, stage, hand, will, send }; // for scripts and tests
link = new Link({
  state: (now, words) => showLink(now, words),
  message: (message) => {
    state.message(message);
    if (message.type === "status") document.documentElement.classList.add("ready");
  },
  picture: (buffer) => state.takePicture(buffer),
});
