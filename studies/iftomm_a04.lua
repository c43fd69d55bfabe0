-- iftomm_a04.lua: Bricard's mechanism over 1 s, against integrations at 40 digits
-- Source: IFToMM Technical Committee for Multibody Dynamics, Library of Computational Benchmark Problems,
-- problem A04.
-- Reference values: our own (doc/references.md).
local study = require "holonom.study"

return study {
  scene = "bricard",
  solvers = { "impulse-sle:redundancy=remove", "impulse-sle:redundancy=min-norm", "impulse-gs",
              "lagrange:stepper=rk8pd,stabilisation=projection,redundancy=min-norm",
              "generalised-alpha:redundancy=min-norm" },
  steps = { 0.005, 0.0025 }, duration = 1,
  show = { "solver", "step", "error", "drift", "energy_error", "operations", "reason" },
}
