// data.js - data that the command has embedded in the page.
import { loadMotion } from "./motion.js";

export function readReport() {
  const element = document.getElementById("report");
  return element ? JSON.parse(element.textContent) : null;
}

// Returns the motions of all runs, the reference last; null for a missing one. Removes their encoded text
// from the page.
export async function readMotions(report) {
  const owners = [...report.runs, report.reference];
  return Promise.all(
    owners.map(async (owner) => {
      const element = owner.frames && document.getElementById(owner.frames.id);
      if (!element) return null;
      const motion = await loadMotion(owner.frames, element.textContent);
      element.remove();
      return motion;
    }),
  );
}
