-- bruls2012_heavy_top.lua: errors of the heavy top in positions, velocities and joint forces, beside published slopes
-- Figures, and fitted slopes in numbers:
--   holonom sweep bruls2012_heavy_top --figure positions.pdf
--   holonom sweep bruls2012_heavy_top --figure forces.pdf --y force_error
--   holonom converge heavy_top --all --solvers variational,blie,generalised-alpha
-- Source of the problem: Bruels, Cardona and Arnold (2012), section 5; Arnold, Bruels and Cardona (2015), section 5.
-- `published` is the slope of all three errors that a paper states or draws for the method: generalised-alpha 2
-- (both papers), and in its multipliers 1 at first, without the change of the initial velocities that ours has;
-- BLieDF of k steps k (Wieloch and Arnold 2021); RATTLie 2 (Hante and Arnold 2021); Moser-Veselov 2 (Lee, Leok
-- and McClamroch 2007); the classical Runge-Kutta method 4. Errors are the largest over the motion.
local study = require "holonom.study"
local published = {
  ["generalised-alpha"] = 2, ["blie"] = 2, ["blie:order=3"] = 3, ["blie:correction=false"] = 2,
  ["variational"] = 2, ["variational:derivative=exponential"] = 2, ["lagrange:stepper=rk4"] = 4,
}

return study {
  scene = "heavy_top",
  solvers = { "generalised-alpha", "blie", "blie:correction=false", "blie:order=3", "variational",
              "variational:derivative=exponential", "lagrange:stepper=rk4" },
  steps = study.log(0.002, 0.0000625, 6), duration = 1, norm = "max",
  results = { published = function(r) return published[r.solver] end },
  show = { "solver", "step", "error", "velocity_error", "force_error", "published", "reason" },
}
