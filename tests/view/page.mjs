// page.mjs - tests report pages in a headless browser: drawing, playback, tables, layout, data compared with
// records, and invalid input; a line per verdict. Called by page.sh:
//   node page.mjs PLAYWRIGHT CHROMIUM DIRECTORY
import { readFile } from "node:fs/promises";
import { launch, newPage, verdict } from "./browser.mjs";

const [playwright, executablePath, directory] = process.argv.slice(2);
const wide = { viewport: { width: 1600, height: 1000 } };
let browser = await launch(playwright, executablePath);

// Opens the report `name` in a page of context; collects its errors, and requests to the network, in
// complaints. Pages of one context share a process and its compiled code.
async function open(name, context) {
  const { page, complaints } = await newPage(context);
  page.on(
    "request",
    (request) => /^(file|data|blob):/.test(request.url()) || complaints.push(`asks for ${request.url()}`),
  );
  const before = Date.now();
  await page.goto(`file://${directory}/${name}.html`);
  await page.waitForSelector(".ready", { timeout: 60000 });
  return { page, complaints, took: Date.now() - before };
}

// Returns the number of colours of the drawing, and a checksum of its pixels.
const picture = (page) =>
  page.evaluate(() => {
    const { canvas, view } = window.holonom.stage,
      copy = Object.assign(document.createElement("canvas"), { width: 200, height: 150 });
    view.draw();
    const pen = copy.getContext("2d");
    pen.drawImage(canvas, 0, 0, 200, 150);
    const seen = new Set();
    let sum = 0;
    pen.getImageData(0, 0, 200, 150).data.forEach((value, i, all) => {
      if (i % 4 === 0) seen.add((value << 16) | (all[i + 1] << 8) | all[i + 2]);
      sum = (sum * 31 + value) % 1000003;
    });
    return [seen.size, sum];
  });

async function plays(name, report) {
  const { page, complaints, took } = report;
  const [colours, first] = await picture(page);
  verdict(`${name}: the drawing is not blank`, colours > 8, `${colours} colours, opened in ${took} ms`);
  await page.locator(".transport input[type=range]").focus();
  const readings = await page.evaluate(() =>
    Number(document.querySelector(".transport input[type=range]").max),
  );
  await page.locator(".transport input[type=range]").fill(String(readings / 2));
  const [, second] = await picture(page),
    half = await page.evaluate(() => window.holonom.stage.playback.time);
  verdict(
    `${name}: the slider moves the mechanism`,
    first !== second && Math.abs(half - readings / 2) < 1e-9 * readings,
    `t = ${half} s`,
  );
  await page.keyboard.press("ArrowRight");
  const stepped = await page.evaluate(() => window.holonom.stage.playback.time);
  verdict(
    `${name}: a key advances by a frame`,
    stepped > half && stepped - half < readings / 4,
    `t = ${stepped} s`,
  );
  await page.locator("select[aria-label=speed]").selectOption("0.05");
  await page.locator("canvas[tabindex]").focus();
  await page.keyboard.press(" ");
  await page
    .waitForFunction((then) => window.holonom.stage.playback.time > then, stepped, { timeout: 20000 })
    .catch(() => {}); // a busy machine may be slow
  await page.keyboard.press(" ");
  const played = await page.evaluate(() => [
    window.holonom.stage.playback.time,
    window.holonom.stage.playback.playing,
  ]);
  verdict(
    `${name}: the space bar plays and stops`,
    played[0] !== stepped && played[1] === false,
    `t = ${played[0]} s`,
  );
  verdict(
    `${name}: no errors, no requests`,
    complaints.length === 0,
    complaints.join("; ").slice(0, 300) || undefined,
  );
}

async function sorts(name, page) {
  const column = (index) =>
    table
      .locator(`tbody tr td:nth-child(${index + 1})`)
      .evaluateAll((cells) => cells.map((cell) => Number(cell.title || "NaN")));
  const table = page.locator("#results table").first(),
    index = 2,
    head = table.locator(`th:nth-child(${index + 1}) button`);
  await head.focus();
  await page.keyboard.press("Enter");
  const up = (await column(index)).filter(Number.isFinite);
  await page.keyboard.press("Enter");
  const down = (await column(index)).filter(Number.isFinite);
  const rises = up.every((value, i) => i === 0 || up[i - 1] <= value);
  verdict(
    `${name}: tables sort by key, up and down`,
    up.length > 1 && rises && up.join() === [...down].reverse().join(),
    `${up.length} rows`,
  );
}

// Tests the layout of the report `name`, opened once, at each [width, scheme] of looks.
async function fits(name, looks) {
  const [[width, colorScheme]] = looks,
    context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme }),
    { page, complaints } = await open(name, context),
    grounds = new Map();
  for (const [width, colorScheme] of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    const [wide, charts, ground] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      [...document.querySelectorAll(".plot canvas")].filter((canvas) => canvas.clientWidth > 0).length,
      getComputedStyle(document.body).backgroundColor,
    ]);
    grounds.set(colorScheme, ground);
    verdict(
      `${name}: fits into ${width} pixels, ${colorScheme}`,
      wide <= width && charts > 0 && complaints.length === 0,
      `${wide} pixels, ${charts} charts, ${ground}`,
    );
  }
  verdict(`${name}: light and dark differ`, grounds.get("light") !== grounds.get("dark"));
  await context.close();
}

// Returns the fields of a line of CSV, without quotes.
const fields = (line) =>
  [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
    .slice(0, -1)
    .map(([, text]) => (text[0] === '"' ? text.slice(1, -1).replaceAll('""', '"') : text));

// Compares every position of run `index` in the page with the record `file`, a line per frame.
async function readsBack(name, page, index, file) {
  const [head, ...lines] = (await readFile(`${directory}/${file}`, "utf8")).trimEnd().split("\n").map(fields);
  const kept = await page.evaluate((run) => {
    const { report, motions } = window.holonom,
      motion = motions[run],
      names = report.model.bodies.filter(({ kind }) => kind !== "fixed").map(({ name }) => name);
    const frames = [...Array(motion.count).keys()].map((frame) =>
      names.map((_, body) => motion.position(body, frame)),
    );
    return { names, frames, times: [...motion.times], resolution: motion.about.resolution };
  }, index);
  const time = head.indexOf("time");
  let worst = 0,
    late = 0;
  kept.frames.forEach((bodies, frame) => {
    late = Math.max(late, Math.abs(Number(lines[frame]?.[time] ?? NaN) - kept.times[frame]));
    bodies.forEach((x, body) =>
      x.forEach((value, k) => {
        const there = Number(lines[frame]?.[head.indexOf(`${kept.names[body]}.${"xyz"[k]}`)] ?? NaN);
        worst = Math.max(worst, Math.abs(there - value));
      }),
    );
  });
  verdict(
    `${name}: ${kept.frames.length} frames of ${kept.names.length} bodies equal the record`,
    kept.frames.length === lines.length && worst <= 0.5001 * kept.resolution && late === 0,
    `difference ${worst} m, at most ${kept.resolution / 2}`,
  );
}

const context = await browser.newContext(wide),
  demo = await open("demo", context);
await plays("demo", demo);
await sorts("demo", demo.page);
await readsBack(
  "demo",
  demo.page,
  await demo.page.evaluate(() => window.holonom.report.runs.findIndex(({ spec }) => spec === "impulse-sle")),
  "demo.csv",
);
// The end of each error curve equals the error of the comparison, which is measured separately.
const ends = await demo.page.evaluate(() => {
  const { report } = window.holonom;
  return report.runs
    .map(({ errors }, i) => [errors?.position.at(-1), report.comparison.runs[i].error, errors?.time.at(-1)])
    .filter(([, error]) => error !== null && error !== undefined)
    .map(([there, error, time]) => [Math.abs(there / error - 1), time]);
});
const largest = Math.max(...ends.map(([difference]) => difference));
verdict(
  "demo: errors over time end at those of the comparison",
  ends.length > 3 && largest < 1e-9 && ends.every(([, time]) => Math.abs(time - 2) < 1e-9),
  `${ends.length} curves, relative difference ${largest}, at most 1e-9`,
);
const figure = demo.page.locator("figure", { hasText: "Position error over time" });
verdict(
  "demo: errors over time are drawn",
  (await figure.locator(".keys button").count()) >= ends.length,
);
const bibtex = await demo.page.locator("#bibtex").textContent();
verdict(
  "demo: BibTeX of Holonom and of the solvers",
  /@software\{holonom/.test(bibtex) && /@inproceedings\{bender2006/.test(bibtex),
);
await demo.page.locator(".keys button").first().press("Enter");
verdict(
  "demo: a curve is switched off by key",
  (await demo.page.locator(".keys button").first().getAttribute("aria-pressed")) === "false",
);
const paper = await demo.page.pdf({ format: "A4" });
verdict("demo: prints", paper.length > 50000, `${paper.length} bytes`);
await fits("demo", [
  [1600, "dark"],
  [800, "dark"],
  [800, "light"],
]);

// ---- Symbols, and curves that cannot be joined -----------------------------------------------------------
const marks = await demo.page.evaluate(() => {
  const figure = [...document.querySelectorAll("figure.chart")].find((one) => one.shown.curves().length > 12);
  const inks = [...figure.querySelectorAll(".keys button")].map((key) => {
    const [sign] = key.querySelectorAll(".symbol polygon, .symbol circle");
    return [
      key.style.getPropertyValue("--ink"),
      sign.getAttribute("points") ?? "circle",
      sign.classList.contains("hollow"),
      key.querySelector("line").getAttribute("stroke-dasharray"),
    ];
  });
  const table = [...document.querySelectorAll("#results tbody")][0];
  return {
    inks,
    rows: [...table.querySelectorAll("tr")].map((row) => {
      const sign = row.querySelector(".symbol"),
        [, shape] = [0, sign.querySelector("polygon")?.getAttribute("points") ?? "circle"];
      return [getComputedStyle(sign).fill, shape, sign.querySelector(".hollow") !== null].join(" ");
    }),
  };
});
const colours = new Set(marks.inks.map(([ink]) => ink)).size,
  shapes = new Set(marks.inks.map(([, shape]) => shape)).size,
  pairsOf = marks.inks.map(([ink, shape]) => `${ink} ${shape}`);
verdict(
  "demo: solvers differ in colour or in symbol, and dash where colours repeat",
  marks.inks.length > 12 &&
    colours === 11 &&
    shapes === 5 &&
    new Set(pairsOf).size === pairsOf.length &&
    marks.inks.every(([, , hollow, dash], i) => {
      const round = Math.floor(i / 11);
      return hollow === (round % 2 === 1) && (dash === "none") === (round === 0);
    }),
  `${marks.inks.length} curves, ${colours} colours, ${shapes} shapes`,
);
verdict(
  "demo: so do the rows of the tables",
  marks.rows.length > 12 && new Set(marks.rows).size === marks.rows.length,
  `${new Set(marks.rows).size} of ${marks.rows.length}`,
);
// A curve of error against cost is joined only if each smaller step cost more.
const backwards = await demo.page.evaluate(() => {
  const { report } = window.holonom;
  const costs = {
    "Error against work": (row) => row.joint_operations,
    "Error against time on one machine": (row) => row.cost.wall_s,
  };
  return [...document.querySelectorAll("figure.chart")].flatMap((figure) => {
    const cost = costs[figure.querySelector("figcaption span").textContent];
    if (!cost) return [];
    return figure.shown.curves().map((curve, i) => {
      const rows = report.comparison.work_precision
        .filter(({ spec, error }) => spec === curve.name && error > 0)
        .sort((a, b) => b.step - a.step);
      const rises = rows.every((row, k) => k === 0 || cost(row) > cost(rows[k - 1])),
        series = figure.shown.plot().series[i + 1],
        joined = series.paths(figure.shown.plot(), i + 1, 0, 1) !== null;
      return [rises === joined, series.points.show(), rows.length === curve.x.length];
    });
  });
});
verdict(
  "demo: points of error against cost are joined where the cost rises with the accuracy",
  backwards.length > 20 && backwards.every((checks) => checks.every(Boolean)),
  `${backwards.length} curves`,
);
const one = await open("one", context),
  lonely = await one.page.evaluate(() =>
    [...document.querySelectorAll("figure.chart")].flatMap((figure) =>
      figure.shown
        .curves()
        .map((curve, i) => [
          curve.y.filter(Number.isFinite).length,
          figure.shown.plot().series[i + 1].points.show(),
        ])
        .filter(([count]) => count === 1),
    ),
  );
verdict(
  "one: a curve of a single value is a point",
  lonely.length > 0 && lonely.every(([, shown]) => shown),
  `${lonely.length} curves`,
);

// Runs without an error have no point.
const failures = async (page) =>
  page.evaluate(() => {
    const { report } = window.holonom,
      [figure] = document.querySelectorAll("figure.chart"),
      curves = figure.shown.curves(),
      known = report.comparison.work_precision.filter(({ error }) => error > 0);
    return [
      report.comparison.work_precision.length - known.length,
      curves.every(({ y }) => y.every((value) => value > 0)),
      curves.reduce((sum, { y }) => sum + y.length, 0) === known.length,
    ];
  });

// ---- The frame, and magnified differences ----------------------------------------------------------------
const hall = await open("hall", context);
await plays("hall", hall);
const failed = await failures(hall.page);
verdict(
  "hall: runs that failed have no point in the error against work",
  failed[0] > 0 && failed[1] && failed[2],
  `${failed[0]} of them`,
);
const filled = await hall.page.evaluate(() => {
  const { view, playback } = window.holonom.stage,
    { eye } = view.camera;
  const across = (time) => {
    playback.seek(time);
    view.draw();
    eye.updateMatrixWorld();
    return view.layers[0].slots.flatMap((i) =>
      [-0.15, 0.15].map((x) => view.layers[0].poses[i].point(eye.position.clone(), [x, 0, 0]).project(eye)),
    );
  };
  const start = across(0).map(({ x }) => x),
    all = [...Array(13).keys()]
      .flatMap((i) => across(0.05 * i))
      .flatMap(({ x, y }) => [Math.abs(x), Math.abs(y)]);
  return [(Math.max(...start) - Math.min(...start)) / 2, Math.max(...all)];
});
verdict(
  "hall: the mechanism fills at least a quarter of the width, and never leaves the frame",
  filled[0] >= 0.25 && filled[1] <= 1,
  `${filled[0].toFixed(3)} of the width, up to ${filled[1].toFixed(3)} of the way to the edge`,
);
// Each pose of a magnified run against one computed here: by vectors, and by powers of rotations.
const magnified = async (factor) => {
  await hall.page.getByLabel("magnified").selectOption(String(factor));
  await hall.page.getByRole("button", { name: "all", exact: true }).click();
  return hall.page.evaluate((factor) => {
    const { stage, motions } = window.holonom,
      time = 0.4171, // between frames
      reference = motions.at(-1);
    stage.playback.seek(time);
    let turned = 0,
      moved = 0,
      apart = 0;
    const product = ([a, b, c, d], [w, x, y, z]) => [
      a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y,
      a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w,
    ]; // prettier-ignore
    stage.layers.forEach(({ motion, ghost }, layer) => {
      if (ghost) return;
      const frame = motion.frameAt(time),
        there = reference.frameAt(motion.times[frame] + 1e-9);
      for (let body = 0; body < motion.bodies; body++) {
        const [x, r, q, p] = [
          motion.position(body, frame), reference.position(body, there),
          motion.orientation(body, frame), reference.orientation(body, there),
        ]; // prettier-ignore
        const shown = stage.snapshots[layer].poses.slice(7 * body, 7 * body + 7);
        apart = Math.max(apart, Math.hypot(...x.map((value, k) => value - r[k])));
        x.forEach((value, k) => {
          moved = Math.max(moved, Math.abs(r[k] + factor * (value - r[k]) - shown[k]));
        });
        let small = product(q, [p[0], -p[1], -p[2], -p[3]]),
          turn = [...p];
        if (small[0] < 0) small = small.map((part) => -part);
        for (let i = 0; i < factor; i++) turn = product(small, turn);
        const length = Math.hypot(...turn),
          sign = turn.reduce((sum, part, k) => sum + part * shown[3 + k], 0) < 0 ? -1 : 1;
        turn.forEach((part, k) => {
          turned = Math.max(turned, Math.abs((sign * part) / length - shown[3 + k]));
        });
      }
    });
    return { moved, turned, apart, label: stage.magnified.textContent, hidden: stage.magnified.hidden };
  }, factor);
};
const ten = await magnified(10);
verdict(
  "hall: differences are magnified tenfold at common frames, in position and orientation",
  ten.moved < 1e-9 && ten.turned < 1e-6 && ten.apart > 1e-4,
  `off by ${ten.moved} m of 1e-9 and ${ten.turned} of 1e-6; runs are up to ${ten.apart.toFixed(5)} m apart`,
);
verdict(
  "hall: the drawing says so",
  !ten.hidden && /^Difference from reference × 10 /.test(ten.label),
  ten.label,
);
await hall.page.getByLabel("difference from").selectOption({ label: "from lagrange" });
const other = await hall.page.evaluate(() => {
  const { stage, motions } = window.holonom,
    i = stage.layers.findIndex(({ name }) => name === "lagrange"),
    k = stage.layers.findIndex(({ name }) => name === "moreau"),
    frame = motions[k].frameAt(stage.playback.time);
  const [x, r] = [motions[k].position(1, frame), motions[i].position(1, frame)];
  return [
    Math.max(...x.map((value, n) => Math.abs(r[n] + 10 * (value - r[n]) - stage.snapshots[k].poses[7 + n]))),
    stage.magnified.textContent,
  ];
});
verdict(
  "hall: the difference from another run is magnified, too",
  other[0] < 1e-9 && /^Difference from lagrange × 10 /.test(other[1]),
  `off by ${other[0]} m of 1e-9`,
);
await hall.page.getByLabel("difference from").selectOption({ label: "from reference" });
await hall.page.getByLabel("magnified").selectOption("1");
const plain = await hall.page.evaluate(() => {
  const { stage, motions } = window.holonom,
    frame = 20,
    worst = [];
  stage.playback.seek(motions[0].times[frame]);
  stage.layers.forEach(({ motion, ghost }, layer) => {
    if (ghost || motion.count <= frame) return;
    const { poses } = stage.snapshots[layer];
    motion.position(1, frame).forEach((x, k) => worst.push(Math.abs(x - poses[7 + k])));
  });
  return [Math.max(...worst), stage.magnified.hidden];
});
verdict("hall: by one, nothing is magnified", plain[0] < 1e-12 && plain[1], `off by ${plain[0]} m`);

// Follow a body: the camera moves as it does.
await hall.page.getByLabel("follow", { exact: true }).selectOption("1");
const followed = await hall.page.evaluate(() => {
  const { stage, motions } = window.holonom,
    { eye, controls } = stage.view.camera,
    [motion] = motions;
  const at = (frame) => {
    stage.playback.seek(motion.times[frame]);
    stage.view.draw();
    return [eye.position.toArray(), controls.target.toArray(), motion.position(1, frame)];
  };
  at(5);
  const [a, b] = [at(10), at(25)];
  const way = [0, 1, 2].map((i) => b[i].map((x, k) => x - a[i][k]));
  const off = [0, 1].map((i) => Math.max(...way[i].map((x, k) => Math.abs(x - way[2][k]))));
  return [...off, Math.hypot(...way[2])];
});
verdict(
  "hall: eye and target follow a body",
  followed[0] < 1e-6 && followed[1] < 1e-6 && followed[2] > 0.1,
  `off by ${Math.max(followed[0], followed[1])} of 1e-6 m, over ${followed[2].toFixed(3)} m`,
);
await hall.page.getByLabel("follow", { exact: true }).selectOption("-1");
// Joint forces are drawn at the joint on body b, with their direction.
const arrows = await hall.page.evaluate(() => {
  const { stage, motions, report } = window.holonom,
    k = stage.layers.findIndex(({ name }) => name === "lagrange"),
    frame = 20;
  stage.layers.forEach((layer, i) => (layer.on = i === k));
  stage.shown.add("joint forces");
  stage.playback.seek(motions[k].times[frame]);
  stage.view.draw();
  const { marks, poses } = stage.view.layers[k],
    joint = 1;
  const force = [...motions[k].forces.slice(3 * (2 * frame + joint), 3 * (2 * frame + joint) + 3)],
    { b, point_b } = report.model.joints[joint],
    place = poses[b].point(stage.view.camera.eye.position.clone(), point_b).toArray(),
    [mesh] = marks.parts["joint forces"].meshes,
    matrix = [...mesh.instanceMatrix.array.slice(16 * joint, 16 * joint + 16)];
  stage.shown.delete("joint forces");
  return { force, place, from: matrix.slice(12, 15), way: matrix.slice(4, 7), count: mesh.count };
});
const unit = (a) => a.map((x) => x / Math.hypot(...a)),
  apart = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));
verdict(
  "hall: the arrow of a joint force begins at its point and has its direction",
  arrows.count === 2 &&
    apart(arrows.from, arrows.place) < 1e-6 &&
    apart(unit(arrows.way), unit(arrows.force)) < 1e-5,
  `off by ${apart(unit(arrows.way), unit(arrows.force)).toExponential(1)} of 1e-5`,
);

// ---- Curves and tables ------------------------------------------------------------------------------------
// The curves of each chart are those of the report's data; a saved one holds them.
const curves = await demo.page.evaluate(() => {
  const { report } = window.holonom;
  const of = {
    "Joint error over time": "drift",
    "Joint velocity error over time": "velocity",
    "Energy error over time": "energy",
  };
  return [...document.querySelectorAll("figure.chart")].flatMap((figure) => {
    const key = of[figure.querySelector("figcaption span").textContent];
    return !key
      ? []
      : figure.shown.curves().map(({ name, x, y }) => {
          const { series } = report.runs.find(({ spec }) => spec === name);
          return String(series[key]) === String(y) && String(series.time) === String(x);
        });
  });
});
verdict(
  "demo: curves over time are those of their quantity",
  curves.length === 78 && curves.every(Boolean),
  `${curves.length} curves`,
);
const chart = demo.page.locator("figure.chart", { hasText: "Error against work" }).first(),
  [saved] = await Promise.all([
    demo.page.waitForEvent("download"),
    chart.getByRole("button", { name: "CSV" }).click(),
  ]);
const lines = (await readFile(await saved.path(), "utf8")).trim().split("\n").map(fields),
  shownCurves = await chart.evaluate((figure) =>
    figure.shown.curves().flatMap(({ name, x, y }) => x.map((v, i) => [name, v, y[i]])),
  );
verdict(
  "demo: a saved chart has its points",
  lines[0].join() === "curve,joint operations,position error at the end, m" &&
    lines.length === shownCurves.length + 1 &&
    shownCurves.every((point, i) => point.every((value, k) => String(value) === lines[i + 1][k])),
  `${lines.length - 1} points; ${lines[0].join()}`,
);
// Cells of the first table against the data.
const cells = await demo.page.evaluate(() => {
  const { report } = window.holonom,
    [table] = document.querySelectorAll("#results table");
  const of = [
    (run) => run.error, (run) => run.joint_error.position_max, (run) => run.joint_error.velocity_max,
    (run) => run.energy.error_max, (run) => run.iterations.position_mean, (run) => run.joint_operations,
  ]; // prettier-ignore
  return [...table.querySelectorAll("tbody tr")].map((row) => {
    const text = [...row.querySelectorAll("td")],
      run = report.comparison.runs.find(({ spec }) => spec === text[0].textContent);
    return of.every((value, k) => text[k + 2].title === String(value(run)));
  });
});
verdict(
  "demo: the table has the figures of the runs",
  cells.length === 26 && cells.every(Boolean),
  `${cells.length} rows`,
);
const best = await demo.page.evaluate(() => {
  const runs = [...window.holonom.report.comparison.runs].sort((a, b) => a.error - b.error);
  const head = document.querySelector("header").textContent;
  return [runs[0].spec, head.includes(`most accurate${runs[0].spec}`)];
});
verdict("demo: the most accurate solver is named", best[1], best[0]);

const tray = await open("tray", context);
await plays("tray", tray);
const touching = await tray.page.evaluate(() =>
  window.holonom.motions.map((motion) => motion && motion.contacts.length / 6),
);
verdict(
  "tray: contacts have positions and impulses",
  touching.some((count) => count > 0),
  touching.join(", "),
);
// One arrow in a hundred is longer than a third of the radius.
const long = await tray.page.evaluate(() => {
  const { motions, stage } = window.holonom,
    lengths = motions
      .filter(Boolean)
      .flatMap(({ contacts }) =>
        [...Array(contacts.length / 6).keys()].map((i) =>
          Math.hypot(...contacts.slice(6 * i + 3, 6 * i + 6)),
        ),
      )
      .sort((a, b) => a - b),
    third = stage.size.radius / 3 / stage.view.layers[0].marks.lengths.impulse;
  // Equal balls have equal arrows, rounded to twelve bits.
  const share = (least) => lengths.filter((value) => value > least * third).length / lengths.length;
  return [share(1.001), share(0.999), lengths.length];
});
verdict(
  "tray: one arrow in a hundred is longer than a third of the scene",
  long[0] < 0.02 && long[1] > 0.002,
  `${long[0]} to ${long[1]} of ${long[2]}`,
);
// Hue and lightness of each body drawn for the first solver.
const tones = await tray.page.evaluate(() => {
  const [{ kinds, material }] = window.holonom.stage.view.layers,
    colour = material.color.clone();
  return kinds.flatMap(({ mesh, members }) =>
    members.map((_, k) => {
      mesh.getColorAt(k, colour);
      return colour.getHSL({}, "srgb");
    }),
  );
});
const steps = tones.map(({ l }) => l).sort((a, b) => a - b),
  least = Math.min(...steps.slice(1).map((l, i) => l - steps[i])),
  hues = tones.map(({ h }) => h);
verdict(
  "tray: every body has its own shade of the solver's hue",
  tones.length > 20 && least > 0.2 / tones.length && Math.max(...hues) - Math.min(...hues) < 0.01,
  `${tones.length} bodies, smallest difference of lightness ${least.toFixed(4)}`,
);
await plays("tree", await open("tree", context));

const single = await open("single", context);
await plays("single", single);
const ghosts = await single.page.evaluate(() => {
  const { motions, report } = window.holonom,
    [run, reference] = [motions[0], motions.at(-1)];
  if (motions.length !== 2 || !reference) return null;
  const frame = reference.count - 1;
  const errors = report.runs[0].errors.position.length;
  return [reference.times[frame], reference.position(0, frame), run.end, errors];
});
verdict(
  "single: the page of a run has the scene's reference as a ghost, and the error over time",
  ghosts !== null && Math.abs(ghosts[0] - ghosts[2]) < 1e-9 && ghosts[3] > 3,
  JSON.stringify(ghosts),
);

// A body without a shape is drawn as a ball in the solver's blue, which a joint at its centre must not hide.
const blue = await single.page.evaluate(() => {
  const { canvas, view } = window.holonom.stage,
    { width, height } = canvas,
    copy = Object.assign(document.createElement("canvas"), { width, height });
  view.draw();
  const pen = copy.getContext("2d");
  pen.drawImage(canvas, 0, 0);
  const { data } = pen.getImageData(0, 0, copy.width, copy.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i + 2] > data[i] + 60) count++;
  return count;
});
verdict("single: a joint does not hide its body", blue > 20, `${blue} pixels`);
// The corners of the bounding box of the whole motion are inside the frame from the start.
const outside = await tray.page.evaluate(() => {
  const { view, size } = window.holonom.stage,
    { eye } = view.camera;
  eye.updateMatrixWorld();
  const across = [0, 1].map((k) => {
    const at = [...Array(8).keys()].map((i) => {
      const corner = [0, 1, 2].map((n) => (((i >> n) & 1) === 1 ? size.high : size.low)[n]);
      return eye.position
        .clone()
        .set(...corner)
        .project(eye)
        .getComponent(k);
    });
    return [Math.min(...at), Math.max(...at)];
  });
  return across;
});
verdict(
  "tray: the scene fills more than half of the width, and nothing is cut off",
  outside.every(([low, high]) => low >= -1.001 && high <= 1.001) && outside[0][1] - outside[0][0] > 1,
  JSON.stringify(outside),
);

const names = await open("names", context);
await plays("names", names);
await readsBack("names", names.page, 0, "names.csv");
const shown = await names.page.evaluate(() => [
  document.body.textContent.includes('</script><img src=x onerror="alert(1)">'),
  document.images.length,
]);
verdict("names: quotes, brackets and </script> remain text", shown[0] && shown[1] === 0, shown.join());
verdict(
  "names: a scene without shapes explains the drawing",
  (await names.page.locator(".panel > .note").textContent()).includes("No body has a shape"),
);

const hundred = await open("hundred", context),
  [kept, each] = await hundred.page.evaluate(() => {
    const { stage, motions } = window.holonom,
      gl = stage.canvas.getContext("webgl2"),
      frames = 40,
      before = performance.now();
    for (let i = 1; i <= frames; i++) {
      stage.playback.seek((stage.playback.duration * i) / frames);
      stage.view.draw();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); // waits for the drawing
    }
    return [`${motions[0].bodies} bodies, ${motions[0].count} frames`, (performance.now() - before) / frames];
  });
verdict(
  "hundred: all bodies and frames are present",
  kept === "100 bodies, 10001 frames" && hundred.complaints.length === 0,
  `${kept}; ${each.toFixed(1)} ms per frame, rendered by software`,
);

const many = await open("many", context);
verdict(
  "many: omitted bodies are reported",
  /10,000 moving bodies of 12,000/.test(await many.page.locator(".panel > .note").textContent()) &&
    many.complaints.length === 0,
);
const thinned = await many.page.evaluate(() => {
  const [motion] = window.holonom.motions,
    times = [...motion.times];
  return {
    stride: motion.about.stride,
    count: motion.count,
    even: times.slice(0, -1).every((time, i) => Math.abs(time - 0.02 * i) < 1e-9),
    end: times.at(-1),
  };
});
verdict(
  "many: every second step and the last one have a frame",
  thinned.stride === 2 &&
    thinned.count === 152 &&
    thinned.even &&
    Math.abs(thinned.end - 3.01) < 1e-9 &&
    /every 2 steps/.test(await many.page.locator(".panel > .note").textContent()),
  JSON.stringify(thinned),
);

await browser.close();
browser = await launch(playwright, executablePath, true);
const bare = await open("demo", await browser.newContext(wide));
verdict(
  "without WebGL the page reports it and shows the rest",
  /no WebGL/.test(await bare.page.locator("#motion").textContent()) &&
    (await bare.page.locator("#results tbody tr").count()) > 3 &&
    bare.complaints.length === 0,
  bare.complaints.join("; ").slice(0, 200) || undefined,
);
await browser.close();
