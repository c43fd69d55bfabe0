// text.js - elements, and formatted numbers.

// Returns an element: el("td", { class: "number" }, "text", child, ...). Functions become listeners, null is
// omitted. Style is an object, { "--ink": "red" }, since a content security policy forbids the attribute.
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else if (key === "style")
      for (const [name, text] of Object.entries(value)) element.style.setProperty(name, text);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

export const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

// Formats 0.00001234 as 1.23e-5, and numbers near 1 without an exponent.
export function number(value, digits = 3) {
  if (!isNumber(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) return String(value);
  if (size >= 0.1 && size < 1e5)
    return String(Number(value.toPrecision(Math.max(digits, Math.ceil(Math.log10(size))))));
  return value.toExponential(digits - 1).replace("e+", "e");
}

export const exact = (value) => (isNumber(value) ? String(value) : "–");

export function bytes(count) {
  return count < 1e6 ? `${Math.round(count / 1e3)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}

export const plural = (count, word, many = word + "s") =>
  `${count.toLocaleString("en")} ${count === 1 ? word : many}`;

// Offers TEXT as a file to save.
export function save(name, text, type = "text/csv") {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const quoted = (cell) =>
  /[",\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell ?? "");
export const csv = (rows) => rows.map((row) => row.map(quoted).join(",")).join("\n") + "\n";
export const fileName = (text) => text.replace(/[^\w.-]+/g, "_");
