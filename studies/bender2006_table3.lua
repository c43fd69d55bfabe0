-- bender2006_table3.lua: time per step on trees with SLE, beside table 3 of Bender and Schmitt (2006)
-- Source: Bender and Schmitt, Fast dynamic simulation of multi-body systems using impulses, VRIPHYS 2006,
-- table 3; on a Pentium 4 of 3.4 GHz. The paper does not print the cross-sections of the bodies: section is
-- their side in m, 0 for a tenth of the length of each.
local study = require "holonom.study"

local tolerances = { "1e-2", "1e-4", "1e-6" }
local published = { -- us a step, by the number of bodies and the tolerance
  [31] = { 3230, 3540, 3790 }, [63] = { 7120, 7140, 7690 }, [127] = { 18780, 18950, 20090 },
  [255] = { 62060, 63210, 63610 },
}

local solvers, column = {}, {}
for i, t in ipairs(tolerances) do
  solvers[i] = "impulse-sle:first_guess=zero,tolerance=" .. t
  column[solvers[i]] = i
end

return study {
  scene = "tree",
  set = { n = { 31, 63, 127, 255 }, section = { 0, 0.1 } },
  solvers = solvers,
  steps = 1 / 30, duration = 5, reference = "none",
  results = { paper_us = function(r) return published[r.n][column[r.solver]] end },
  times = 3,
  show = { "n", "section", "solver", "us_per_step", "paper_us", "position_iterations",
           "velocity_iterations" },
}
