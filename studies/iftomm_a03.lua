-- iftomm_a03.lua: Andrews' squeezer over 0.03 s, against integrations at 40 digits
-- Source: IFToMM Technical Committee for Multibody Dynamics, Library of Computational Benchmark Problems,
-- problem A03.
-- Reference values: our own (doc/references.md); the study ivp_andrews has those of the IVP test set.
local study = require "holonom.study"

return study {
  scene = "andrews",
  solvers = { "impulse-sle", "impulse-composed:order=8", "lagrange:stepper=rk8pd,stabilisation=projection",
              "generalised-alpha", "ida:error_tolerance=1e-12" },
  steps = study.log(1e-5, 1e-4, 3), duration = 0.03,
  show = { "solver", "step", "error", "orientation_error", "drift", "velocity_drift", "operations",
           "reason" },
}
