// report.js - assembles the report.
import { readMotions, readReport } from "./data.js";
import { figures } from "./figures.js";
import { nameColours, results } from "./results.js";
import { citations, heading, list, made, section, settings, source } from "./sections.js";
import { makeStage } from "./stage.js";
import { onTheme } from "./palette.js";
import { el } from "./text.js";

const page = document.getElementById("page");

// The section of the motion, which is decoded after the rest is displayed.
async function addMotion(report, place) {
  try {
    const motions = await readMotions(report),
      stage = makeStage(report, motions, report.comparison.duration);
    place.replaceChildren(stage.element);
    return { motions, stage };
  } catch (error) {
    console.warn(error);
    place.replaceChildren(
      el("p", { class: "missing", role: "alert" }, `The motion cannot be shown: ${error.message}.`),
    );
    return { motions: [], stage: null };
  }
}

async function show(report) {
  giveColours(report);
  const place = el("div", { class: "motion" }, el("p", { class: "note" }, "The motion is being decoded …")),
    tables = results(report);
  document.title = `${report.scene.name} – Holonom`;
  nameColours();
  onTheme(nameColours);
  page.replaceChildren(
    ...[
      heading(report),
      section("motion", "Motion", place),
      section(
        "results",
        "Results",
        tables.main,
        tables.errors,
        tables.contacts,
        list("failures", report.failures),
        list("warnings", report.warnings),
        legend(report),
      ),
      section("figures", "Figures", el("div", { class: "figures" }, figures(report))),
      section("work", "Runs of error against work", tables.study),
      section("settings", "Settings", settings(report)),
      section("citations", "Citations", citations(report)),
      section("scene", "Scene", source(report)),
      section("made", "How this report was made", made(report)),
    ].filter(Boolean),
  );
  const { motions, stage } = await addMotion(report, place);
  window.holonom = { report, motions, stage }; // for scripts and tests
  document.documentElement.classList.add("ready");
}

// Solvers that ran have the colours in order, followed by those that could not run.
function giveColours({ runs }) {
  const ran = runs.filter(({ series }) => series?.time.length);
  [...ran, ...runs.filter((run) => !ran.includes(run))].forEach((run, i) => (run.ink = i));
}

const legend = (report) =>
  el(
    "p",
    { class: "note" },
    `Error: of positions, ${report.reference.norm}. Drift, velocity drift and energy: ` +
      "the largest joint error, joint velocity error and |E − E(0)| after any step, computed from model " +
      "and state alone. Joint operations count residuals, Jacobians, jets, impulses and factorisations by " +
      "joint, equal on every machine; times are of the machine that made this report.",
  );

const report = readReport();
if (report) show(report);
else
  page.replaceChildren(
    el(
      "p",
      { class: "missing" },
      "This page has no data: it is the empty template of a report of holonom compare --output report.html.",
    ),
  );
