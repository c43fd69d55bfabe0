-- record_ski_jump.lua: record of contact laws, ski jump: a cube launched along the level
local record = require "holonom.contact_record"
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
    { measure = "stop", title = "stopping distance, m",
      exact = function() return speed ^ 2 / (2 * mu * g) end },
  },
  page = { title = "Ski jump", text = {
      "Seen: the same cube is launched at 6 m/s along a level floor. In some engines it takes off.",
      "Why: convex relaxations of Coulomb's law ask for a normal velocity of mu times the slip " ..
      "speed at a sliding contact: 3 m/s at the first instant. Solvers of Coulomb's law itself keep " ..
      "the cube on the floor.",
      "Closed form: the lift is 0, and the cube stops after v^2 / (2 mu g) = 3.6697 m. First-order " ..
      "time stepping with the velocity at the end of the step falls short by v h / 2, which is the " ..
      "error of time.",
    },
           asked = { "Genesis-Embodied-AI/Genesis#3115", "Genesis-Embodied-AI/Genesis#3126" } },
}
