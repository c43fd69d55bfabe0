-- bender2006_table1.lua: time and iterations per step, tree of 127 bodies, beside Bender and Schmitt (2006)
-- Source: Bender and Schmitt, Fast dynamic simulation of multi-body systems using impulses, VRIPHYS 2006,
-- table 1; on a Pentium 4 of 3.4 GHz. The paper does not print the cross-sections of the bodies: section is
-- their side in m, 0 for a tenth of the length of each.
local study = require "holonom.study"

local without, with = "impulse-gs:tolerance=1e-6,velocity_tolerance=1e-6,iterations=1000000",
                      "impulse-sle:first_guess=zero,tolerance=1e-6"
local published = { [without] = { us = 228570, jc = 518.15, vc = 745.54 },
                    [with] = { us = 20090, jc = 2, vc = 1 } }

local function of_paper(key)
  return function(r) return published[r.solver][key] end
end

return study {
  scene = "tree",
  set = { n = 127, section = { 0, 0.1 } },
  solvers = { without, with },
  steps = 1 / 30, duration = 5, reference = "none",
  results = { paper_us = of_paper "us", paper_jc = of_paper "jc", paper_vc = of_paper "vc" },
  times = 3,
  show = { "section", "solver", "us_per_step", "paper_us", "position_iterations", "paper_jc",
           "velocity_iterations", "paper_vc" },
}
