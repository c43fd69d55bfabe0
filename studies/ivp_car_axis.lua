-- ivp_car_axis.lua: the masses of the car axis at 3 s beside the reference solution of the IVP test set
-- Source: Mazzia and Magherini, Test set for initial value problem solvers, release 2.4, 2008, problem
-- "caraxis". scd is the number of correct digits as defined by the test set: -log10 of the largest relative
-- error of the four coordinates.
local study = require "holonom.study"
local published = { xl = 0.4934557842755629e-1, yl = 0.4969894602303324, xr = 0.1041742524885400e1,
                    yr = 0.3739110272652214 }

local function coordinate(body, axis)
  return function(t, s) return s:position(body)[axis] end
end

local function of_paper(key)
  return function() return published[key] end
end

return study {
  scene = "car_axis",
  solvers = { "impulse-sle", "impulse-gs", "impulse-composed:order=8",
              "lagrange:stepper=rk8pd,stabilisation=projection", "half-explicit", "generalised-alpha",
              "taylor:order=12,stabilisation=projection",
              "ida:error_tolerance=1e-12" },
  steps = 0.002, duration = 3,
  measures = { xl = coordinate("left", 1), yl = coordinate("left", 2), xr = coordinate("right", 1),
               yr = coordinate("right", 2) },
  results = {
    paper_xl = of_paper "xl", paper_yl = of_paper "yl", paper_xr = of_paper "xr", paper_yr = of_paper "yr",
    scd = function(r)
      local worst = 0
      for _, key in ipairs { "xl", "yl", "xr", "yr" } do
        worst = math.max(worst, math.abs(r[key] / published[key] - 1))
      end
      return -math.log(worst, 10)
    end,
  },
  show = { "solver", "xl", "paper_xl", "yl", "paper_yl", "xr", "paper_xr", "yr", "paper_yr", "scd",
           "reason" },
}
