// modules_text.mjs - numbers and tables as text; colours and symbols of solvers.
import { readFileSync } from "node:fs";
import { page } from "./modules_page.mjs";
import { distance, equal, lab, least, near } from "./modules_support.mjs";

// Returns the cells of comma-separated text: quotes enclose cells, and are doubled inside.
export function parsed(text) {
  const rows = [[""]];
  let inside = false;
  for (const c of text.slice(0, -1).replaceAll('""', "\0")) {
    if (c === '"') inside = !inside;
    else if (c === "," && !inside) rows.at(-1).push("");
    else if (c === "\n" && !inside) rows.push([""]);
    else rows.at(-1).push(rows.at(-1).pop() + (c === "\0" ? '"' : c));
  }
  return rows;
}

export function testText({ text }) {
  let worst = 0,
    longest = 0;
  for (let e = -30; e <= 30; e++)
    for (const m of [1.2345, -3.4567, 9.8765]) {
      const written = text.number(m * 10 ** e);
      worst = Math.max(worst, Math.abs(Number(written) / (m * 10 ** e) - 1));
      longest = Math.max(longest, written.length);
    }
  near("text: numbers have three digits", worst, 5e-3);
  near("text: numbers are short", longest, 9);
  equal(
    "text: numbers of all kinds",
    [0.00001234, 0, 12, 3e7, NaN, undefined].map((x) => text.number(x)),
    ["1.23e-5", "0", "12", "3.00e7", "–", "–"],
  );
  const table = [["solver", "a,b"], ['a "quoted" name', "1.5"], ["two\nlines", "x"]]; // prettier-ignore
  equal("text: cells with commas, quotes and line ends are quoted", parsed(text.csv(table)), table);
  equal("text: names of files", text.fileName("a b/c:d.e-f"), "a_b_c_d.e-f");
  equal(
    "text: counts",
    [text.plural(1, "body", "bodies"), text.plural(1200, "joint")],
    ["1 body", "1,200 joints"],
  );
}

export function testColours({ palette, symbols }, top) {
  const count = palette.colours,
    source = readFileSync(`${top}/cli/base/gnuplot.c`, "utf8"),
    plotted = /cli_colour\[CLI_COLOURS\] = \{([^}]*)\}/.exec(source)[1].match(/#[0-9A-F]{6}/g);
  const all = () => Array.from({ length: count }, (_, i) => palette.colour(i));
  const light = all();
  equal("palette: the colours are those of the plots", light, plotted);
  page.dark = true;
  const dark = all();
  page.dark = false;
  for (const [name, colours, bound] of [
    ["light", light, 20],
    ["dark", dark, 14],
  ]) {
    // prettier-ignore
    let closest = Infinity;
    colours.forEach((a, i) =>
      colours.slice(0, i).forEach((b) => (closest = Math.min(closest, distance(lab(a), lab(b))))),
    );
    least(`palette: ${name}: distance of colours in CIE Lab`, closest, bound);
  }
  const dashes = Array.from({ length: 4 }, (_, i) => String(palette.dash(i * count + 3)));
  equal(
    "palette: a solid line first",
    [0, count - 1].map((i) => palette.dash(i)),
    [null, null],
  );
  equal("palette: lines of repeated colours differ in dash", new Set(dashes).size, 4);

  const outline = (i) => {
    const [sign] = symbols.swatch(i).children;
    return sign.attributes.points ?? sign.name;
  };
  const hollow = (i) => symbols.swatch(i).children[0].attributes.class === "hollow";
  equal("symbols: five shapes", new Set([0, 1, 2, 3, 4].map(outline)).size, 5);
  const signs = Array.from(
    { length: 2 * count },
    (_, i) => `${palette.colour(i)} ${outline(i)} ${palette.dash(i)}`,
  );
  equal("symbols: no two solvers look alike", new Set(signs).size, 2 * count);
  equal(
    "symbols: hollow where the colours repeat",
    Array.from({ length: 3 * count }, (_, i) => hollow(i)),
    Array.from({ length: 3 * count }, (_, i) => i >= count && i < 2 * count),
  );
}
