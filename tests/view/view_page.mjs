// view_page.mjs - tests the live page in a headless browser with mouse and keys: playback, mouse springs,
// solvers, runs, added bodies, saved states, sessions, lost connections and marks; a line per verdict. Called
// by view_page.sh:
//   node view_page.mjs PLAYWRIGHT CHROMIUM DIRECTORY MACHINE GROUND PID MANY FREE SOLID
// with the addresses of five servers, and the process of the second.
import { readFile } from "node:fs/promises";
import { launch, verdict } from "./browser.mjs";
import { clean, heaviest, open, paused, place, steps, still, until } from "./live.mjs";

const [playwright, executablePath, directory, machine, ground, pid, ...servers] = process.argv.slice(2),
  [many, free, solid] = servers;
const window = { viewport: { width: 1000, height: 760 }, reducedMotion: "reduce" };
let browser = await launch(playwright, executablePath);

const context = await browser.newContext({ ...window, acceptDownloads: true }),
  first = await open(machine, context),
  { page } = first;

// ---- Playback ---------------------------------------------------------------------------------------------
verdict(
  "connected, and paused",
  /Connected/.test(await page.locator(".lamp").textContent()) && (await paused(page, true)),
);
await page.getByRole("button", { name: "One step" }).click();
const taken = (count) =>
  until(page, (want) => window.holonomLive.state.first.picture?.steps === want, count);
verdict("a button takes a step", await taken(1));
await page.locator("canvas[tabindex]").focus();
await page.keyboard.press(".");
verdict("a key takes a step", await taken(2));
const colours = await page.evaluate(() => {
  const seen = new Set();
  window.pixels(200, 150).forEach((value, i, all) => {
    if (i % 4 === 0) seen.add((value << 16) | (all[i + 1] << 8) | all[i + 2]);
  });
  return seen.size;
});
verdict("the drawing is not blank", colours > 8, `${colours} colours`);
await page.keyboard.press(" ");
verdict(
  "the space bar plays",
  (await paused(page, false)) &&
    (await until(page, () => window.holonomLive.state.first.picture?.steps > 10)),
);
await page.getByRole("button", { name: "Pause" }).click();
await paused(page, true);
const stopped = await still(page);
verdict("a button pauses the run", stopped > 10 && (await steps(page)) === stopped, `step ${stopped}`);

// ---- Mouse springs ----------------------------------------------------------------------------------------
const body = await heaviest(page);
const before = await place(page, body);
await page.mouse.move(before.x, before.y);
await page.waitForTimeout(200);
const over = await page.locator(".hover").textContent();
await page.mouse.down();
await page.mouse.move(before.x, before.y - 40, { steps: 4 });
await page.mouse.move(before.x, before.y - 80, { steps: 4 });
verdict(
  "a body under the mouse is named and grabbed",
  over === body && (await until(page, () => window.holonomLive.state.status.grips.length === 1)),
  over,
);
await page.keyboard.press(" ");
// The motion of the body as a fraction of the motion of the mouse.
const followed = await until(
  page,
  ({ name, start }) => {
    const { state, hand, stage } = window.holonomLive,
      pose = stage.view.layers[0].poses[state.first.names.get(name)];
    if (!hand.own) return false;
    const now = pose.point(stage.view.camera.eye.position.clone(), [0, 0, 0]).toArray(),
      way = hand.held.at.toArray().map((x, k) => hand.own.target[k] - x),
      square = way.reduce((sum, x) => sum + x * x, 0);
    window.part = now.reduce((sum, x, k) => sum + (x - start[k]) * way[k], 0) / square;
    return window.part > 0.2;
  },
  { name: body, start: before.world },
);
verdict(
  "the body follows the mouse",
  followed,
  `by a fraction of ${(await page.evaluate(() => window.part)).toFixed(2)}, at least 0.2`,
);
await page.mouse.up();
verdict("the body is released", await until(page, () => window.holonomLive.state.status.grips.length === 0));
const there = await place(page, body);
await page.keyboard.down("Shift");
await page.mouse.click(there.x, there.y);
await page.keyboard.up("Shift");
const done = (text) =>
  until(page, (wanted) => document.querySelector(".done").textContent.includes(wanted), text);
verdict("a click with Shift applies an impulse", await done(`${body} is struck`));
const byKeys = async (name) => {
  await page.getByRole("button", { name, exact: true }).focus();
  await page.keyboard.press("Enter");
};
const springs = (count) =>
  until(page, (want) => window.holonomLive.state.status.grips.length === want, count);
await page.getByLabel("body", { exact: true }).selectOption(body);
await byKeys("Hold");
const keyed = await springs(1);
await byKeys("Move the target");
const moved = await done("is moved to");
await byKeys("Release");
verdict("keys grab the body, move the spring and release it", keyed && moved && (await springs(0)));

// ---- Solvers and runs -------------------------------------------------------------------------------------
const swapped = await steps(page);
await page.getByLabel("solver of lane 1").selectOption("tgs-soft");
verdict(
  "another solver continues the run",
  (await until(page, () => window.holonomLive.state.about(1).spec.startsWith("tgs-soft"))) &&
    (await until(page, (then) => window.holonomLive.state.first.picture?.steps > then + 5, swapped)),
  `from step ${swapped}`,
);
await page.getByLabel("solver of another lane").selectOption("impulse-sle");
await page.getByRole("button", { name: "Another lane" }).click();
verdict(
  "another run, whose bodies differ",
  await until(page, () => window.holonomLive.state.lanes.get(2)?.apart?.most > 1e-9),
  `${await page.evaluate(() => window.holonomLive.state.lanes.get(2)?.apart?.most)} m`,
);
verdict(
  "the difference is plotted",
  await until(page, () =>
    [...document.querySelectorAll(".plots figcaption")].some((title) =>
      /from the first/.test(title.textContent),
    ),
  ),
);
await page.getByLabel("lanes", { exact: true }).selectOption("1");
verdict(
  "both runs are side by side",
  await until(page, () => document.querySelectorAll(".labels span").length === 2),
);
// Pixels in the second run's orange in the left and right half; the gold of joints is less red.
const orange = await page.evaluate(() => {
  const count = [0, 0],
    data = window.pixels(600, 400);
  for (let i = 0; i < data.length; i += 4)
    if (data[i] - data[i + 1] > 70 && data[i] - data[i + 2] > 70) count[(i / 4) % 600 < 300 ? 0 : 1]++;
  return count;
});
verdict(
  "each run in its own half",
  orange[0] === 0 && orange[1] > 100,
  `${orange.join(" and ")} orange pixels left and right`,
);
await page.getByTitle("drop lane 2").click();
verdict("the run is dropped", await until(page, () => window.holonomLive.state.lanes.size === 1));
await page.getByLabel("step of lane 1, s").fill("0.005");
await page.getByLabel("step of lane 1, s").press("Enter");
verdict("another step size", await until(page, () => window.holonomLive.state.about(1).step === 0.005));

// ---- Added bodies, saved states ---------------------------------------------------------------------------
await page.locator("summary", { hasText: "Add a body" }).click();
const asked = await page.evaluate(() => {
  const { state } = window.holonomLive,
    { high } = state.first;
  window.added = new Promise((done) =>
    state.on("done", ({ command }) => command.do === "add" && done(command)),
  );
  const [mass] = document.querySelectorAll('input[name="mass"]');
  mass.value = "2.7";
  return { high };
});
await page.getByRole("button", { name: "Drop it" }).click();
const dropped = await page.evaluate(() => window.added);
verdict(
  "it has the mass of its field, and falls from above the scene",
  dropped.mass === 2.7 && dropped.at[1] > asked.high[1] && dropped.velocity.every((part) => part === 0),
  `${dropped.mass} kg at y = ${dropped.at[1].toFixed(3)} m, above ${asked.high[1].toFixed(3)} m`,
);
verdict(
  "a body is added",
  await until(page, () => window.holonomLive.state.first.names.has("added1")),
  await page.locator(".refusal").textContent(),
);
await page.locator("summary", { hasText: "Saved states" }).click();
await page.getByRole("button", { name: "Save", exact: true }).click();
const kept =
  (await until(page, () => window.holonomLive.state.status.slots.includes(1))) && (await steps(page));
await until(page, (then) => window.holonomLive.state.first.picture?.steps > then + 20, kept);
await page.keyboard.press("Escape");
await page.locator("canvas[tabindex]").focus();
await page.keyboard.press(" ");
await paused(page, true);
const later = await page.evaluate(() => window.holonomLive.state.first.picture?.time);
await page.getByRole("button", { name: "Load", exact: true }).click();
verdict(
  "a saved state is restored",
  await until(page, (then) => window.holonomLive.state.first.picture?.time < then, later),
  `from ${later} s to ${await page.evaluate(() => window.holonomLive.state.first.picture?.time)} s`,
);

// ---- Two pages --------------------------------------------------------------------------------------------
const second = await open(machine, context);
await still(page);
const seen = (of) =>
  of.evaluate(() => {
    const { steps, poses } = window.holonomLive.state.first.picture;
    return JSON.stringify([steps, ...poses]);
  });
await until(second.page, () => window.holonomLive.state.first.picture);
verdict(
  "two pages have the same picture",
  (await seen(page)) === (await seen(second.page)),
  `${await page.evaluate(() => window.holonomLive.state.status.pages)} pages`,
);
await second.page.reload();
await second.page.waitForSelector(".ready");
await until(second.page, () => window.holonomLive.state.first?.picture);
verdict("a reloaded page has it, too", (await seen(page)) === (await seen(second.page)));
await clean("the second page", second);
await second.page.close();

// ---- The session, and reset -------------------------------------------------------------------------------
await page.getByRole("button", { name: "Reset" }).click();
verdict(
  "reset",
  await until(page, () => window.holonomLive.state.first.picture?.time === 0),
  `at step ${await steps(page)}`,
);
await page.getByRole("button", { name: "One step" }).click();
await until(page, () => window.holonomLive.state.first.picture?.time > 0);
await page.locator("summary", { hasText: "Command log" }).click();
const [download] = await Promise.all([
  page.waitForEvent("download"),
  page.getByRole("link", { name: "Session" }).click(),
]);
await download.saveAs(`${directory}/downloaded.session`);
const lines = (await readFile(`${directory}/downloaded.session`, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line)),
  acts = ["grip", "target", "release", "impulse", "solver", "step", "add", "save", "load", "reset", "end"];
verdict(
  "the session file contains all commands",
  acts.every((act) => lines.some((line) => line.do === act)),
  `${lines.length} lines; ${await page.locator(".done li").count()} on the page`,
);
await clean("the page", first);
await page.close();

// ---- Lost connections -------------------------------------------------------------------------------------
const connection = { cut: false, ends: [] };
const broken = await open(machine, context, (fresh) =>
  fresh.routeWebSocket(/socket$/, (here) => {
    if (connection.cut) return here.close();
    here.connectToServer();
    connection.ends.push(() => here.close());
  }),
);
connection.cut = true;
for (const end of connection.ends) await end();
verdict(
  "a lost connection is reported",
  await until(broken.page, () =>
    /lost/.test(document.querySelector(".notice:not([hidden])")?.textContent),
  ),
);
connection.cut = false;
verdict(
  "the connection is restored",
  await until(
    broken.page,
    () =>
      document.querySelector(".notice").hidden && document.documentElement.dataset.link === "connected",
  ),
);
await broken.page.close();

// ---- Friction during a run --------------------------------------------------------------------------------
const walk = await open(ground, context);
verdict(
  "marks of contacts are offered before the first step",
  (await walk.page.getByLabel("contact normals").count()) === 1 && (await steps(walk.page)) === 0,
);
await walk.page.getByRole("button", { name: "Play" }).click();
await until(walk.page, () => window.holonomLive.state.first.picture?.contacts.length > 0);
const slider = walk.page.getByLabel("friction, slider");
await slider.focus();
const walked = await steps(walk.page);
await slider.press("Home");
verdict(
  "the slider changes friction during the run",
  (await until(
    walk.page,
    () =>
      window.holonomLive.state.status.parameters.find(({ name }) => name === "friction").value === "0",
  )) && (await until(walk.page, (then) => window.holonomLive.state.first.picture?.steps > then, walked)),
  `from step ${walked}`,
);
await walk.page.getByRole("spinbutton", { name: "friction" }).first().fill("0.3");
await walk.page.getByRole("spinbutton", { name: "friction" }).first().press("Enter");
verdict(
  "the box changes friction during the run",
  await until(
    walk.page,
    () =>
      window.holonomLive.state.status.parameters.find(({ name }) => name === "friction").value === "0.3",
  ),
);

// ---- Marks ------------------------------------------------------------------------------------------------
for (const box of await walk.page.locator(".marks input").all()) await box.check();
await until(walk.page, () => window.holonomLive.state.first.picture?.boxes.length > 0);
await walk.page.waitForTimeout(500);
await walk.page.getByRole("button", { name: "Pause" }).click();
await paused(walk.page, true);
await still(walk.page);
const marks = await walk.page.evaluate(() => {
  const { stage, state } = window.holonomLive,
    { picture, model } = state.first;
  stage.fill();
  const [{ marks }] = stage.view.layers,
    [extra] = stage.extras,
    of = ({ meshes }) => meshes[0].count,
    { contacts, normals, cones } = marks.contacts.parts,
    touching = picture.contacts.length / picture.width,
    side = (from) => Math.hypot(...cones.meshes[0].instanceMatrix.array.slice(from, from + 3));
  return {
    contacts: [touching, of(contacts)],
    normals: [touching, of(normals)],
    "friction cones": [touching, of(cones)],
    "slope of a cone": ["0.300", (side(0) / side(4)).toFixed(3)],
    "bounding boxes": [2 * picture.boxes.length, extra.boxes.count],
    "worst joint": [1, of(extra.worst)],
    joints: [true, of(marks.parts.joints) >= model.joints.length],
    "joint axes": [model.joints.filter(({ axis_a }) => axis_a).length, marks.parts["joint axes"].count],
    trails: [true, extra.trails.count > 0],
  };
});
for (const [name, [wanted, drawn]] of Object.entries(marks))
  verdict(`marks: ${name}`, wanted === drawn && drawn, `${drawn}, wanted ${wanted}`);
await clean("the page on the ground", walk);
process.kill(Number(pid), "SIGINT");
verdict(
  "the end of the server is reported",
  await until(walk.page, () =>
    /lost/.test(document.querySelector(".notice:not([hidden])")?.textContent),
  ),
);
await walk.page.close();

// ---- Strikes ----------------------------------------------------------------------------------------------
// The impulse of a click is along the ray of the camera, of a drag along the drag; it acts at the point under
// the mouse. Rays are computed here from the place of the camera.
const struck = await open(free, context);
await until(
  struck.page,
  () => window.holonomLive.state.first.picture && window.holonomLive.stage.view?.sized,
);
await struck.page.evaluate(() => {
  const { hand } = window.holonomLive,
    { send } = hand;
  window.sent = [];
  hand.send = (command) => (window.sent.push(command), send(command));
  // Returns { from, way: unit vector } of the ray through the pixel [x, y], and the axis of the camera.
  window.rayOf = ([x, y]) => {
    const { view, canvas } = window.holonomLive.stage,
      box = canvas.getBoundingClientRect(),
      { eye, controls } = view.camera;
    const unit = (a) => a.map((part) => part / Math.hypot(...a)),
      cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    const from = eye.position.toArray(),
      ahead = unit(controls.target.toArray().map((part, k) => part - from[k])),
      right = unit(cross(ahead, eye.up.toArray())),
      up = cross(right, ahead),
      slope = Math.tan((eye.fov * Math.PI) / 360);
    const across = ((2 * (x - box.left)) / box.width - 1) * slope * (box.width / box.height),
      along = (1 - (2 * (y - box.top)) / box.height) * slope;
    return { from, ahead, way: unit(ahead.map((part, k) => part + across * right[k] + along * up[k])) };
  };
});
const strike = async (name, from, to) => {
  const before = await place(struck.page, "ball"),
    pixels = [from, to].map(([x, y]) => [Math.round(before.x) + x, Math.round(before.y) + y]);
  const taken = await struck.page.evaluate(() => {
    const { picture } = window.holonomLive.state.first;
    window.sent.length = 0;
    return { steps: picture.steps, pose: [...picture.poses.slice(0, 7)] };
  });
  await struck.page.keyboard.down("Shift");
  await struck.page.mouse.move(...pixels[0]);
  await struck.page.mouse.down();
  if (to !== from) await struck.page.mouse.move(...pixels[1], { steps: 3 });
  await struck.page.mouse.up();
  await struck.page.keyboard.up("Shift");
  await until(struck.page, () => window.sent.length > 0);
  await struck.page.getByRole("button", { name: "One step" }).click();
  await until(struck.page, (steps) => window.holonomLive.state.first.picture?.steps > steps, taken.steps);
  const seen = await struck.page.evaluate(
    (pixels) => ({
      sent: window.sent,
      rays: pixels.map(window.rayOf),
      change: window.holonomLive.hand.will.change,
      pose: [...window.holonomLive.state.first.picture.poses.slice(0, 7)],
    }),
    pixels,
  );
  return { name, dragged: to !== from, first: taken.pose, ...seen };
};
const dot = (a, b) => a.reduce((sum, part, k) => sum + part * b[k], 0),
  minus = (a, b) => a.map((part, k) => part - b[k]),
  times = (factor, a) => a.map((part) => factor * part),
  cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  far = (a, b) => Math.hypot(...minus(a, b));
function checkStrike({ name, dragged, first, pose, sent, rays: [ray, end], change }, [velocity, spin]) {
  const [{ body, at, impulse }] = sent,
    centre = first.slice(0, 3),
    away = minus(at, ray.from);
  let way = ray.way;
  if (dragged) {
    // from the point on the body to the ray's end on the plane across the view
    const reach = dot(away, ray.ahead) / dot(end.way, ray.ahead);
    way = minus(times(reach, end.way), away);
    way = times(1 / Math.hypot(...way), way);
  }
  const off = far(times(dot(away, ray.way), ray.way), away),
    round = far(at, centre),
    wrong = far(impulse, times(3.7 * change, way)) / (3.7 * change);
  verdict(
    `${name}: one impulse at the point under the mouse`,
    sent.length === 1 && body === "ball" && off < 1e-3 && round > 0.41 && round < 0.4301 &&
      dot(minus(at, centre), ray.way) < 0,
    `${off.toExponential(1)} m beside the ray, of 1e-3; ${round.toFixed(4)} m from the centre of radius 0.43`,
  );
  verdict(
    `${name}: of the mass times ${change} m/s, along the ${dragged ? "drag" : "view"}`,
    wrong < 2e-3,
    `off by ${wrong.toExponential(1)} of 2e-3: ${impulse.map((part) => part.toFixed(3)).join(", ")} N s`,
  );
  // One step of 0.01 s without forces: the ball moves by h v, and turns by h w.
  const v = minus(times(1, velocity), times(-1 / 3.7, impulse)),
    w = minus(spin, times(-1 / 0.31, cross(minus(at, centre), impulse)));
  const [[a, b, c, d], [p, x, y, z]] = [pose.slice(3), first.slice(3)],
    turn = [
      b * p - a * x - c * z + d * y, c * p - a * y - d * x + b * z, d * p - a * z - b * y + c * x,
    ], // prettier-ignore
    sign = a * p + b * x + c * y + d * z < 0 ? -2 : 2; // rotation vector of a small turn, up to its cube
  const moved = far(minus(pose.slice(0, 3), centre), times(0.01, v)) / (0.01 * Math.hypot(...v)),
    turned = far(times(sign, turn), times(0.01, w)) / (0.01 * Math.hypot(...w));
  verdict(
    `${name}: the ball moves and turns by it`,
    moved < 1e-3 && turned < 1e-3,
    `off by ${moved.toExponential(1)} and ${turned.toExponential(1)} of 1e-3`,
  );
  return [v, w];
}
const still2 = [[0, 0, 0], [0, 0, 0]]; // prettier-ignore
const spot = [13, -9],
  after = checkStrike(await strike("a click", spot, spot), still2);
checkStrike(await strike("a drag", [-8, 6], [70, -45]), after);
await clean("strikes", struck);
await struck.page.close();

// ---- Shapes and contacts ----------------------------------------------------------------------------------
// Drawn shapes against the bounding boxes that the server computes; marks against the contacts.
const hard = await open(solid, context);
await until(hard.page, () => window.holonomLive.state.first.picture && window.holonomLive.stage.view?.sized);
for (const box of await hard.page.locator(".marks input").all()) await box.check();
await hard.page.getByRole("button", { name: "One step" }).click();
await until(hard.page, () => {
  const { picture } = window.holonomLive.state.first;
  return picture.steps === 1 && picture.boxes.length > 0 && picture.contacts.length > 0;
});
const drawn = await hard.page.evaluate(() => {
  const { stage, state } = window.holonomLive,
    { picture, model } = state.first,
    [layer] = stage.view.layers;
  stage.fill();
  stage.view.scene.updateMatrixWorld(true);
  // The bounds of a geometry with a matrix
  const bounds = (geometry, matrix) => {
    const { array } = geometry.attributes.position,
      e = matrix.elements,
      all = [[], [], []];
    for (let i = 0; i < array.length; i += 3)
      for (let k = 0; k < 3; k++)
        all[k].push(e[k] * array[i] + e[4 + k] * array[i + 1] + e[8 + k] * array[i + 2] + e[12 + k]);
    return [...all.map((x) => Math.min(...x)), ...all.map((x) => Math.max(...x))];
  };
  const parts = layer.kinds.flatMap(({ mesh, members }) =>
    members.map(({ body }, k) => {
      const matrix = stage.view.camera.eye.matrix.clone();
      mesh.getMatrixAt(k, matrix);
      return { body, box: bounds(mesh.geometry, matrix) };
    }),
  );
  for (const mesh of stage.view.ground.group.children)
    if (mesh.isMesh)
      parts.push({
        body: model.bodies.findIndex(({ name }) => name === "slab"),
        box: bounds(mesh.geometry, mesh.matrix),
      });
  let at = 0;
  const off = {};
  model.bodies.forEach(({ name, shapes }, body) =>
    shapes.forEach(({ kind }) => {
      const wanted = [...picture.boxes.slice(6 * at, 6 * at + 6)];
      at++;
      if (kind === "plane") return;
      const size = Math.hypot(...[0, 1, 2].map((k) => wanted[3 + k] - wanted[k]));
      const far = parts
        .filter((part) => part.body === body)
        .map(({ box }) => Math.max(...box.map((x, k) => Math.abs(x - wanted[k]))) / size);
      off[`${name}, ${kind}`] = Math.min(...far);
    }),
  );
  const [square] = stage.view.ground.squares,
    up = stage.view.camera.eye.position.clone().set(0, 1, 0).applyQuaternion(square.quaternion).toArray();
  const vectors = (mesh, k) => [...mesh.instanceMatrix.array.slice(16 * k, 16 * k + 16)],
    { impulses, normals, contacts } = layer.marks.contacts.parts;
  return {
    off,
    up,
    step: 0.002,
    ball: [...picture.poses.slice(0, 3)],
    contact: [...picture.contacts],
    count: picture.contacts.length / picture.width,
    length: layer.marks.lengths.impulse,
    impulse: [0, 1].map((mesh) => vectors(impulses.meshes[mesh], 0)),
    normal: vectors(normals.meshes[0], 0),
    point: vectors(contacts.meshes[0], 0),
  };
});
for (const [name, off] of Object.entries(drawn.off)) {
  // round shapes are drawn with corners
  const bound = /sphere|cylinder|capsule|ellipsoid/.test(name) ? 0.015 : 1e-5;
  verdict(`the ${name}, is drawn where it is`, off <= bound, `off by ${off.toExponential(1)} of ${bound}`);
}
verdict("all shapes are compared", Object.keys(drawn.off).length === 8, Object.keys(drawn.off).join("; "));
const lean = times(1 / Math.hypot(0.132, 0.988, 0.08), [-0.132, 0.988, -0.08]),
  gravity = [1.3, -8.7, 2.9],
  weight = (500 * 4 * Math.PI * 0.31 ** 3) / 3,
  [place3, normal3, push] = [0, 3, 6].map((from) => drawn.contact.slice(from, from + 3)),
  way = (a) => times(1 / Math.hypot(...a), a);
verdict("the floor leans as in the scene", far(drawn.up, lean) < 1e-6, `off by ${far(drawn.up, lean)}`);
// The ball lies on the floor: a contact below it, whose normal impulse carries its weight for a step.
const under = minus(drawn.ball, times(0.31, lean));
verdict(
  "the contact of the ball: its point, normal, friction and gap",
  drawn.count === 1 && far(place3, under) < 1e-5 && far(normal3, lean) < 1e-6 &&
    Math.abs(drawn.contact[9] - 0.4) < 1e-6 &&
    Math.abs(drawn.contact[10] - dot(minus(place3, [1.9, -2.6, 0.3]), lean)) < 1e-5,
  `${drawn.count} contacts, off by ${far(place3, under)} m; gap ${drawn.contact[10]} m`,
);
const carried = dot(push, lean) / (-0.002 * weight * dot(gravity, lean)),
  along = minus(gravity, times(dot(gravity, lean), lean)),
  held = dot(push, along) / (-0.002 * weight * dot(along, along));
verdict(
  "its impulse carries the ball, and two sevenths of its weight along the floor, which make it roll",
  Math.abs(carried - 1) < 1e-4 && Math.abs(held - 2 / 7) < 1e-3,
  `${carried.toFixed(6)} and ${held.toFixed(5)}`,
);
const [shaft, tip] = drawn.impulse,
  long = Math.hypot(...shaft.slice(4, 7)) + Math.hypot(...tip.slice(4, 7));
verdict(
  "the arrow of the impulse begins at its contact and has its direction and length",
  far(shaft.slice(12, 15), place3) < 1e-5 && far(way(shaft.slice(4, 7)), way(push)) < 1e-5 &&
    Math.abs(long / (drawn.length * Math.hypot(...push)) - 1) < 1e-5,
  `off by ${far(way(shaft.slice(4, 7)), way(push)).toExponential(1)}; ${long.toFixed(4)} m long`,
);
verdict(
  "so does that of the normal, and the point lies there",
  far(way(drawn.normal.slice(4, 7)), lean) < 1e-5 && far(drawn.normal.slice(12, 15), place3) < 1e-5 &&
    far(drawn.point.slice(12, 15), place3) < 1e-5,
);
await clean("shapes", hard);
await hard.page.close();

// ---- A thousand bodies ------------------------------------------------------------------------------------
const crowd = await open(many, context);
// the first frames compile the shaders
await until(crowd.page, () => window.holonomLive.stage.script.frames > 3);
const spent = await crowd.page.evaluate(async () => {
  const { state, stage } = window.holonomLive,
    begun = performance.now(),
    [read, drawn] = [{ ...state.script }, { ...stage.script }];
  while (stage.script.frames < drawn.frames + 8) await new Promise((go) => setTimeout(go, 50));
  const pictures = state.script.pictures - read.pictures,
    frames = stage.script.frames - drawn.frames;
  return {
    bodies: state.first.picture.bodies,
    read: (state.script.ms - read.ms) / pictures,
    draw: (stage.script.ms - drawn.ms) / frames,
    rates: [pictures, frames].map((count) => ((1000 * count) / (performance.now() - begun)).toFixed(1)),
  };
});
verdict(
  "a thousand bodies: the script needs less than 33 ms per picture",
  spent.bodies >= 1000 && spent.read + spent.draw < 33,
  `${spent.bodies} bodies: read in ${spent.read.toFixed(2)} ms, drawn in ${spent.draw.toFixed(2)} ms; ` +
    `per second ${spent.rates[0]} pictures and, rendered by software, ${spent.rates[1]} frames`,
);
await clean("a thousand bodies", crowd);
await browser.close();

// ---- Without graphics -------------------------------------------------------------------------------------
browser = await launch(playwright, executablePath, true);
const bare = await open(machine, await browser.newContext(window));
const blind = await steps(bare.page);
await bare.page.getByRole("button", { name: "One step" }).click();
verdict(
  "without WebGL the page reports it, and the rest works",
  /no WebGL/.test(await bare.page.locator(".frame").textContent()) &&
    (await until(bare.page, (then) => window.holonomLive.state.first.picture?.steps > then, blind)) &&
    (await until(bare.page, () => document.querySelectorAll(".plots canvas").length > 2)),
);
await clean("without WebGL", bare);
await bare.page.close();
await browser.close();
