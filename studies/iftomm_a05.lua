-- iftomm_a05.lua: the stiff flyball governor over 1 s, against its reduced equations
-- Source: IFToMM Technical Committee for Multibody Dynamics, Library of Computational Benchmark Problems,
-- problem A05. The library has a plot; reference values: our own (doc/references.md).
local study = require "holonom.study"

return study {
  scene = "flyball",
  solvers = { "ida:error_tolerance=1e-8", "ida:error_tolerance=1e-10", "impulse-sle",
              "lagrange:stepper=rk8pd,stabilisation=projection",
              "taylor:order=10,adaptive=true,stabilisation=projection" },
  steps = { 1e-4, 2e-5 }, duration = 1,
  show = { "solver", "step", "error", "drift", "velocity_drift", "operations", "reason" },
}
