-- bruls2012_heavy_top.lua: errors of solvers on the Lie group for the heavy top, beside published slopes
-- Figures of all three errors, with the slopes of the curves; and the slopes in numbers:
--   holonom sweep bruls2012_heavy_top --output top.csv --figure top.pdf --y error,velocity_error,force_error
--   holonom plot top.csv --y force_error --output forces.pdf
--   holonom converge heavy_top --all --solvers generalised-alpha,blie,variational
-- Problem: Bruels, Cardona and Arnold, Mech. Mach. Theory 48 (2012) 121. `published` is the order that a
-- paper proves or shows for positions, velocities and multipliers of the formulation: generalised-alpha,
-- Bruels and Cardona (2010), Arnold, Bruels and Cardona (2015); BLieDF, Wieloch and Arnold (2021); RATTLie,
-- Hante and Arnold (2021); Moser-Veselov, Lee, Leok and McClamroch (2007), without multipliers; the classical
-- Runge-Kutta method, with quaternions and as Munthe-Kaas's (1998). Errors are the largest over the motion.
local study = require "holonom.study"

local published = {
  ["generalised-alpha"] = 2, ["blie"] = 2, ["blie:correction=false"] = 2, ["blie:order=3"] = 3,
  ["variational"] = 2, ["variational:derivative=exponential"] = 2, ["lagrange:stepper=rk4"] = 4,
  ["lagrange:group=rkmk"] = 4,
}

return study {
  scene = "heavy_top",
  solvers = { "generalised-alpha", "blie", "blie:correction=false", "blie:order=3", "variational",
              "variational:derivative=exponential", "lagrange:stepper=rk4", "lagrange:group=rkmk" },
  steps = study.log(0.002, 0.0000625, 6), duration = 1, norm = "max",
  results = { published = function(r) return published[r.solver] end },
  show = { "solver", "step", "error", "velocity_error", "force_error", "published", "reason" },
}
