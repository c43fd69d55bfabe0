// live_page.mjs - the whole live page in node, without graphics, connected to a server that the test plays.
// Called by live_modules.sh.
import { named, page, pass, root } from "./live_elements.mjs";
import { group, hello, modelOf, pictureOf, same, statusOf } from "./live_samples.mjs";
import "../../web/src/charts.js"; // before there is a window: uPlot asks for more then

const sockets = [];
globalThis.location = { href: "http://localhost:7777/live.html" };
globalThis.WebSocket = class {
  static OPEN = 1;
  constructor() {
    Object.assign(this, { readyState: 1, sent: [] });
    sockets.push(this);
  }
  send(text) {
    this.sent.push(JSON.parse(text));
  }
};
globalThis.window = {};
await import("../../web/src/live/live.js");
const [socket] = sockets,
  say = (message) => socket.onmessage({ data: JSON.stringify(message) }),
  find = (name) => page.querySelector(`.${name}`);

group("page", () => {
  same("page: one connection, not ready", [sockets.length, root.classList.contains("ready")], [1, false]);
  socket.onopen();
  same("page: connected", [root.dataset.link, find("lamp").textContent], ["connected", "Connected"]);
  say(hello);
  say(modelOf(1));
  say(statusOf([1], { pages: 2 }));
  same("page: ready", root.classList.contains("ready"), true);
  same("page: title", [named(page, "h1")[0].textContent, document.title], ["sample", "sample – Holonom"]);
  same("page: pages that are connected", find("lamp").textContent, "Connected, 2 pages");
  socket.onmessage({ data: pictureOf({ time: 0.5, steps: 50 }) });
  pass(150);
  same("page: time", find("clock").textContent, "0.500 s, step 50");
});

group("refusals", () => {
  const refusal = find("refusal");
  same("page: no refusal at first", refusal.hidden, true);
  const refuse = (text) =>
    say({ type: "refused", command: { do: "set", name: "length", value: "-1" }, text });
  refuse("length must be positive");
  same("page: a refusal is shown", refusal.hidden, false);
  const words = "Refused (the scene's length = -1): length must be positive";
  same("page: with the command", refusal.textContent, words);
  pass(7000);
  refuse("still");
  pass(7000);
  same("page: the time begins anew with the next one", refusal.hidden, false);
  pass(1500);
  same("page: gone after 8 s", refusal.hidden, true);
});

group("springs of other pages", () => {
  const { stage } = window.holonomLive,
    grip = { id: "q1", body: "box", point: [0, 0, 0], target: [1, 2, 3] };
  say(statusOf([1], { grips: [grip] }));
  same(
    "page: springs of other pages are drawn",
    stage.grips.map(({ id }) => id),
    ["q1"],
  );
  say({ type: "done", at_step: 3, command: { do: "target", id: "q1", to: [4, 5, 6] }, lane: 1 });
  same("page: their targets move", stage.grips[0].target, [4, 5, 6]);
});

group("commands", () => {
  named(page, "button")
    .find(({ textContent }) => textContent === "One step")
    .fire("click");
  same("page: a button sends a command", socket.sent.at(-1).do, "once");
  socket.onclose({ reason: "" });
  same("page: a loss is shown", [root.dataset.link, find("notice").hidden], ["lost", false]);
  pass(600);
  same("page: and the server tried again", sockets.length, 2);
  sockets[1].onopen();
  same("page: connected again", [root.dataset.link, find("notice").hidden], ["connected", true]);
});
