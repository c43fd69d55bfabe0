// view_touch.mjs - tests the live page by touch, on a small screen: camera, mouse springs, impulses and added
// bodies; a line per verdict. Called by view_page.sh:
//   node view_touch.mjs PLAYWRIGHT CHROMIUM MACHINE PLANE
// with the addresses of two paused servers; the scene of the second is planar.
import { launch, verdict } from "./browser.mjs";
import { clean, heaviest, open, place, until } from "./live.mjs";

const [playwright, executablePath, machine, plane] = process.argv.slice(2);
const browser = await launch(playwright, executablePath);
const viewport = { width: 390, height: 844 },
  phone = { viewport, hasTouch: true, isMobile: true, reducedMotion: "reduce" };

// Opens the page at address; touch(type, [[x, y] of each finger]) sends a touch event.
async function take(address) {
  const context = await browser.newContext(phone),
    opened = await open(address, context),
    cdp = await context.newCDPSession(opened.page);
  const touch = (type, places) =>
    cdp.send("Input.dispatchTouchEvent", { type, touchPoints: places.map(([x, y], id) => ({ x, y, id })) });
  await until(
    opened.page,
    () => window.holonomLive.state.first.picture && window.holonomLive.stage.view?.sized,
  );
  return { ...opened, touch };
}
const eye = (page) =>
  page.evaluate(() => {
    const { eye, controls } = window.holonomLive.stage.view.camera;
    return {
      at: eye.position.toArray(),
      target: controls.target.toArray(),
      near: eye.zoom / eye.position.distanceTo(controls.target),
      held: window.holonomLive.hand.held !== null,
    };
  });
const distance = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));
const springs = (page, count) =>
  until(page, (want) => window.holonomLive.state.status.grips.length === want, count);

// ---- In space ---------------------------------------------------------------------------------------------
const first = await take(machine),
  { page, touch } = first;
const box = await page.locator("canvas[tabindex]").boundingBox(),
  corner = [box.x + 20, box.y + 20];
const wide = await page.evaluate(() => document.documentElement.scrollWidth);
verdict(
  "nothing is wider than the screen",
  wide <= phone.viewport.width,
  `${wide} of ${phone.viewport.width} px`,
);
const start = await eye(page);
await touch("touchStart", [corner]);
await touch("touchMove", [[corner[0] + 60, corner[1]]]);
await touch("touchMove", [[corner[0] + 90, corner[1] + 10]]);
await touch("touchEnd", []);
const turned = await eye(page);
verdict(
  "a finger beside bodies rotates the camera",
  distance(start.at, turned.at) > 0.05 * distance(start.at, start.target) &&
    Math.abs(turned.near / start.near - 1) < 0.01,
  `by ${distance(start.at, turned.at).toFixed(2)} m`,
);

const body = await heaviest(page);
let there = await place(page, body);
const at = [there.x, there.y];
// The second finger moves away from the first one, which is on a body: from 60 px to 120.
await touch("touchStart", [at]);
const took = await until(page, () => window.holonomLive.hand.held !== null);
await touch("touchStart", [at, [at[0] + 60, at[1]]]);
for (const way of [75, 90, 105, 120]) await touch("touchMove", [at, [at[0] + way, at[1]]]);
const nearer = await eye(page);
await touch("touchEnd", []);
const scale = await page.evaluate(() => window.visualViewport.scale);
verdict(
  "two fingers zoom in, although the first one had grabbed a body",
  took && !nearer.held && nearer.near / turned.near > 1.5 && scale === 1,
  `by ${(nearer.near / turned.near).toFixed(2)}, at least 1.5; the page itself by ${scale}`,
);
verdict("the body is released", await springs(page, 0));

there = await place(page, body);
await touch("touchStart", [[there.x, there.y]]);
const named = await page.locator(".hover").textContent();
verdict("a finger on a body grabs it and shows its name", (await springs(page, 1)) && named === body, named);
const before = await eye(page);
for (const way of [20, 40, 60]) await touch("touchMove", [[there.x, there.y - way]]);
await page.getByRole("button", { name: "Play" }).evaluate((button) => button.click());
const pulled = await until(
  page,
  ({ name, from }) => {
    const { state, stage } = window.holonomLive,
      pose = stage.view.layers[0].poses[state.first.names.get(name)];
    return pose
      .point(stage.view.camera.eye.position.clone(), [0, 0, 0])
      .toArray()
      .some((x, k) => Math.abs(x - from[k]) > 0.01);
  },
  { name: body, from: there.world },
);
await touch("touchEnd", []);
verdict("the finger pulls the body", pulled && (await springs(page, 0)));
await page.getByRole("button", { name: "Pause" }).tap();
verdict("the camera does not move meanwhile", distance(before.at, (await eye(page)).at) < 1e-9);

// ---- Missing values ---------------------------------------------------------------------------------------
const shown = await page.evaluate(() => {
  const { state } = window.holonomLive,
    [input] = state.status.inputs,
    number = document.querySelector(`input[aria-label="${input.of}"]`),
    slider = document.querySelector(`input[aria-label="${input.of}, slider"]`);
  const look = (value) => {
    const inputs = state.status.inputs.map((one, i) => (i ? one : { ...one, value }));
    state.message({ ...state.status, inputs });
    const unknown = number.closest(".setting").matches(".unknown");
    return [number.value, slider.getAttribute("aria-valuetext"), unknown].join();
  };
  return [look(0.25), look(null), look(0)];
});
verdict(
  "an input without a value is shown without one",
  shown.join("; ") === "0.25,0.25,false; ,no value,true; 0,0,false",
  shown.join("; "),
);
await clean("by touch", first);
await page.close();

// ---- In a plane -------------------------------------------------------------------------------------------
const flat = await take(plane),
  whole = await eye(flat.page),
  frame = await flat.page.locator("canvas[tabindex]").boundingBox();
const beside = [frame.x + 30, frame.y + 30];
await flat.touch("touchStart", [beside]);
await flat.touch("touchMove", [[beside[0] + 40, beside[1]]]);
await flat.touch("touchMove", [[beside[0] + 80, beside[1]]]);
await flat.touch("touchEnd", []);
const shifted = await eye(flat.page);
verdict(
  "in a plane a finger beside bodies shifts the camera",
  shifted.target[0] < whole.target[0] && shifted.target[2] === whole.target[2],
  `by ${(whole.target[0] - shifted.target[0]).toFixed(2)} m`,
);
await flat.touch("touchStart", [beside, [beside[0] + 60, beside[1]]]);
for (const way of [80, 100, 120]) await flat.touch("touchMove", [beside, [beside[0] + way, beside[1]]]);
await flat.touch("touchEnd", []);
const ratio = (await eye(flat.page)).near / whole.near;
verdict("two fingers zoom in", ratio > 1.5, `by ${ratio.toFixed(2)}`);
await flat.page.getByRole("button", { name: "front" }).tap();

await flat.page.getByLabel("strikes", { exact: true }).tap();
await flat.page.locator("canvas[tabindex]").scrollIntoViewIfNeeded();
const target = await heaviest(flat.page),
  spot = await place(flat.page, target);
await flat.page.touchscreen.tap(spot.x, spot.y);
verdict(
  "a tap applies an impulse",
  await until(
    flat.page,
    (name) => document.querySelector(".done").textContent.includes(`${name} is struck`),
    target,
  ),
  target,
);

await flat.page.locator("summary", { hasText: "Add a body" }).tap();
for (const [kind, edges, name] of [
  ["box", 2, "added1"],
  ["sphere", 1, "added2"],
]) {
  await flat.page.getByLabel("shape", { exact: true }).selectOption(kind);
  const sizes = await flat.page.locator('input[name="size"]').count();
  await flat.page.getByRole("button", { name: "Drop it" }).tap();
  const shape = (await until(flat.page, (want) => window.holonomLive.state.first.names.has(want), name))
    ? await flat.page.evaluate((want) => {
        const { model, names } = window.holonomLive.state.first;
        return model.bodies[names.get(want)].shapes[0].kind;
      }, name)
    : await flat.page.locator(".refusal").textContent();
  verdict(
    `in a plane a ${kind} is added`,
    sizes === edges && shape === (kind === "box" ? "polygon" : "circle"),
    `by ${sizes} sizes: ${shape}`,
  );
}
await clean("in a plane", flat);
await browser.close();
