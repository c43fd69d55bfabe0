-- bender2006_table2.lua: time per step on trees without SLE, beside table 2 of Bender and Schmitt (2006)
-- Source: Bender and Schmitt, Fast dynamic simulation of multi-body systems using impulses, VRIPHYS 2006,
-- table 2; on a Pentium 4 of 3.4 GHz. The paper does not print the cross-sections of the bodies: section is
-- their side in m, 0 for a tenth of the length of each.
local study = require "holonom.study"

local tolerances = { "1e-2", "1e-4", "1e-6" }
local published = { -- us a step, by the number of bodies and the tolerance
  [31] = { 970, 6780, 14310 }, [63] = { 2480, 28460, 67500 }, [127] = { 6250, 87050, 228570 },
  [255] = { 15860, 246710, 703480 },
}

local solvers, column = {}, {}
for i, t in ipairs(tolerances) do
  solvers[i] = "impulse-gs:iterations=1000000,tolerance=" .. t .. ",velocity_tolerance=" .. t
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
