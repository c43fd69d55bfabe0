-- iftomm_a02.lua: two four-bars through their singular position over 10 s, beside the closed form
-- Source: IFToMM Technical Committee for Multibody Dynamics, Library of Computational Benchmark Problems,
-- problem A02.
-- Known: the end of the first crank in closed form (doc/references.md).
local study = require "holonom.study"

local known = { [2] = { 0.32845811154081537866, 0.94451853817860096216 },
                [40] = { 0.18051222668672839010, 0.98357274058231157488 } }

return study {
  scene = "four_bars",
  set = { n = 2 }, -- values for 40 are known, too
  solvers = { "impulse-sle:redundancy=remove", "impulse-gs", "generalised-alpha:redundancy=min-norm",
              "lagrange:stepper=rk8pd,stabilisation=projection,redundancy=min-norm",
              "ida:error_tolerance=1e-8,redundancy=remove" },
  steps = 0.001, duration = 10,
  measures = { x = function(t, s) return 2 * s:position("crank0")[1] end,
               y = function(t, s) return 2 * s:position("crank0")[2] end },
  results = { known_x = function(r) return known[r.n][1] end,
              known_y = function(r) return known[r.n][2] end },
  show = { "n", "solver", "x", "known_x", "y", "known_y", "energy_error", "drift", "reason" },
}
