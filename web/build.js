// build.js - bundles page.html, style.css and src/ to dist/report.html, one file that needs no other.
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
const code = await bundle("src/main.js", {
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "eof",
  loader: { ".bib": "text" },
});
const style = await bundle("src/style.css", {});
const page = await readFile("src/page.html", "utf8");
await mkdir("dist", { recursive: true });
await writeFile(
  "dist/report.html.part",
  page.replace("/* style */", () => style).replace("/* code */", () => code.replaceAll("</script", "<\\/script")),
);
await rename("dist/report.html.part", "dist/report.html");
