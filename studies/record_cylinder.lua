-- record_cylinder.lua: record of contact laws, standing cylinder
local record = require "holonom.contact_record"
local radius, height = 0.02, 0.1

return record {
  scene = "standing_cylinder",
  step = 0.002, duration = 2,
  measures = {
    motion = function(_, s, last)
      local x, q = s:position "cylinder", s:orientation "cylinder"
      local half = math.sqrt(0.5) -- the axis of the shape, y, was turned about x by 90 degrees
      local sine = math.sqrt((q[2] - q[1]) ^ 2 / 2 + q[3] ^ 2 + q[4] ^ 2)
      local turned = 2 * math.atan(sine, math.abs(half * (q[1] + q[2])))
      local moved = math.sqrt(x[1] ^ 2 + x[2] ^ 2 + (x[3] - height / 2) ^ 2)
      return math.max(last or 0, moved + radius * turned)
    end,
  },
  cases = { { measure = "motion", title = "largest motion in 2 s, m", exact = function() return 0 end } },
  page = { title = "Standing cylinder", text = {
      "Seen: a cylinder of radius 20 mm stands on its end. In some engines it creeps, rocks or " ..
      "turns.",
      "Why: a round face has no corners. Where its contact points are searched for anew in every " ..
      "step, they travel along the rim, and friction is posed at other points each time.",
      "Closed form: it rests. The measure is the largest displacement of its centre, plus the " ..
      "radius times the angle of its rotation.",
    }, asked = { "Genesis-Embodied-AI/Genesis#3245" } },
}
