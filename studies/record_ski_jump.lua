-- record_ski_jump.lua: record of contact laws, ski jump: a cube launched along the level
local record = require "holonom.record"
local speed, mu, g, half = 6, 0.5, 9.81, 0.05

return record {
  scene = "ski_jump",
  step = 0.002, duration = 1.5,
  measures = {
    lift = function(_, s, last) return math.max(last or 0, s:position "cube"[3] - half) end,
    stop = function(_, s) return s:position "cube"[1] end,
  },
  cases = {
    { measure = "lift", title = "lift, m", exact = function() return 0 end },
    { measure = "stop", title = "stopping distance, m", exact = function() return speed ^ 2 / (2 * mu * g) end },
  },
  page = { title = "Ski jump", text = { "x" },
           asked = { "Genesis-Embodied-AI/Genesis#3115", "Genesis-Embodied-AI/Genesis#3126" } },
}
