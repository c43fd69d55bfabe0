// build.js - bundles the two pages. The report (page.html, style.css and report.js of src/) becomes the
// single file dist/report.html. The live page (page.html with live.css and live.js of src/live/) becomes
// dist/live.html, live.js and live.css, since its server allows nothing inline.
import { build } from "esbuild";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";

const bundle = async (entry, more) => {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    logLevel: "warning",
    ...more,
  });
  return result.outputFiles[0].text;
};
const script = (entry) =>
  bundle(entry, {
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "eof",
    loader: { ".bib": "text" },
  });
const put = async (name, text) => {
  await writeFile(`dist/${name}.part`, text);
  await rename(`dist/${name}.part`, `dist/${name}`);
};

// The page with its style and its code. (No pattern of "replace" is looked for in them.)
const page = await readFile("src/page.html", "utf8");
const furnish = (style, code) =>
  page.replace("<!-- style -->", () => style).replace("<!-- code -->", () => code);

await mkdir("dist", { recursive: true });
const [code, style] = [await script("src/report.js"), await bundle("src/style.css")];
await put(
  "report.html",
  furnish(
    `<style>${style}</style>`,
    `<!-- the data of the report -->\n<script>${code.replaceAll("</script", "<\\/script")}</script>`,
  ),
);
await put("live.js", await script("src/live/live.js"));
await put("live.css", await bundle("src/live/live.css"));
await put("live.html", furnish('<link rel="stylesheet" href="live.css">', '<script src="live.js"></script>'));
