// modules_report.mjs - a report of three runs, of which the first has failed, on a substitute for a page:
// tables, charts, citations, and the stage with its keys.
import { resolveObjectURL } from "node:buffer";
import { readFileSync } from "node:fs";
import { packed, step } from "./modules_data.mjs";
import { byId, Part, saved } from "./modules_page.mjs";
import { equal, near, verdict } from "./modules_support.mjs";
import { parsed } from "./modules_text.mjs";

const specs = ["lagrange", "impulse-sle", "xpbd"];
const time = [0, 0.1, 0.2, 0.3];
const series = (k) => ({
  time,
  stride: 1,
  ...Object.fromEntries(
    ["drift", "velocity", "energy", "contacts", "penetration", "law"].map((key, i) => [
      key,
      time.map((t) => (i + 1) * 1e-4 * 10 ** k * (1 + t)),
    ]),
  ),
});
// Runs of error against work; xpbd costs more with a larger step, one run failed.
const study = [
  ["impulse-sle", 0.1, 1e-2, 100],
  ["impulse-sle", 0.05, 2e-3, 200],
  ["impulse-sle", 0.025, null, 400],
  ["xpbd", 0.1, 5e-2, 300],
  ["xpbd", 0.05, 4e-2, 150],
  ["lagrange", 0.05, 3e-2, 70],
].map(([spec, size, error, joint_operations]) => ({
  spec,
  step: size,
  error,
  joint_operations,
  reason: error ? "converged" : "diverged",
  cost: { wall_s: joint_operations * 1e-5 },
}));

function outcome(spec, i) {
  const of = (k) => (i + 1) * 1.25 * 10 ** -k;
  return {
    spec,
    reason: i ? "converged" : "diverged",
    error: [null, 3e-7, 2e-5][i],
    joint_error: { position_max: of(3), velocity_max: of(4) },
    energy: { error_max: of(5) },
    joint_operations: 1000 * (i + 1),
    iterations: { position_mean: 2, velocity_mean: 3 },
    cost: { us_per_step: [9, 10, 1e4][i], wall_s: 1 },
    errors: { position: of(6), orientation: of(7), velocity: of(8), force: null },
    contact: {
      count_max: 4,
      residual_max: of(9),
      own_residual_max: of(12),
      penetration_max: of(10),
      balance_max: of(11),
      cone_excess_max: 0,
      energy_gain_max: 0,
    },
    options: { solver: { contact: i === 1 ? "pgs" : undefined } },
    residual_history: null,
  };
}

function reportOf() {
  const frames = [9, 12, 12].map((last, i) => {
    const { about, text } = packed(last),
      part = new Part("script");
    part.textContent = text;
    byId.set(`motion-${i}`, part);
    return { ...about, id: `motion-${i}` };
  });
  const body = (name) => ({ name, kind: "rigid", shapes: [] });
  return {
    setup: "each with its own step",
    failures: [],
    warnings: ["a warning"],
    scene: { name: "two bodies", summary: "", conserves: true, parameters: [], source: "return sys" },
    model: {
      bodies: [body("a"), body("b")],
      joints: [],
      forces: [],
      moving: 2,
      njoint: 1,
      nrow: 3,
      planar: false,
      gravity: [0, -9.81, 0],
    },
    made: { command: "holonom compare", version: "1", compiler: "cc", libraries: {}, machine: { cores: 2 } },
    reference: { text: "a reference", norm: "largest", frames: frames[2], known: null },
    comparison: { runs: specs.map(outcome), work_precision: study, norm: "max", duration: 11 * step },
    runs: specs.map((spec, i) => ({
      spec,
      solver: spec,
      series: i ? series(i) : null,
      frames: i ? frames[i - 1] : null,
      errors: i
        ? { time: i === 1 ? [0.3] : time, position: i === 1 ? [1e-5] : time.map(() => 1e-4), stride: 1 }
        : null,
    })),
  };
}

const caption = (figure) => figure.all("figcaption")[0].all("span")[0].textContent;
const rowsOf = (table) =>
  table
    .all("tbody")[0]
    .all("tr")
    .map((row) => row.all("td").map((cell) => cell.textContent.trim()));
const heads = (table) => table.all("th").map((head) => head.textContent.replace(/ (m|s|rad|J|N|µs).*$/, ""));

function testTables(page) {
  const tables = page.all("figure").filter((figure) => figure.attributes.class === "table"),
    find = (name) => tables.find((table) => caption(table).startsWith(name));
  const column = (table, title) => rowsOf(table).map((row) => row[heads(table).indexOf(title)]),
    main = find("Solvers");
  equal("results: solvers", column(main, "solver"), specs);
  equal("results: errors", column(main, "error"), ["–", "3.00e-7", "2.00e-5"]);
  equal("results: drift", column(main, "drift"), ["1.25e-3", "2.50e-3", "3.75e-3"]);
  equal("results: velocity drift", column(main, "velocity drift"), ["1.25e-4", "2.50e-4", "3.75e-4"]);
  equal("results: energy", column(main, "energy error"), ["1.25e-5", "2.50e-5", "3.75e-5"]);
  const contacts = find("Contacts");
  equal("results: residuals of Coulomb's law", column(contacts, "residual of Coulomb's law"), [
    "1.25e-9",
    "2.50e-9",
    "3.75e-9",
  ]);
  equal("results: residuals of the own law", column(contacts, "of its own law"), [
    "1.25e-12",
    "2.50e-12",
    "3.75e-12",
  ]);
  equal("results: penetrations", column(contacts, "penetration"), ["1.25e-10", "2.50e-10", "3.75e-10"]);
  equal("results: quantities without errors have no column", heads(find("Errors")), [
    "solver",
    "positions",
    "orientations",
    "velocities",
  ]);
  equal(
    "results: runs of error against work",
    column(find("Error against work"), "step"),
    study.map(({ step: size }) => String(size < 0.1 ? size.toExponential(2) : size)),
  );

  const sort = (title) => {
    main
      .all("th")
      .find((head) => head.textContent.startsWith(title))
      .all("button")[0]
      .click();
    return column(main, "solver");
  };
  const [a, b, c] = specs;
  equal("tables: numbers ascend first, missing ones are last", sort("error"), [b, c, a]);
  equal("tables: a second click reverses numbers", sort("error"), [c, b, a]);
  equal("tables: words are sorted", sort("solver"), [b, a, c]);
  equal("tables: another column ascends first", sort("drift"), [a, b, c]);
  equal(
    "tables: its order is marked",
    main
      .all("th")
      .map((head) => head.attributes["aria-sort"])
      .filter((way) => way !== "none"),
    ["ascending"],
  );
}

async function testCharts(page) {
  const charts = page.all("figure").filter((figure) => figure.attributes.class === "chart"),
    find = (title) => charts.find((chart) => caption(chart) === title);
  const curve = (title, name) =>
    find(title)
      ?.shown.curves()
      .find((one) => one.name === name);
  for (const [title, key] of Object.entries({
    "Joint error over time": "drift",
    "Joint velocity error over time": "velocity",
    "Energy error over time": "energy",
    "Contacts over time": "contacts",
    "Penetration over time": "penetration",
    "Residual of the contact law over time": "law",
  }))
    equal(`figures: ${title}`, curve(title, "xpbd")?.y, series(2)[key]);
  const work = (cost, name) => {
    const { x, y, apart } = curve(cost, name);
    return { x, y, apart };
  };
  equal(
    "figures: errors over joint operations, without failed runs",
    work("Error against work", "impulse-sle"),
    { x: [100, 200], y: [1e-2, 2e-3], apart: false },
  );
  equal("figures: a curve that runs backwards is not joined", work("Error against work", "xpbd"), {
    x: [150, 300],
    y: [4e-2, 5e-2],
    apart: true,
  });
  equal(
    "figures: errors over time in steps",
    work("Error against time on one machine", "impulse-sle").x,
    [100, 200].map((n) => n * 1e-5),
  );

  const { options, data } = find("Error against work").shown.plot(),
    path = (k) => options.series[k].paths?.();
  equal("charts: points of a curve that runs backwards are not joined", [1, 2, 3].map(path), [
    undefined,
    undefined,
    null,
  ]);
  equal("charts: curves are drawn over the union of their abscissas", data[0], [70, 100, 150, 200, 300]);
  const single = find("Position error over time").shown.plot().options;
  equal(
    "charts: a single value is drawn as a point",
    single.series.slice(1).map(({ points }) => points.show),
    [true, false],
  );
  find("Error against work").button("CSV").click();
  const text = await resolveObjectURL(saved.at(-1)).text();
  equal("charts: a saved chart has curve, abscissa and ordinate", parsed(text), [
    ["curve", "joint operations", "position error, m"],
    ["lagrange", "70", "0.03"],
    ["impulse-sle", "100", "0.01"],
    ["impulse-sle", "200", "0.002"],
    ["xpbd", "150", "0.04"],
    ["xpbd", "300", "0.05"],
  ]);
}

function testSections(page, top) {
  const pairs = new Map(page.all("dt").map((term, i) => [term.textContent, page.all("dd")[i].textContent]));
  verdict(
    "sections: the most accurate solver",
    /^impulse-sle: 3\.00e-7 m/.test(pairs.get("most accurate")),
    pairs.get("most accurate"),
  );
  equal("sections: runs that reached the end", pairs.get("reached the end"), "2 of 3");
  const used = ["Holonom", "pgs", ...specs],
    entries = readFileSync(`${top}/web/src/solvers.bib`, "utf8").split(/^(?=@)/m),
    own = entries.filter((entry) =>
      /keywords = \{(.*)\}/
        .exec(entry)[1]
        .split(", ")
        .some((name) => used.includes(name)),
    );
  const keys = (text) => text.match(/^@\w+\{[^,]*/gm),
    written = page.all("pre").find((part) => part.attributes.id === "bibtex").textContent;
  equal("sections: BibTeX entries of the solvers used", keys(written), own.flatMap(keys));
  verdict("sections: not of all solvers", own.length < entries.length, `${own.length} of ${entries.length}`);
}

function testStage({ stage, motions }) {
  equal(
    "stage: a layer for each run with a motion, and the reference",
    stage.layers.map(({ name }) => name),
    ["impulse-sle", "xpbd", "reference"],
  );
  const visible = () => stage.view.layers.map(({ group }) => group.visible),
    key = (name) => stage.canvas.listeners.keydown({ key: name, preventDefault() {} });
  equal("stage: one solver is drawn at first, with the reference", visible(), [true, false, true]);
  const check = (i, on) => {
    stage.layers[i].box.checked = on;
    stage.layers[i].box.listeners.change();
  };
  check(0, false);
  check(1, true);
  equal("stage: the solvers that are checked are drawn", visible(), [false, true, true]);
  stage.playback.seek(4.5 * step);
  key(".");
  const forward = stage.playback.time;
  key(",");
  key(",");
  const frames = [forward, stage.playback.time].map((t) => Math.round(t / step));
  equal("stage: keys step by a frame forward and back", frames, [5, 3]);
  key(" ");
  equal("stage: the space bar plays", stage.playback.playing, true);
  stage.playback.pause();
  stage.playback.seek(11 * step);
  check(0, true);
  verdict(
    "stage: a run that ended before is noted",
    /^impulse-sle ended at/.test(stage.ended.textContent),
    stage.ended.textContent,
  );
  const snapshot = stage.snapshots[1].poses;
  near(
    "stage: snapshots are those of the time",
    Math.abs(snapshot[0] - motions[2].position(0, 11)[0]),
    1e-12,
  );
}

// TOP: the sources; START: loads the page of a report.
export async function testReport(top, start) {
  const place = new Part("main"),
    data = new Part("script");
  data.textContent = JSON.stringify(reportOf());
  byId.set("page", place).set("report", data);
  await start();
  for (let i = 0; i < 500 && !globalThis.holonom; i++) await new Promise((done) => setTimeout(done, 10));
  const { report, stage } = globalThis.holonom ?? {};
  verdict("report: the page is assembled", Boolean(stage));
  equal(
    "report: solvers that ran have the first colours",
    report.runs.map(({ ink }) => ink),
    [2, 0, 1],
  );
  testTables(place);
  await testCharts(place);
  testSections(place, top);
  testStage(globalThis.holonom);
}
