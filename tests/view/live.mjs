// live.mjs - shared by tests of the live page: open pages, wait for conditions, and find bodies.
import { newPage, verdict } from "./browser.mjs";

// Opens the page at address; collects its errors in complaints, and violations of the content policy in the
// page.
export async function open(address, context, prepare) {
  const { page, complaints } = await newPage(context);
  await prepare?.(page);
  await page.addInitScript(() => {
    window.violations = [];
    // Returns the drawing scaled to width x height pixels: red, green, blue, opacity of each.
    window.pixels = (width, height) => {
      const { canvas, view } = window.holonomLive.stage,
        pen = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
      view.draw();
      pen.drawImage(canvas, 0, 0, width, height);
      return pen.getImageData(0, 0, width, height).data;
    };
    addEventListener("securitypolicyviolation", (event) =>
      window.violations.push(event.violatedDirective),
    );
  });
  await page.goto(address);
  await page.waitForSelector(".ready", { timeout: 30000 });
  return { page, complaints };
}
// True if test becomes true in the page within 20 s.
export const until = (page, test, about) =>
  page.waitForFunction(test, about, { timeout: 20000, polling: 50 }).then(
    () => true,
    () => false,
  );
export const paused = (page, now) =>
  until(page, (want) => window.holonomLive.state.status.paused === want, now);
export const steps = (page) => page.evaluate(() => window.holonomLive.state.first.picture?.steps ?? 0);
export const still = (page) =>
  page.evaluate(async () => {
    const { state } = window.holonomLive;
    let last = -1;
    while (last !== state.first.picture?.steps) {
      last = state.first.picture?.steps;
      await new Promise((go) => setTimeout(go, 300));
    }
    return last;
  });
export async function clean(name, { page, complaints }) {
  const violations = await page.evaluate(() => window.violations);
  verdict(
    `${name}: no errors, and no violations of the content policy`,
    complaints.length + violations.length === 0,
    [...complaints, ...violations].join("; ").slice(0, 300) || undefined,
  );
}

// Returns the position of a body: on the screen, and in the world.
export const place = (page, name) =>
  page.evaluate((wanted) => {
    const { stage, state } = window.holonomLive,
      { view, canvas } = stage,
      box = canvas.getBoundingClientRect(),
      { eye } = view.camera;
    stage.fill();
    view.camera.fit(box.width / box.height);
    eye.updateMatrixWorld();
    const pose = view.layers[0].poses[state.first.names.get(wanted)],
      world = pose.point(eye.position.clone(), [0, 0, 0]),
      flat = world.clone().project(eye);
    return {
      x: box.left + (box.width * (flat.x + 1)) / 2,
      y: box.top + (box.height * (1 - flat.y)) / 2,
      world: world.toArray(),
    };
  }, name);
export const heaviest = (page) =>
  page.evaluate(() => {
    const { bodies } = window.holonomLive.state.first.model;
    return bodies.filter(({ kind }) => kind !== "fixed").reduce((a, b) => (b.mass > a.mass ? b : a)).name;
  });
