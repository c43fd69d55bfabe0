// live_data.mjs - pictures, state, history, words and the connection of the live page, in node. Called by
// live_modules.sh.
import { pass } from "./live_elements.mjs";
import { corners, greet, group, hello, model, modelOf, near, numbersOf } from "./live_samples.mjs";
import { pictureOf, plus, poses, same, statusOf } from "./live_samples.mjs";
import { verdict } from "./browser.mjs";
import { History, kept } from "../../web/src/live/history.js";
import { Link } from "../../web/src/live/link.js";
import { apart, readPicture } from "../../web/src/live/picture.js";
import { State } from "../../web/src/live/state.js";
import { inWords } from "../../web/src/live/words.js";

group("pictures", () => {
  const names = "time steps energy drift velocity penetration impulses operations cost factor lag".split(" ");
  const measures = Object.fromEntries(names.map((name, i) => [name, 1.5 + 2 ** i]));
  const forces = [1.5, -2.25, 3, 4, 5.5, -6],
    contacts = Array.from({ length: 24 }, (_, i) => i / 8 - 1),
    boxes = Array.from({ length: 18 }, (_, i) => 3 - i / 4);
  const buffer = pictureOf({ lane: 3, generation: 11, ...measures, worst: 1, forces, contacts, boxes }),
    picture = readPicture(buffer);
  for (const name of names) near(`picture: ${name}`, picture[name], measures[name]);
  same("picture: counts", [picture.lane, picture.generation, picture.bodies, picture.worst], [3, 11, 3, 1]);
  near("picture: poses", [...picture.poses], Object.values(poses).flatMap(numbersOf));
  near("picture: forces", [...picture.forces], forces);
  near("picture: contacts", [...picture.contacts], contacts);
  near("picture: boxes", [...picture.boxes], boxes);
  same(
    "picture: measured",
    [4, 3].map((flags) => readPicture(pictureOf({ flags })).measured),
    [true, false],
  );
  same("picture: without forces", readPicture(pictureOf({ flags: 4, forces })).forces, null);
  same("picture: no worst joint is -1", readPicture(pictureOf({})).worst, -1);
  same("picture: one byte too few", readPicture(buffer.slice(0, -1)), null);
  same("picture: too short for its head", readPicture(buffer.slice(0, 100)), null);
  new DataView(buffer).setUint8(3, 0x32);
  same("picture: of another version", readPicture(buffer), null);
});

group("distances", () => {
  const moved = { ...poses, box: { ...poses.box, x: plus(poses.box.x, [0.3, -0.4, 1.2]) } }, // by 1.3
    more = { ...moved, ball: { ...poses.ball, x: plus(poses.ball.x, [0, 0.6, -0.8]) } };
  const read = (bodies, about = {}) => readPicture(pictureOf({ bodies: Object.values(bodies), ...about }));
  const found = apart(read(poses), read(more));
  near("distance of two lanes: the largest of their bodies, m", found.most, 1.3, 1e-14);
  same("distance of two lanes: its body", found.body, 1);
  same("distance: other times are not compared", apart(read(poses), read(poses, { time: 1e-8 })), null);
  same("distance: other bodies are not compared", apart(read(poses), read({ a: poses.box })), null);
  const lost = { ...more, pea: { ...poses.pea, x: [NaN, 0, 0] } };
  verdict("distance: of a diverged body is no number", Number.isNaN(apart(read(poses), read(lost)).most));
});

group("state", () => {
  const state = new State(),
    heard = [];
  for (const what of ["hello", "model", "status", "picture"]) state.on(what, () => heard.push(what));
  state.message(statusOf([1]));
  same("state: nothing is heard before the greeting", heard, []);
  greet(state, [1, 2]);
  same("state: messages are heard in order", heard, ["hello", "model", "model", "status"]);
  same("state: bodies by name", state.first.names.get("box"), 2);
  state.takePicture(pictureOf({ generation: 8 }));
  same("state: a picture of a model that has not arrived", [state.first.picture, heard.length], [null, 4]);
  state.takePicture(pictureOf({ lane: 5 }));
  same("state: a picture of no lane", heard.length, 4);
  const shifted = Object.values(poses).map((pose) => ({ ...pose, x: plus(pose.x, [0.2, 0.1, -0.2]) }));
  state.takePicture(pictureOf({ time: 0.25 }));
  state.takePicture(pictureOf({ lane: 2, time: 0.25, bodies: shifted }));
  same("state: pictures arrive", [state.first.picture.time, heard.length], [0.25, 6]);
  near("state: distance from the first lane, m", state.lanes.get(2).apart.most, 0.3, 1e-14);
  near("state: the distance is in the history", state.history.lane(2).columns.apart, [0.3], 1e-14);
  state.message(modelOf(1));
  same("state: a model again keeps its picture", state.first.picture?.time, 0.25);
  state.message(modelOf(1, model, 8));
  same("state: a changed model has none", state.first.picture, null);
  state.message(statusOf([2]));
  same(
    "state: a dropped lane is gone",
    state.all.map(({ number }) => number),
    [2],
  );
  same("state: with its history", [...state.history.lanes.keys()], [2]);
  const about = statusOf([2]);
  about.lanes[0].parameters = [
    { name: "beta", value: "0.20", default: "0.2" },
    { name: "omega", value: "1.3", default: "1" },
    { name: "start", value: "warm", default: "cold" },
    { name: "empty", value: "0", default: "" },
  ];
  state.message(about);
  same(
    "state: the title has changed settings only",
    state.title(2),
    "2  moreau:omega=1.3,start=warm,empty=0",
  );
  same("state: corners of the scene", [state.first.low, state.first.high], [corners.low, corners.high]);
  state.message(hello);
  same(
    "state: a greeting clears it",
    [state.lanes.size, state.history.times.length, state.status],
    [0, 0, null],
  );
});

group("history", () => {
  const history = new History(),
    column = (name, lane = 1) => [...history.lane(lane).columns[name]];
  const add = (steps, more = {}, lane = 1) =>
    history.add(
      { lane, measured: true, time: steps / 8, steps, energy: 40, drift: 0, operations: 0, cost: 0, ...more },
      null,
    );
  add(0, { energy: 40, operations: 100, drift: 0.5, cost: 0.002 });
  add(4, { energy: 38.5, operations: 160, drift: 0.25 });
  add(4, { energy: 1, operations: 999 });
  add(7, { energy: 41, operations: 181, measured: false });
  near("history: times", history.times, [0, 0.5, 0.875]);
  same("history: changes of energy", column("energy"), [0, -1.5, null]);
  same("history: operations of a step", column("work"), [null, 15, 7]);
  same("history: drift", column("drift"), [0.5, 0.25, null]);
  same("history: cost in ms", column("cost"), [2, null, null]);
  add(7, { energy: 60 }, 2);
  same("history: a lane joins the newest row", column("energy", 2), [null, null, 0]);
  history.level();
  add(8, { energy: 35 });
  add(10, { energy: 32 });
  same("history: energy from the level", column("energy"), [null, null, null, 0, -3]);
  add(4, { energy: 30 });
  near("history: back after a load", history.times, [0, 0.5]);
  same("history: energy from there", column("energy"), [null, 0]);
  same("history: the other lane is cut, too", column("energy", 2), [null, null]);
  for (let i = 5; history.times.length !== kept && i < 3 * kept; i++) add(i, { energy: 30 + i });
  const last = history.times.at(-1);
  for (let i = 8 * last + 1; i <= 8 * last + kept / 4; i++) add(i, { energy: 30 + i });
  same("history: rows before old ones are dropped", history.times.length, 1.25 * kept);
  add(8 * last + kept / 4 + 1, { energy: 0 });
  same("history: rows after that", [history.times.length, column("energy").length], [kept + 1, kept + 1]);
  near("history: the newest row stays", column("energy").at(-1), -30);
});

group("words", () => {
  const say = (text, command) => same(`words: ${text}`, inWords(command), text);
  say("ball is struck with 13 N s", { do: "impulse", body: "ball", impulse: [3, -4, 12] });
  say("ball is struck with 13 N s, lane 2", { do: "impulse", body: "ball", impulse: [-12, 3, 4], lane: 2 });
  say("ball is struck with – N s", { do: "impulse", body: "ball" });
  say("mouse spring p1 is moved to (0.5, -1, 2)", { do: "target", id: "p1", to: [0.5, -1, 2] });
  say("unlimited speed", { do: "speed", factor: 0 });
  say("lane 3 is dropped", { do: "drop", lane: 3 });
  say("a box is added, added1", { do: "add", name: "added1", shape: "box" });
  say("something", null);
  say("juggle", { do: "juggle" });
});

group("connection", () => {
  const sockets = [],
    heard = [];
  globalThis.location = { href: "http://localhost:7777/live.html?key=1" };
  globalThis.WebSocket = class {
    static OPEN = 1;
    constructor(url) {
      Object.assign(this, { url: String(url), readyState: 0, sent: [] });
      sockets.push(this);
    }
    send(text) {
      this.sent.push(JSON.parse(text));
    }
  };
  const link = new Link({
    state: (name) => heard.push(name),
    message: (message) => heard.push(message.type),
    picture: (buffer) => heard.push(buffer.byteLength),
  });
  same("link: the address", sockets[0].url, "ws://localhost:7777/socket");
  same("link: no command before it is open", link.send({ do: "play" }), false);
  const open = () => ((link.socket.readyState = 1), link.socket.onopen());
  open();
  for (const command of ["play", "once"]) link.send({ do: command });
  same("link: commands are numbered", sockets[0].sent, [
    { do: "play", id_of: 1 },
    { do: "once", id_of: 2 },
  ]);
  sockets[0].onmessage({ data: '{"type":"hello"}' });
  sockets[0].onmessage({ data: new ArrayBuffer(24) });
  same("link: what is heard", heard, ["connecting", "connected", "hello", 24]);
  // A lost connection is tried again after 0.5, 1, 2, 4, 5 and 5 s.
  const waits = [];
  for (let i = 0; i < 6; i++) {
    const before = sockets.length;
    let waited = 0;
    link.socket.onclose({ reason: "" });
    while (sockets.length === before && waited < 20000) (pass(100), (waited += 100));
    waits.push(waited);
  }
  near("link: waits until the next attempts, ms", waits, [500, 1000, 2000, 4000, 5000, 5000]);
  open();
  link.socket.onclose({ reason: "full" });
  pass(500);
  same("link: the first wait is short again after a success", sockets.length, 8);
});
