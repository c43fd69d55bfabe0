-- bender2006_star.lua: a star of 127 bodies, beside the ratio of Bender and Schmitt (2006)
-- Source: Bender and Schmitt, Fast dynamic simulation of multi-body systems using impulses, VRIPHYS 2006,
-- section 5; on a Pentium 4 of 3.4 GHz. The paper does not print the cross-sections of the bodies: section is
-- their side in m, 0 for a tenth of the length of each. Our ratio is time_ratio, beside paper_ratio: ours
-- keeps the root as an unknown (linear=ldl), so that a star costs what a tree costs.
local study = require "holonom.study"

-- The paper reports only that the solver with SLE was almost 80 times faster.
local without, with = "impulse-gs:tolerance=1e-4,velocity_tolerance=1e-4,iterations=1000000",
                      "impulse-sle:first_guess=zero,tolerance=1e-4"
local ratio = { [without] = 80, [with] = 1 }

return study {
  scene = "star",
  set = { n = 127, section = { 0, 0.1 } },
  solvers = { without, with },
  steps = 1 / 30, duration = 0.2, reference = "none",
  results = { paper_ratio = function(r) return ratio[r.solver] end },
  times = 3,
  show = { "section", "solver", "us_per_step", "time_ratio", "paper_ratio", "position_iterations",
           "velocity_iterations" },
}
