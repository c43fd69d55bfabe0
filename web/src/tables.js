// tables.js - tables that can be sorted by any column, by mouse or keyboard, and saved.
import { colours } from "./palette.js";
import { swatch } from "./symbols.js";
import { csv, el, fileName, isNumber, number, save } from "./text.js";

// COLUMNS: { title, unit, value(row), text(value), mark(row) }; values that are not numbers sort last.
export function sortable(caption, columns, rows, name = caption) {
  const body = el("tbody"),
    order = { column: -1, down: false };
  const heads = columns.map((column, index) => {
    const button = el(
      "button",
      { type: "button", title: "sort", click: () => sort(index) },
      column.title,
      column.unit ? el("span", { class: "unit" }, ` ${column.unit}`) : null,
      el("span", { class: "arrow", "aria-hidden": "true" }),
    );
    return el("th", { scope: "col", class: column.words ? "words" : "number", "aria-sort": "none" }, button);
  });
  const fill = (list) =>
    body.replaceChildren(
      ...list.map((row) =>
        el(
          "tr",
          {},
          columns.map((column) => cell(column, row)),
        ),
      ),
    );

  function sort(index) {
    order.down = order.column === index && !order.down;
    order.column = index;
    heads.forEach((head, i) =>
      head.setAttribute("aria-sort", i !== index ? "none" : order.down ? "descending" : "ascending"),
    );
    const { value } = columns[index];
    fill([...rows].sort((a, b) => compare(value(a), value(b), order.down ? -1 : 1)));
  }

  fill(rows);
  const download = () =>
    save(
      `${fileName(name)}.csv`,
      csv([
        columns.map(({ title, unit }) => (unit ? `${title}, ${unit}` : title)),
        ...rows.map((row) => columns.map(({ value }) => value(row))),
      ]),
    );
  return el(
    "figure",
    { class: "table" },
    el(
      "figcaption",
      {},
      el("span", {}, caption),
      el("button", { type: "button", class: "quiet", click: download }, "CSV"),
    ),
    el(
      "div",
      { class: "scroll", tabindex: "0" },
      el("table", {}, el("thead", {}, el("tr", {}, heads)), body),
    ),
  );
}

function compare(a, b, way) {
  if (isNumber(a) && isNumber(b)) return way * (a - b);
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1;
  return way * String(a ?? "").localeCompare(String(b ?? ""), "en", { numeric: true });
}

function cell(column, row) {
  const value = column.value(row),
    text = column.words ? String(value ?? "–") : (column.text ?? number)(value);
  const mark = column.mark && swatch(column.mark(row));
  mark?.style.setProperty("--ink", `var(--solver-file-${column.mark(row) % colours})`);
  return el(
    "td",
    {
      class: column.words ? `words ${column.long ? "long" : ""}` : "number",
      title: isNumber(value) ? String(value) : null,
    },
    mark ?? null,
    text,
  );
}

// A list of names and values.
export const pairs = (list) =>
  el(
    "dl",
    { class: "pairs" },
    list
      .filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([name, value]) => [
        el("dt", {}, name),
        el("dd", {}, value instanceof Node ? value : String(value)),
      ]),
  );
