-- record_knife_edge.lua: record of contact laws, knife edge: a cube on its edge
local record = require "holonom.record"
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
  page = { title = "Knife edge", text = { "x" }, asked = { "dimforge/rapier#934" } },
}
