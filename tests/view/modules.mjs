// modules.mjs - tests the modules of web/src in node, without a browser; a line per verdict. Called by
// modules.sh:
//   node modules.mjs TOP DIRECTORY
// The modules are bundled into DIRECTORY, since their packages are found from web/ alone. They run with a
// substitute for the few members of the page that they use (modules_page.mjs).
import { pathToFileURL } from "node:url";
import { setPage } from "./modules_page.mjs";
import { testData } from "./modules_data.mjs";
import { testBodies } from "./modules_bodies.mjs";
import { setThree } from "./modules_corners.mjs";
import { testMagnify } from "./modules_magnify.mjs";
import { testMarks } from "./modules_marks.mjs";
import { testReport } from "./modules_report.mjs";
import { testColours, testText } from "./modules_text.mjs";
import { testView } from "./modules_view.mjs";

const [top, directory] = process.argv.slice(2);
const web = `${top}/web`;
const { build } = await import(pathToFileURL(`${web}/node_modules/esbuild/lib/main.js`));

// The modules that are tested by themselves; all others run in a report (modules_report.mjs).
const names = (
  "arrows camera contact_marks data extent ground layer magnify marks motion pack palette " +
  "playback scene3d shapes symbols text viewing"
).split(" ");

// The package three with a renderer that needs no WebGL.
const renderer = {
  name: "renderer",
  setup(bundle) {
    const own = JSON.stringify(`${top}/tests/view/modules_renderer.mjs`),
      contents = `export * from "three"; export { Renderer as WebGLRenderer } from ${own};`;
    bundle.onResolve({ filter: /^three$/ }, ({ namespace }) =>
      namespace === "renderer" ? undefined : { path: "three", namespace: "renderer" },
    );
    bundle.onLoad({ filter: /^three$/, namespace: "renderer" }, () => ({ contents, resolveDir: web }));
  },
};

// Returns the modules that the module CODE exports, bundled.
async function load(name, code) {
  const outfile = `${directory}/${name}.mjs`;
  await build({
    stdin: { contents: code, resolveDir: web },
    bundle: true,
    format: "esm",
    outfile,
    logLevel: "warning",
    loader: { ".bib": "text" },
    plugins: [renderer],
    alias: { uplot: `${top}/tests/view/modules_plot.mjs` },
  });
  return import(pathToFileURL(outfile));
}

setPage();
const modules = await load(
  "all",
  [
    'export * as THREE from "three";',
    ...names.map((name) => `export * as ${name} from "./src/${name}.js";`),
  ].join("\n"),
);
setThree(modules.THREE);
await testData(modules);
testMagnify(modules);
testText(modules);
testColours(modules, top);
testMarks(modules);
testBodies(modules);
testView(modules);
await testReport(top, () => load("report", 'import "./src/report.js";'));
