-- ivp_andrews.lua: angles of Andrews' squeezer at 0.03 s beside the reference solution of the IVP test set
-- Source: Mazzia and Magherini, Test set for initial value problem solvers, release 2.4, 2008, problem
-- "andrews". Its 16 digits are accurate to 1e-10 of each angle (doc/references.md). scd is the number of
-- correct digits as defined by the test set: -log10 of the largest relative error of beta, theta, gamma, phi,
-- delta, omega, epsilon.
local study = require "holonom.study"
local published = { 0.1581077119629904e2, -0.1575637105984298e2, 0.4082224013073101e-1, -0.5347301163226948,
                    0.5244099658805304, 0.5347301163226948, 0.1048080741042263e1 }

local circle = 2 * math.pi

-- Returns a measure of the rotation of a body about z, over any number of turns; within half a turn at the
-- start.
local function turned(body)
  return function(t, s, last)
    local q = s:orientation(body)
    local angle = 2 * math.atan(q[4], q[1])
    return angle + circle * math.floor(((last or 0) - angle) / circle + 0.5)
  end
end

local function angles(r)
  return { r.K1, r.K2 - r.K1, r.K3, r.K4 - r.K5, r.K5, r.K6 - r.K7, r.K7 }
end

local measures = {}
for i = 1, 7 do measures["K" .. i] = turned("K" .. i) end

return study {
  scene = "andrews",
  solvers = { "impulse-sle", "impulse-composed:order=8", "lagrange:stepper=rk8pd,stabilisation=projection",
              "half-explicit", "generalised-alpha", "taylor:order=12,stabilisation=projection",
              "ida:error_tolerance=1e-12" },
  steps = 3e-5, duration = 0.03,
  measures = measures,
  results = {
    beta = function(r) return angles(r)[1] end, paper_beta = function() return published[1] end,
    gamma = function(r) return angles(r)[3] end, paper_gamma = function() return published[3] end,
    epsilon = function(r) return angles(r)[7] end, paper_epsilon = function() return published[7] end,
    scd = function(r)
      local worst = 0
      for i, angle in ipairs(angles(r)) do worst = math.max(worst, math.abs(angle / published[i] - 1)) end
      return -math.log(worst, 10)
    end,
  },
  show = { "solver", "beta", "paper_beta", "gamma", "paper_gamma", "epsilon", "paper_epsilon", "scd",
           "reason" },
}
