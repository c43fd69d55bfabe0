// modules_view.mjs - the camera, its keys, playback, and what is drawn in each rectangle of a view.
import { page, Part } from "./modules_page.mjs";
import { apart, equal, least, near } from "./modules_support.mjs";

let THREE;
const vector = (v) => new THREE.Vector3(...v);
const size = () => ({ low: vector([-1, -0.5, 2]), high: vector([3, 1, 2.8]) });
const cameraOf = ({ camera: { Camera } }, gravity, planar = false) =>
  new Camera(null, { gravity, planar }, size(), () => {});

// The largest coordinates, across and up, of the corners of the region in a picture from -1 to 1.
function filled({ eye }) {
  const { low, high } = size(),
    seen = [0, 0];
  eye.updateMatrixWorld(true);
  for (let i = 0; i < 8; i++) {
    const corner = vector([i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z]).project(
      eye,
    );
    [corner.x, corner.y].forEach((x, k) => (seen[k] = Math.max(seen[k], Math.abs(x))));
  }
  return seen;
}

function testCamera(modules) {
  for (let k = 0; k < 3; k++)
    for (const sign of [-1, 1]) {
      const gravity = [0, 1, 2].map((i) => (i === k ? 9.81 * sign : 0));
      const up = cameraOf(modules, gravity).eye.up.toArray();
      near(
        `camera: gravity ${gravity}: up is against it`,
        apart(
          up,
          gravity.map((g) => -g / 9.81),
        ),
        0,
      );
    }
  const ranges = { outside: 0, inside: 1 };
  for (const planar of [false, true])
    for (const aspect of [0.6, 1.6])
      for (const way of planar ? ["front"] : ["front", "side", "top", "corner"]) {
        const camera = cameraOf(modules, [0, -9.81, 0], planar);
        camera.aspect = aspect;
        camera.look(way);
        camera.fit(aspect);
        const seen = Math.max(...filled(camera));
        ranges.outside = Math.max(ranges.outside, seen);
        ranges.inside = Math.min(ranges.inside, seen);
      }
  near("camera: all views show the whole region", ranges.outside, 1);
  least("camera: the region fills each view", ranges.inside, 0.75);

  const camera = cameraOf(modules, [0, 0, -9.81]),
    { eye, controls } = camera,
    away = () => eye.position.clone().sub(controls.target).toArray(),
    before = away();
  camera.follow(vector([1, 2, 3]));
  camera.follow(vector([4, -2, 5]));
  near("camera: the target is the followed body", apart(controls.target.toArray(), [4, -2, 5]), 1e-12);
  near("camera: the eye moves with the followed body", apart(away(), before), 1e-12);
  const { cameraKey } = modules.viewing,
    far = () => Math.hypot(...away());
  equal(
    "viewing: keys of the camera",
    ["+", "-", "x", " ", "ArrowLeft"].map((key) => cameraKey(camera, key)),
    [true, true, false, false, true],
  );
  cameraKey(camera, "ArrowRight");
  near("viewing: opposite keys cancel", apart(away(), before), 1e-9);
  cameraKey(camera, "+");
  near("viewing: plus comes closer", Math.abs((far() / Math.hypot(...before)) * 1.15 - 1), 1e-9);
  const flat = cameraOf(modules, [0, -9.81, 0], true);
  cameraKey(flat, "=");
  near("viewing: plus magnifies in the plane", Math.abs(flat.eye.zoom - 1.15), 1e-12);
  equal("viewing: a view in the plane is not rotated", cameraKey(flat, "ArrowLeft"), false);
}

function testPlayback({ playback: { Playback } }) {
  const play = new Playback(3);
  let told = 0,
    now = 5000;
  play.listen(() => told++);
  const pass = (ms) => {
    now += ms;
    for (const call of page.frames.splice(0)) call(now);
  };
  play.seek(-1);
  const low = play.time;
  play.seek(99);
  equal("playback: the time stays within the motion", [low, play.time, told], [0, 3, 2]);
  play.seek(1);
  play.setSpeed(0.5);
  play.toggle();
  pass(0);
  for (let i = 0; i < 5; i++) pass(100);
  near("playback: half a second at half speed", Math.abs(play.time - 1.25), 1e-12);
  play.toggle();
  pass(100);
  equal("playback: it pauses", [Math.round(1e9 * play.time), play.playing], [1.25e9, false]);
  play.toggle();
  for (let i = 0; i < 30; i++) pass(240);
  equal("playback: it ends with the motion", [play.time, play.playing, page.frames.length], [3, false, 0]);
  play.toggle();
  equal("playback: from the end it starts again", [play.time, play.playing], [0, true]);
  play.toggle();
  page.frames.length = 0;
}

// Checks the rectangles of a view and the layers that are visible in each.
function testRectangles({ scene3d: { View } }) {
  const body = { kind: "rigid", shapes: [] },
    model = { bodies: [body], joints: [], forces: [], gravity: [0, -1, 0] },
    region = { low: [-1, -0.5, 2], high: [3, 1, 2.8], radius: 2, dot: 0.1 };
  const canvas = Object.assign(new Part("canvas"), { clientWidth: 900, clientHeight: 300 }),
    view = new View(canvas, model, [{}, {}, {}, { ghost: true }], region),
    visible = () => view.layers.map(({ group }) => group.visible),
    drawn = [];
  view.renderer.render = () => drawn.push([view.renderer.rectangle, visible()]);
  const poses = (x) => ({
    poses: Float64Array.of(x, 0, 0, 1, 0, 0, 0),
    forces: null,
    contacts: null,
    width: 6,
  });
  view.show([poses(1), null, poses(2), poses(3)], new Set(), 0);
  view.draw();
  equal("view: overlaid: all visible layers", drawn.splice(0), [
    [
      [0, 0, 900, 300],
      [true, false, true, true],
    ],
  ]);
  near("view: the first visible body is followed", apart(view.camera.followed.toArray(), [1, 0, 0]), 1e-12);
  view.sideBySide = true;
  view.draw();
  equal("view: side by side: a rectangle for each, with the reference", drawn.splice(0), [
    [[0, 0, 450, 300], [true, false, false, true]],
    [[450, 0, 450, 300], [false, false, true, true]],
  ]); // prettier-ignore
  equal("view: layers stay visible", visible(), [true, false, true, true]);
}

export function testView(modules) {
  ({ THREE } = modules);
  testCamera(modules);
  testPlayback(modules);
  testRectangles(modules);
}
