// modules_plot.mjs - a substitute for uPlot that records what a chart requests of it.
export default class Plot {
  static pxRatio = 1;
  constructor(options, data) {
    Object.assign(this, { options, data });
  }
  destroy() {}
  setSeries() {}
  setData(data) {
    this.data = data;
  }

  // Returns the table of all curves at the union of their abscissas.
  static join(tables) {
    const all = [...new Set(tables.flatMap(([x]) => x))].sort((a, b) => a - b);
    return [
      all,
      ...tables.map(([x, y]) => all.map((value) => (x.includes(value) ? y[x.indexOf(value)] : null))),
    ];
  }
}
