-- ivp_andrews_work.lua: correct digits of Andrews' squeezer against work, by solvers with step control
-- Source: Mazzia and Magherini, Test set for initial value problem solvers, release 2.4, 2008, problem
-- "andrews": the reference solution. scd is the number of correct digits as in ivp_andrews.
-- RADAU5 stands beside, in radau5_andrews.csv: the code of Hairer and Wanner as in the package deSolve 1.34
-- of R, on the equations of the test set in index 3, with rtol = atol = h0 (radau5.R). An evaluation is one
-- of all equations of motion and constraints; those for derivatives are not counted. The figure:
-- holonom sweep ivp_andrews_work --output t.csv --figure t.pdf --x evaluations --y scd --by code
local study = require "holonom.study"
local joints = 10 -- of the scene
local published = { 0.1581077119629904e2, -0.1575637105984298e2, 0.4082224013073101e-1, -0.5347301163226948,
                    0.5244099658805304, 0.5347301163226948, 0.1048080741042263e1 }

local circle = 2 * math.pi

-- Returns a measure of the rotation of a body about z. K1 makes 2.5 turns, of which one long step shows
-- none: they are added from the reference.
local function turned(body)
  return function(t, s)
    local q = s:orientation(body)
    return 2 * math.atan(q[4], q[1])
  end
end

local function angles(r)
  return { r.K1, r.K2 - r.K1, r.K3, r.K4 - r.K5, r.K5, r.K6 - r.K7, r.K7 }
end

local measures = {}
for i = 1, 7 do measures["K" .. i] = turned("K" .. i) end

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
  scene = "andrews",
  solvers = { "radau:stages=3,adaptive=true", "radau:stages=5,adaptive=true", "radau:stages=7,adaptive=true",
              "ida", "lagrange:stepper=rk8pd,stabilisation=projection,adaptive=true" },
  vary = { error_tolerance = study.log(1e-4, 1e-11, 8) },
  steps = 0.03, duration = 0.03, reference = "none",
  measures = measures,
  results = {
    code = code,
    evaluations = evaluations,
    scd = function(r)
      local worst = 1e-16
      for i, angle in ipairs(angles(r)) do
        local off = angle - published[i]
        off = off - circle * math.floor(off / circle + 0.5)
        worst = math.max(worst, math.abs(off / published[i]))
      end
      return -math.log(worst, 10)
    end,
  },
  beside = "radau5_andrews.csv",
  show = { "solver", "scd", "evaluations", "factorisations", "reason" },
}
