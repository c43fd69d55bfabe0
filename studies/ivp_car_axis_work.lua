-- ivp_car_axis_work.lua: correct digits of the car axis against work, by solvers with step control
-- Source: Mazzia and Magherini, Test set for initial value problem solvers, release 2.4, 2008, problem
-- "caraxis": the reference solution. scd is the number of correct digits as in ivp_car_axis.
-- RADAU5 stands beside, in radau5_car_axis.csv: the code of Hairer and Wanner as in the package deSolve 1.34
-- of R, on the equations of the test set in index 3, with rtol = atol = h0 (radau5.R). An evaluation is one
-- of all equations of motion and constraints; those for derivatives are not counted. The figure:
-- holonom sweep ivp_car_axis_work --output t.csv --figure t.pdf --x evaluations --y scd --by code
local study = require "holonom.study"
local joints = 4 -- of the scene
local published = { xl = 0.4934557842755629e-1, yl = 0.4969894602303324, xr = 0.1041742524885400e1,
                    yr = 0.3739110272652214 }

local function coordinate(body, axis)
  return function(t, s) return s:position(body)[axis] end
end

-- Returns the number of a curve: the stages of radau, 8 of rk8pd, 1 of ida.
local function code(r)
  return tonumber(r.solver:match "stages=(%d)" or (r.solver:match "rk8pd" and 8 or 1))
end

-- Returns the number of evaluations, from the counts of all joints: rk8pd needs the Jacobian in each, the
-- others the constraints.
local function evaluations(r)
  return (r.solver:match "rk8pd" and r.jacobians or r.residuals) / joints
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
    evaluations = evaluations,
    scd = function(r)
      local worst = 1e-16
      for key, value in pairs(published) do worst = math.max(worst, math.abs(r[key] / value - 1)) end
      return -math.log(worst, 10)
    end,
  },
  beside = "radau5_car_axis.csv",
  show = { "solver", "scd", "evaluations", "factorisations", "reason" },
}
