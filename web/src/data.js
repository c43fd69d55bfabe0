// data.js - what the command has put into the page.
import { loadMotion } from "./motion.js";

export function readReport() {
  const element = document.getElementById("report");
  return element ? JSON.parse(element.textContent) : null;
}

// The motions of all runs, and of the reference last; null where there is none. Their texts leave the page.
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
