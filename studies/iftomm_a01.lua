-- iftomm_a01.lua: the simple pendulum over 2000 s, beside its closed form
-- Source: IFToMM Technical Committee for Multibody Dynamics, Library of Computational Benchmark Problems,
-- problem A01.
-- Known: Jacobi's functions (doc/references.md).
local study = require "holonom.study"

return study {
  scene = "pendulum",
  set = { side = -1 },
  solvers = { "impulse-sle", "impulse-composed:order=8", "lagrange:stepper=rk8pd,stabilisation=projection",
              "taylor:order=12,stabilisation=projection", "generalised-alpha" },
  steps = 0.01, duration = 2000,
  measures = { x = function(t, s) return s:position("bob")[1] end,
               y = function(t, s) return s:position("bob")[2] end },
  results = { known_x = function() return 0.81460306858903215212 end,
              known_y = function() return -0.58001882783693546159 end },
  show = { "solver", "x", "known_x", "y", "known_y", "error", "energy_error", "drift", "reason" },
}
