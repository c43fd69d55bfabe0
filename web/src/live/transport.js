// transport.js - play, pause, one step, reset, speed, and the lag behind real time.
import { el, number } from "../text.js";

const speeds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 0];
const slow = 0.95; // fraction of the requested speed below which the page reports a lag

export function makeTransport(state, send) {
  const button = (text, title, command) => el("button", { type: "button", title, click: command }, text);
  const play = el("button", { type: "button", class: "play", title: "space", click: () => toggle() }, "Play");
  const clock = el("output", { class: "clock", "aria-label": "time", "aria-live": "off" }),
    pace = el("p", { class: "note pace", "aria-live": "off" });
  const speed = el(
    "select",
    { "aria-label": "speed", change: () => send({ do: "speed", factor: Number(speed.value) }) },
    speeds.map((factor) => el("option", { value: String(factor) }, factor ? `${factor} ×` : "unlimited")),
  );
  const toggle = () => send({ do: state.status?.paused === false ? "pause" : "play" }),
    once = () => send({ do: "once" }),
    reset = () => send({ do: "reset" });

  function showStatus({ paused, speed: factor }) {
    play.textContent = paused ? "Play" : "Pause";
    if (![...speed.options].some(({ value }) => Number(value) === factor))
      speed.append(el("option", { value: String(factor) }, `${number(factor)} ×`));
    if (document.activeElement !== speed || speed.value === "") speed.value = String(factor);
    showTime();
  }

  function showTime() {
    const picture = state.first?.picture,
      about = state.about(state.first?.number),
      time = picture?.time ?? about?.time ?? 0;
    clock.textContent =
      `${time.toFixed(3)} s, step ` + (picture?.steps ?? about?.steps ?? 0).toLocaleString("en");
    pace.textContent = inTime(state.status, picture);
  }

  listen({ " ": toggle, ".": once, r: reset });
  state.on("status", showStatus);
  return {
    showTime,
    element: el(
      "div",
      { class: "transport" },
      play,
      button("One step", "full stop", once),
      button("Reset", "r", reset),
      el("label", {}, "speed ", speed),
      clock,
      pace,
    ),
  };
}

// Call ACTS by their keys, unless a control has the focus.
function listen(acts) {
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.repeat || !acts[event.key]) return;
    if (event.target.closest?.("input, select, textarea, button, summary, a")) return;
    event.preventDefault();
    acts[event.key]();
  });
}

function inTime(status, picture) {
  if (!status || !picture) return "";
  if (status.paused) return "Paused.";
  if (status.lanes.every(({ ended }) => ended)) return "All lanes have ended.";
  const { factor, lag } = picture;
  if (status.speed === 0) return `Unlimited: ${number(factor)} × real time.`;
  if (!(factor < slow * status.speed)) return `In time: ${number(factor)} × real time.`;
  const lost = lag > 0 ? `, ${number(lag)} s skipped` : "";
  return `Behind: ${number(factor)} × real time instead of ${number(status.speed)} ×${lost}.`;
}
