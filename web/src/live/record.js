// record.js - the log of commands, the session as a file, and saved states.
import { el } from "../text.js";
import { inWords } from "./words.js";

const lines = 300,
  slots = 9;

export function makeRecord(state) {
  const list = el("ol", { class: "done", "aria-label": "command log" }),
    files = el("p", { class: "row" });
  let last = null;
  state.on("hello", () => (list.replaceChildren(), (last = null)));
  // Consecutive targets of a mouse spring, or values of a slider, share one line.
  state.on("done", ({ at_step, command, lane }) => {
    const text = inWords({ ...command, lane: command.lane ?? lane }),
      key = ["target", "input"].includes(command.do) ? `${command.do} ${command.id ?? command.of}` : null;
    const line = el("li", {}, el("span", { class: "step" }, String(at_step)), text);
    if (key && key === last) list.lastElementChild.replaceWith(line);
    else list.append(line);
    last = key;
    if (list.children.length > lines) list.firstElementChild.remove();
    list.scrollTop = list.scrollHeight;
  });
  state.on("status", ({ lanes }) => {
    const key = lanes.map(({ lane }) => lane).join();
    if (files.dataset.lanes === key) return;
    files.dataset.lanes = key;
    files.replaceChildren(
      ...lanes.map(({ lane }) =>
        el(
          "a",
          { class: "button", href: `session/${lane}`, download: `${state.hello.scene}-${lane}.session` },
          lanes.length > 1 ? `Session of lane ${lane}` : "Session",
        ),
      ),
    );
  });
  return [
    el(
      "p",
      { class: "note" },
      "Commands with their steps; holonom replay reproduces the session file bit by bit.",
    ),
    list,
    files,
  ];
}

export function makeSlots(state, send) {
  const slot = el(
    "select",
    { "aria-label": "slot", change: () => show() },
    [...Array(slots).keys()].map((i) => el("option", { value: String(i + 1) }, `slot ${i + 1}`)),
  );
  const of = () => Number(slot.value),
    load = el("button", { type: "button", click: () => send({ do: "load", slot: of() }) }, "Load");
  function show() {
    const full = state.status?.slots ?? [];
    [...slot.options].forEach((option, i) => {
      const text = `slot ${i + 1}${full.includes(i + 1) ? ", full" : ""}`;
      if (option.textContent !== text) option.textContent = text;
    });
    load.disabled = !full.includes(of());
  }
  state.on("status", show);
  return el(
    "div",
    { class: "row" },
    slot,
    el("button", { type: "button", click: () => send({ do: "save", slot: of() }) }, "Save"),
    load,
  );
}
