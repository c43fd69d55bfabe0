// plots.js - live plots of energy, drift, work and time per step, and distance of lanes.
import { liveFigure } from "../charts.js";
import { el } from "../text.js";

const drawInterval = 300; // ms between two drawings: faster updates are not visible
const about = {
  energy: { title: "Energy, change", y: "J" },
  drift: { title: "Joint error", y: "largest, m or rad", logY: true },
  apart: { title: "Distance from the first lane", y: "largest of a body, m", logY: true },
  work: { title: "Work per step", y: "joint operations" },
  cost: { title: "Time per step", y: "ms" },
};

export function makePlots(state) {
  const plots = Object.entries(about).map(([name, own]) => {
    const { figure, setCurves } = liveFigure({ ...own, x: "time, s", curves: [], height: 200 });
    return { name, figure, setCurves };
  });
  const level = el(
    "button",
    {
      type: "button",
      class: "quiet",
      click: () => state.history.level(),
      title: "measure changes of energy from now on",
    },
    "Set to zero",
  );
  plots[0].figure.querySelector(".tools").prepend(level);
  const place = el("div", { class: "figures" });
  let due = false,
    there = "";

  function draw() {
    const before = performance.now();
    due = false;
    if (document.hidden || state.lanes.size === 0) return;
    const some = plots.filter(({ name }) => wanted(name, state)),
      names = some.map(({ name }) => name).join(),
      x = [...state.history.times];
    if (names !== there) place.replaceChildren(...some.map(({ figure }) => figure));
    there = names;
    for (const { name, setCurves } of some) setCurves(curves(name, state, x));
    state.script.plots = performance.now() - before;
  }

  const drawLater = () => {
    if (due) return;
    due = true;
    setTimeout(draw, drawInterval);
  };
  state.on("picture", drawLater);
  state.on("status", drawLater);
  return { element: place };
}

// Returns the curves of the measure NAME for each lane; for "apart", without the first lane.
const curves = (name, state, x) =>
  state.all.slice(name === "apart" ? 1 : 0).map(({ number }) => ({
    name: state.title(number),
    index: number - 1,
    x,
    y: state.history.lane(number).columns[name],
  }));

// True if the measure NAME exists: drift needs joints, distances need several lanes.
function wanted(name, state) {
  if (name === "drift") return state.first?.model.joints.length > 0;
  return name !== "apart" || state.lanes.size > 1;
}
