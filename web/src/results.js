// results.js - the tables of a comparison.
import { colour, colours } from "./palette.js";
import { sortable } from "./tables.js";
import { isNumber, number } from "./text.js";

const joined = (report) => report.comparison.runs.map((run, i) => ({ ...run, index: report.runs[i].ink }));
const solver = {
  title: "solver",
  words: true,
  value: (row) => row.spec,
  mark: (row) => row.index,
};
const count = (value) => (isNumber(value) ? (value < 1e6 ? String(Math.round(value)) : number(value)) : "–");
const decimal = (value) => (isNumber(value) ? value.toFixed(value < 100 ? 1 : 0) : "–");

function main(report) {
  const budget = isNumber(report.comparison.budget);
  const columns = [
    solver,
    { title: "reason", words: true, value: (row) => row.reason },
    ...(budget ? [{ title: "step", unit: "s", value: (row) => row.step }] : []),
    { title: "error", unit: "m", value: (row) => row.error },
    { title: "drift", unit: "m, rad", value: (row) => row.joint_error?.position_max },
    { title: "velocity drift", unit: "m/s, rad/s", value: (row) => row.joint_error?.velocity_max },
    {
      title: report.scene.conserves ? "energy error" : "energy, change",
      unit: "J",
      value: (row) => row.energy?.error_max,
    },
    { title: "iterations", value: (row) => row.iterations?.position_mean, text: decimal },
    { title: "joint operations", value: (row) => row.joint_operations, text: count },
    { title: "time/step", unit: "µs", value: (row) => row.cost?.us_per_step, text: decimal },
  ];
  return sortable("Solvers", columns, joined(report), `${report.scene.name} solvers`);
}

// Errors of all quantities, in the norm of the comparison.
function errors(report) {
  const rows = joined(report),
    of = (key) => (row) => row.errors?.[key],
    columns = [
      { title: "positions", unit: "m", value: of("position") },
      { title: "orientations", unit: "rad", value: of("orientation") },
      { title: "velocities", unit: "m/s, rad/s", value: of("velocity") },
      { title: "joint forces", unit: "N, N m", value: of("force") },
    ].filter(({ value }) => rows.some((row) => isNumber(value(row))));
  if (columns.length < 2) return null;
  return sortable(
    `Errors (${report.comparison.norm})`,
    [solver, ...columns],
    rows,
    `${report.scene.name} errors`,
  );
}

function contacts(report) {
  const rows = joined(report).filter((run) => run.contact);
  if (rows.length === 0) return null;
  const of = (key) => (row) => row.contact[key];
  return sortable(
    "Contacts",
    [
      solver,
      { title: "maximum per step", value: of("count_max") },
      { title: "residual of Coulomb's law", unit: "m/s", value: of("residual_max") },
      { title: "of its own law", unit: "m/s", value: of("own_residual_max") },
      { title: "penetration", unit: "m", value: of("penetration_max") },
      { title: "balance", unit: "N s", value: of("balance_max") },
      { title: "cone excess", unit: "N s", value: of("cone_excess_max") },
      { title: "energy gained", unit: "J", value: of("energy_gain_max") },
      { title: "iterations/step", value: (row) => row.iterations?.velocity_mean, text: decimal },
    ],
    rows,
    `${report.scene.name} contacts`,
  );
}

function study(report) {
  const rows = report.comparison.work_precision.map((row) => ({
    ...row,
    index: report.runs.find(({ spec }) => spec === row.spec)?.ink ?? 0,
  }));
  if (rows.length === 0) return null;
  return sortable(
    "Error against work",
    [
      solver,
      { title: "step", unit: "s", value: (row) => row.step },
      { title: "error", unit: "m", value: (row) => row.error },
      { title: "joint operations", value: (row) => row.joint_operations, text: count },
      { title: "time in steps", unit: "s", value: (row) => row.cost?.wall_s },
      { title: "reason", words: true, value: (row) => row.reason },
    ],
    rows,
    `${report.scene.name} work`,
  );
}

// Colours of solvers as custom properties of the style sheet.
export function nameColours() {
  const { style } = document.documentElement;
  for (let i = 0; i < colours; i++) style.setProperty(`--solver-file-${i}`, colour(i));
}

export const results = (report) => ({
  main: main(report),
  errors: errors(report),
  contacts: contacts(report),
  study: study(report),
});
