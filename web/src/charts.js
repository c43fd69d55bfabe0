// charts.js - curves that can be toggled, read, zoomed and saved: uPlot with a legend of buttons.
import uPlot from "uplot";
import { colour, dash, onTheme, themed } from "./palette.js";
import { pointsOf, swatch } from "./symbols.js";
import { csv, el, fileName, isNumber, number, save } from "./text.js";

const charts = [];
const print = 660; // px: the width on paper

// Returns the figure of CHART: { title, note, x, y: titles of axes, logX, logY, points, curves: [{ name,
// index, x, y, apart: points are not joined }], height, px }.
export const chart = (about) => liveFigure(about).figure;

// Returns the figure of CHART and setCurves(curves), which replaces the curves. If names and colours are
// unchanged, only the numbers are updated.
export function liveFigure({ title, note, x, y, logX, logY, points, curves, height = 300 }) {
  const place = el("div", { class: "plot" }),
    keys = el("div", { class: "keys", role: "group", "aria-label": "curves" }),
    readout = el("span", { class: "readout", "aria-live": "off" });
  const state = { plot: null, width: 0, zoomed: false };
  let data, shown, buttons;

  function setCurves(others) {
    const same =
      data && others.length === curves.length && others.every((curve, i) => alike(curve, curves[i]));
    curves = others;
    data = joined(curves, logY);
    if (same) return state.plot?.setData(data, !state.zoomed);
    shown = curves.map(() => true);
    buttons = curves.map(button);
    keys.replaceChildren(...buttons);
    draw();
  }

  const button = (curve, i) =>
    el(
      "button",
      { type: "button", class: "key", "aria-pressed": "true", click: () => toggle(i) },
      swatch(curve.index, true),
      curve.name,
    );

  function toggle(i) {
    shown[i] = !shown[i];
    buttons[i].setAttribute("aria-pressed", String(shown[i]));
    state.plot.setSeries(i + 1, { show: shown[i] });
  }

  function draw() {
    const width = document.documentElement.classList.contains("printing")
      ? Math.min(print, place.clientWidth || print)
      : place.clientWidth;
    if (!width) return;
    state.plot?.destroy();
    readout.textContent = "";
    state.width = width;
    buttons.forEach((button, i) => button.style.setProperty("--ink", colour(curves[i].index)));
    state.plot = new uPlot(optionsOf(width), data, place);
  }

  function optionsOf(width) {
    return {
      width,
      height,
      legend: { show: false },
      cursor: { focus: { prox: 24 }, points: { size: 7 } },
      focus: { alpha: 0.35 },
      scales: { x: { time: false, distr: logX ? 3 : 1 }, y: logY ? { distr: 3 } : {} },
      axes: [axis(x, logX, 28), axis(y, logY, logY ? 52 : 66)],
      series: [
        {},
        ...curves.map((curve, i) => ({
          label: curve.name,
          stroke: colour(curve.index),
          dash: dash(curve.index),
          width: 1.6,
          show: shown[i],
          spanGaps: true,
          paths: curve.apart ? () => null : undefined,
          points: pointsOf(
            curve.index,
            colour(curve.index),
            themed("--paper"),
            Boolean(points) || curve.y.filter(isNumber).length === 1, // a line needs two
          ),
        })),
      ],
      hooks: { setCursor: [(u) => read(u)], setSelect: [(u) => (state.zoomed = u.select.width > 0)] },
    };
  }

  function read(u) {
    const { idx } = u.cursor,
      i = u.series.findIndex((series, k) => k > 0 && series._focus && series.show);
    if (idx === null || idx === undefined) return (readout.textContent = "");
    const values = curves
      .map((curve, k) => [curve.name, u.data[k + 1][idx], shown[k]])
      .filter(([, value, on]) => on && isNumber(value));
    const one = i > 0 ? values.filter(([name]) => name === curves[i - 1].name) : values.slice(0, 3);
    readout.textContent =
      `${number(u.data[0][idx], 4)}: ` +
      one.map(([name, value]) => `${name} ${number(value)}`).join(", ") +
      (i <= 0 && values.length > 3 ? " …" : "");
  }

  const table = () => [
    ["curve", x, y],
    ...curves.flatMap((curve) => curve.x.map((value, i) => [curve.name, value, curve.y[i]])),
  ];
  const whole = () => {
    state.zoomed = false;
    state.plot?.setData(data);
  };
  place.addEventListener("dblclick", whole);
  const figure = el(
    "figure",
    { class: "chart" },
    el(
      "figcaption",
      {},
      el("span", {}, title),
      el(
        "span",
        { class: "tools" },
        el("button", { type: "button", class: "quiet", click: whole }, "Whole"),
        el(
          "button",
          { type: "button", class: "quiet", click: () => save(`${fileName(title)}.csv`, csv(table())) },
          "CSV",
        ),
      ),
    ),
    place,
    readout,
    keys,
    note ? el("p", { class: "note" }, note) : null,
  );
  figure.shown = { curves: () => curves, plot: () => state.plot }; // for scripts and tests
  setCurves(curves);
  charts.push(draw);
  new ResizeObserver(() => place.clientWidth && place.clientWidth !== state.width && draw()).observe(place);
  return { figure, setCurves };
}

const alike = (a, b) => a.name === b.name && a.index === b.index;

// Returns a table of all curves at the union of their abscissas.
function joined(curves, logY) {
  const least = logY ? decadeBelow(curves.flatMap((curve) => curve.y)) : null;
  const raise = (value) => (logY && isNumber(value) ? Math.max(value, least) : value);
  const tables = curves.map(({ x, y }) => [x, y.map(raise)]);
  if (curves.length && curves.every(({ x }) => x === curves[0].x))
    return [curves[0].x, ...tables.map(([, raised]) => raised)];
  return tables.length ? uPlot.join(tables) : [[]];
}

onTheme(() => {
  for (const draw of charts) draw();
});

// Returns an axis titled LABEL, with SIZE px for its numbers.
function axis(label, log, size) {
  const filter = log ? decades : (u, splits) => splits,
    lines = { stroke: themed("--rule"), width: 1, filter },
    font = "12px system-ui, sans-serif";
  return {
    label,
    size,
    labelSize: 22,
    labelGap: 0,
    stroke: themed("--soft"),
    grid: lines,
    ticks: lines,
    filter,
    font,
    labelFont: font,
    values: (u, list) => list.map(tick(log)),
  };
}

// Grid lines, ticks and numbers at whole powers of ten only; at every second or third one if there are many.
function decades(u, splits) {
  const whole = splits.map((value) => isDecade(value)),
    every = Math.ceil(whole.filter(Boolean).length / 9);
  return splits.map((value, i) => (whole[i] && Math.round(Math.log10(value)) % every === 0 ? value : null));
}

const isDecade = (value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;

const tick = (log) => (value) => {
  if (value === null || value === undefined) return "";
  if (!log) return number(value).replace(/\.?0+e/, "e");
  return isDecade(value) ? power(Math.round(Math.log10(value))) : "";
};

const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const power = (exponent) =>
  `10${exponent < 0 ? "⁻" : ""}${[...String(Math.abs(exponent))].map((digit) => digits[digit]).join("")}`;

// Returns the value at which zeros and smaller values are drawn.
function decadeBelow(values) {
  const least = values.reduce((low, value) => (value > 0 ? Math.min(low, value) : low), Infinity);
  return Number.isFinite(least) ? Math.max(1e-18, 10 ** Math.floor(Math.log10(least))) : 1e-18;
}
