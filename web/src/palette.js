// palette.js - colours of solvers, equal to those of the plots (cli/base/gnuplot.c), and the theme of the
// page.

const light = [
  "#0072B2",
  "#D55E00",
  "#009E73",
  "#CC79A7",
  "#E69F00",
  "#56B4E9",
  "#000000",
  "#882255",
  "#999933",
  "#332288",
  "#8C8C8C",
];
// The same hues with dark ones lightened for a dark background.
const dark = [
  "#4AA3DF",
  "#F0803C",
  "#2BC495",
  "#E0A0C4",
  "#EBB42D",
  "#8CCBF2",
  "#F2F2F2",
  "#D0679A",
  "#C2C25A",
  "#8F80E0",
  "#A8A8A8",
];
const dashes = [null, [8, 4], [2, 3], [9, 3, 2, 3]];
export const colours = light.length; // colours of solvers; dash and symbol differ where they repeat

const preference = matchMedia("(prefers-color-scheme: dark)");
let printing = false;

export const isDark = () => preference.matches && !printing;
export const colour = (index) => (isDark() ? dark : light)[index % light.length];
export const dash = (index) => dashes[Math.floor(index / light.length) % dashes.length];
export const themed = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Calls LISTENER when colours change: with the user's preference, and to light colours for printing.
export function onTheme(listener) {
  preference.addEventListener("change", listener);
  const print = (now) => () => {
    printing = now;
    document.documentElement.classList.toggle("printing", now);
    listener(now);
  };
  addEventListener("beforeprint", print(true));
  addEventListener("afterprint", print(false));
}
