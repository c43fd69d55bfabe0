-- ivp_car_axis_work.lua: correct digits of the car axis against work, by solvers with step control
-- Source: Mazzia and Magherini, Test set for initial value problem solvers, release 2.4, 2008, problem
-- "caraxis": the reference solution. scd is the number of correct digits as in ivp_car_axis. The test set has
-- such diagrams of RADAU5 and other codes, over processor time on a machine of 2006; ours are over joint
-- operations. The figure:
-- holonom sweep ivp_car_axis_work --output t.csv --figure t.pdf --x operations --y scd --by code
local study = require "holonom.study"
local published = { xl = 0.4934557842755629e-1, yl = 0.4969894602303324, xr = 0.1041742524885400e1,
                    yr = 0.3739110272652214 }

local function coordinate(body, axis)
  return function(t, s) return s:position(body)[axis] end
end

-- Returns the number of a curve: the stages of radau, 8 of rk8pd, 1 of ida.
local function code(r)
  return tonumber(r.solver:match "stages=(%d)" or (r.solver:match "rk8pd" and 8 or 1))
end

return study {
  scene = "car_axis",
  solvers = { "radau:stages=3,adaptive=true", "radau:stages=5,adaptive=true", "radau:stages=7,adaptive=true",
              "ida", "lagrange:stepper=rk8pd,stabilisation=projection,adaptive=true" },
  vary = { error_tolerance = study.log(1e-4, 1e-11, 8) },
  steps = 3, duration = 3, reference = "none",
  measures = { xl = coordinate("left", 1), yl = coordinate("left", 2), xr = coordinate("right", 1),
               yr = coordinate("right", 2) },
  results = {
    code = code,
    scd = function(r)
      local worst = 1e-16
      for key, value in pairs(published) do worst = math.max(worst, math.abs(r[key] / value - 1)) end
      return -math.log(worst, 10)
    end,
  },
  show = { "solver", "scd", "operations", "factorisations", "reason" },
}
