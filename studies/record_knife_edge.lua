-- record_knife_edge.lua: record of contact laws, knife edge: a cube on its edge
local record = require "holonom.contact_record"
local g, side = 9.81, 1
local lambda = math.sqrt(g * side / math.sqrt(2) / (side ^ 2 * 2 / 3)) -- 1/s: rate of growth
local start

-- Returns the angle of the cube out of balance.
local function tilt(s)
  local q = s:orientation "cube"
  return 2 * math.atan(q[3], q[1]) - math.pi / 4
end

return record {
  scene = "balanced_cube",
  set = { tilt = { 1e-6, 0 } },
  step = 0.002, duration = 1,
  measures = {
    angle = function(_, s) return tilt(s) end,
    growth = function(t, s)
      local angle = tilt(s)
      start = start or angle
      if t == 0 or start == 0 then return 0 end
      local x = angle / start
      return x >= 1 and math.log(x + math.sqrt(x * x - 1)) / t or 0
    end,
  },
  cases = {
    { measure = "growth", title = "rate at which it falls, 1/s", exact = function() return lambda end,
      only = function(r) return r.tilt > 0 end },
    { measure = "angle", title = "angle after 1 s, rad", exact = function() return 0 end,
      only = function(r) return r.tilt == 0 end },
  },
  page = { title = "Knife edge", text = {
      "Seen: a cube of 1 m stands on its edge. Out of balance by 1e-6 rad it falls too soon or too " ..
      "late, or is held; in exact balance it falls by itself.",
      "Why: what disturbs the balance grows by e^(lambda t): contacts that are found or solved " ..
      "without symmetry, penetration that is corrected unevenly, and artificial damping change the " ..
      "time of the fall.",
      "Closed form: about the edge, which sticks, tilt cosh(lambda t) with lambda^2 = m g l / J, l " ..
      "half the diagonal, J = 2/3 m side^2; nonlinear terms are below 3e-11 of it. In exact balance " ..
      "the angle remains 0.",
    }, asked = { "dimforge/rapier#934" } },
}
