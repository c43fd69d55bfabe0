-- iftomm_a02.lua: two four-bars through their singular position over 10 s, beside the closed form
-- Source: IFToMM Technical Committee for Multibody Dynamics, Library of Computational Benchmark Problems,
-- problem A02.
-- Known: the end of the first crank in closed form (doc/references.md).
-- Formulations to take: augmented, which makes no decision on the rank; half-explicit, the most accurate
-- here; taylor up to order 6 and lagrange with rk4, both with projection. Others stop at a singular position,
-- with that reason, or pass it by chance (doc/mechanisms.md, section 4). The energy error of A02 is 1e-3 J.
local study = require "holonom.study"

local known = { [2] = { 0.32845811154081537866, 0.94451853817860096216 },
                [40] = { 0.18051222668672839010, 0.98357274058231157488 } }

return study {
  scene = "four_bars",
  set = { n = 2 }, -- values for 40 are known, too
  solvers = { "augmented", "half-explicit:redundancy=remove", "half-explicit:redundancy=min-norm",
              "impulse-sle:redundancy=remove", "impulse-sle:redundancy=min-norm",
              "impulse-sle:redundancy=loop-split", "impulse-gs", "generalised-alpha:redundancy=remove",
              "generalised-alpha:redundancy=min-norm", "penalty",
              "lagrange:stepper=rk4,stabilisation=projection,redundancy=remove",
              "lagrange:stepper=rk8pd,stabilisation=projection,redundancy=remove",
              "lagrange:stepper=rk8pd,stabilisation=projection,redundancy=min-norm",
              "lagrange:stepper=rk8pd,stabilisation=projection,redundancy=loop-split",
              "taylor:order=6,stabilisation=projection,redundancy=remove",
              "taylor:order=12,stabilisation=projection,redundancy=remove",
              "impulse-composed:redundancy=remove",
              "ida:error_tolerance=1e-8,redundancy=remove" },
  steps = 0.001, duration = 10,
  measures = { x = function(t, s) return 2 * s:position("crank0")[1] end,
               y = function(t, s) return 2 * s:position("crank0")[2] end },
  results = { known_x = function(r) return known[r.n][1] end,
              known_y = function(r) return known[r.n][2] end },
  show = { "n", "solver", "x", "known_x", "y", "known_y", "energy_error", "drift", "reason" },
}
