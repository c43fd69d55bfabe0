// sections.js - sections around the figures: facts, settings, citations, the scene, origin of the report.
import bibliography from "./solvers.bib";
import { pairs, sortable } from "./tables.js";
import { el, exact, fileName, isNumber, number, plural, save } from "./text.js";

export const section = (id, title, ...content) =>
  content.some(Boolean)
    ? el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title), content)
    : null;

export const list = (name, items) =>
  items.length
    ? el(
        "ul",
        { class: name },
        items.map((item) => el("li", {}, item)),
      )
    : null;

export function heading(report) {
  const { scene, model, comparison } = report,
    count = report.runs.length,
    one = count === 1;
  const reached = comparison.runs.filter(({ reason }) => reason === "converged").length;
  return el(
    "header",
    {},
    el("p", { class: "brand" }, "Holonom ", report.made.version),
    el("h1", {}, `${scene.name}: ${one ? report.runs[0].spec : `${count} solvers compared`}`),
    scene.summary ? el("p", { class: "lead" }, scene.summary) : null,
    pairs([
      [
        "mechanism",
        [
          plural(model.moving, "moving body", "moving bodies"),
          plural(model.njoint, "joint"),
          plural(model.nrow, "constraint row"),
          model.planar ? "in the plane" : null,
        ]
          .filter(Boolean)
          .join(", "),
      ],
      ["runs", report.setup],
      ["reached the end", `${reached} of ${count}`],
      ["most accurate", best(report)],
      [
        "errors are against",
        report.reference.text +
          (isNumber(comparison.reference?.uncertainty)
            ? `, uncertain by ${number(comparison.reference.uncertainty, 2)} m: ` +
              (report.reference.ground ?? "")
            : ""),
      ],
    ]),
  );
}

// Returns the solver with the smallest error among those that reached the end.
function best({ comparison }) {
  const when = comparison.norm === "end" ? " at the end" : "";
  const known = comparison.runs
    .filter(({ reason, error }) => reason === "converged" && isNumber(error))
    .sort((a, b) => a.error - b.error);
  return known.length > 1
    ? `${known[0].spec}: ${number(known[0].error)} m${when}, ` +
        `${number(known[0].joint_operations)} joint operations`
    : null;
}

const shown = (value) =>
  isNumber(value)
    ? exact(value)
    : Array.isArray(value)
      ? value.join(":")
      : value === ""
        ? "none"
        : String(value);

export function settings(report) {
  const { parameters } = report.scene;
  const scene = parameters.length
    ? sortable(
        "Parameters of the scene",
        [
          { title: "name", words: true, value: (row) => row.name },
          { title: "value", words: true, long: true, value: (row) => row.value },
          { title: "default", words: true, value: (row) => row.initial },
          { title: "meaning", words: true, long: true, value: (row) => row.help },
        ],
        parameters,
        `${report.scene.name} parameters`,
      )
    : null;
  return [
    scene,
    report.comparison.runs.map((run, i) => {
      const own = Object.entries(run.options?.solver ?? {}).map(([key, value]) => [key, shown(value)]);
      return el(
        "details",
        {},
        el("summary", {}, run.spec),
        report.runs[i].summary ? el("p", {}, report.runs[i].summary) : null,
        pairs([
          ["step, s", isNumber(run.step) ? exact(run.step) : null],
          ["steps", run.steps],
          ["hash", run.hash],
          ...own,
        ]),
      );
    }),
  ];
}

// Returns the names of the solvers and contact solvers used.
function used(report) {
  const names = new Set(["Holonom"]);
  report.runs.forEach(({ solver }, i) => {
    if (solver) names.add(solver);
    const contact = report.comparison.runs[i].options?.solver?.contact;
    if (contact) names.add(contact);
  });
  return names;
}

function entries(report) {
  const names = used(report),
    all = bibliography
      .split(/\n(?=@)/)
      .map((text) => ({ text: text.trim(), names: /keywords = \{(.*)\}/.exec(text)[1].split(", ") }));
  const mine = all.filter((entry) => entry.names.some((name) => names.has(name)));
  const without = report.runs.filter(
    ({ solver, citation }) => solver && citation && !all.some((entry) => entry.names.includes(solver)),
  );
  return [
    ...mine.map(({ text }) => text.replace(/license =/, `version = {${report.made.version}},\n  license =`)),
    ...[...new Map(without.map((run) => [run.solver, run])).values()].map(
      ({ solver, citation }) =>
        `@misc{${fileName(solver)},\n  note = {${citation.replace(/[{}\\]/g, "")}},\n` +
        `  keywords = {${solver}}\n}`,
    ),
  ];
}

export function citations(report) {
  const text = entries(report).join("\n\n") + "\n";
  const sources = report.runs
    .filter(({ citation }) => citation)
    .map(({ solver, citation }) => [solver, citation]);
  return [
    pairs([...new Map(sources)]),
    el(
      "details",
      { open: true },
      el("summary", {}, "BibTeX"),
      el(
        "button",
        {
          type: "button",
          class: "quiet",
          click: () => save(`${fileName(report.scene.name)}.bib`, text, "application/x-bibtex"),
        },
        "Save",
      ),
      el("pre", { tabindex: "0", id: "bibtex" }, text),
    ),
  ];
}

export const source = (report) =>
  el(
    "details",
    { open: report.scene.source.length < 6000 },
    el("summary", {}, `${report.scene.name}.lua`),
    el(
      "button",
      {
        type: "button",
        class: "quiet",
        click: () => save(`${fileName(report.scene.name)}.lua`, report.scene.source, "text/x-lua"),
      },
      "Save",
    ),
    el("pre", { tabindex: "0", id: "source" }, report.scene.source),
  );

export function made({ made: { command, version, commit, compiler, libraries, machine } }) {
  return pairs([
    ["command", el("code", {}, command)],
    ["version", commit ? `${version}, commit ${commit}` : version],
    ["compiler", compiler],
    [
      "libraries",
      Object.entries(libraries)
        .map((pair) => pair.join(" "))
        .join(", "),
    ],
    [
      "machine",
      [machine.processor, plural(machine.cores, "core"), machine.system].filter(Boolean).join(", "),
    ],
  ]);
}
