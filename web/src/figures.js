// figures.js - the charts of a comparison.
import { chart } from "./charts.js";
import { isNumber } from "./text.js";

const timeCharts = [
  { key: "drift", title: "Joint error over time", y: "largest joint error, m or rad", joints: true },
  { key: "velocity", title: "Joint velocity error over time", y: "largest, m/s or rad/s", joints: true },
  { key: "energy", title: "Energy error over time", y: "|E − E(0)|, J", work: "Energy, change over time" },
  { key: "contacts", title: "Contacts over time", y: "contacts in a step", plain: true },
  { key: "penetration", title: "Penetration over time", y: "deepest penetration, m" },
  { key: "law", title: "Residual of the contact law over time", y: "largest residual, m/s" },
];

// Returns the chart of the deviations from the reference motion.
function distance(report) {
  const curves = report.runs
    .filter((run) => run.errors)
    .map((run) => ({ name: run.spec, index: run.ink, x: run.errors.time, y: run.errors.position }));
  const thinned = report.runs.some((run) => run.errors?.stride > 1);
  return curves.length === 0
    ? null
    : chart({
        title: "Position error over time",
        x: "time, s",
        y: "largest of a body, m",
        logY: true,
        curves,
        note:
          "Evaluated at times for which both the run and the reference have a frame" +
          (thinned ? "; each point is the largest of several such times." : "."),
      });
}

function timeChart(report, { key, title, work, y, joints, plain }) {
  if (joints && report.model.njoint === 0) return null;
  const curves = report.runs
    .map((run, index) => ({
      name: run.spec,
      index: run.ink,
      x: run.series?.time ?? [],
      y: run.series?.[key] ?? [],
    }))
    .filter((curve) => curve.x.length && curve.y.some(isNumber));
  const thinned = report.runs.some((run) => run.series?.stride > 1);
  return curves.length === 0
    ? null
    : chart({
        title: work && !report.scene.conserves ? work : title,
        x: "time, s",
        y,
        logY: !plain,
        curves,
        note: thinned
          ? "In runs with more steps than points, each point is the largest of several steps."
          : null,
      });
}

// Returns the chart of error over COST of runs with several step sizes.
function work(report, title, x, cost) {
  const curves = report.runs
    .map((run, index) => {
      const points = report.comparison.work_precision
        .filter((row) => row.spec === run.spec && isNumber(row.error) && row.error > 0 && cost(row) > 0)
        .sort((a, b) => b.step - a.step)
        .map((row) => [cost(row), row.error]);
      const apart = points.some(([a], i) => i > 0 && a <= points[i - 1][0]); // the curve would run backwards
      points.sort((a, b) => a[0] - b[0]);
      const [x, y] = [0, 1].map((k) => points.map((point) => point[k]));
      return { name: run.spec, index: run.ink, x, y, apart };
    })
    .filter((curve) => curve.x.length);
  return curves.length === 0
    ? null
    : chart({
        title,
        x,
        y: report.comparison.norm === "end" ? "position error at the end, m" : "position error, m",
        logX: true,
        logY: true,
        points: true,
        curves,
        note:
          "Runs that did not reach the end have no point; the table of these runs says why." +
          (curves.some(({ apart }) => apart)
            ? " Points of a solver are not joined if a smaller step cost no more than a larger one."
            : ""),
      });
}

function residuals(report) {
  const curves = report.comparison.runs
    .map((run, index) => {
      const list = run.residual_history?.residuals ?? [];
      return { name: run.spec, index: report.runs[index].ink, x: list.map((_, i) => i + 1), y: list };
    })
    .filter((curve) => curve.x.length);
  const times = report.comparison.runs
    .filter((run) => run.residual_history)
    .map((run) => `${run.spec}: step to t = ${run.residual_history.time} s`);
  return curves.length === 0
    ? null
    : chart({
        title: "Residual against iteration",
        x: "iteration",
        y: "residual reported by the solver, m/s",
        logX: true,
        logY: true,
        curves,
        note: [...new Set(times)].join("; "),
      });
}

export function figures(report) {
  return [
    work(report, "Error against work", "joint operations", (row) => row.joint_operations),
    work(report, "Error against time on one machine", "time in steps, s", (row) => row.cost?.wall_s),
    distance(report),
    ...timeCharts.map((about) => timeChart(report, about)),
    residuals(report),
  ].filter(Boolean);
}
