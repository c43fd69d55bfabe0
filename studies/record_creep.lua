-- record_creep.lua: record of contact laws, creep: a cube that friction holds on a slope
local record = require "holonom.record"

return record {
  scene = "creep",
  step = 0.002, duration = 10,
  measures = {
    slip = function(_, s)
      local x = s:position "cube"
      return math.sqrt(x[1] ^ 2 + x[2] ^ 2)
    end,
  },
  cases = { { measure = "slip", title = "slip after 10 s, m", exact = function() return 0 end } },
  page = {
    title = "Creep",
    text = { "x" },
    asked = { "google-deepmind/mujoco#3328", "google-deepmind/mujoco#3349", "newton-physics/newton#943" },
  },
}
