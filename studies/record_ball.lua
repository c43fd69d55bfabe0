-- record_ball.lua: record of contact laws, elastic ball: 100 bounces
local record = require "holonom.contact_record"
local height, r, g = 0.05, 0.1, 9.81

return record {
  scene = "elastic_ball",
  step = 0.002, duration = 20.2,
  measures = {
    energy = function(_, s)
      return s:velocity "ball"[3] ^ 2 / 2 + g * (s:position "ball"[3] - r)
    end,
  },
  cases = {
    { measure = "energy", title = "energy after 100 bounces, J", exact = function() return g * height end },
  },
  page = { title = "Elastic ball", text = {
      "Seen: a ball with restitution 1 falls from 0.05 m and bounces 100 times. In most engines it " ..
      "loses height or gains it.",
      "Why: an impact that is found within a step, but placed at its end, misplaces the work of " ..
      "gravity of a part of a step; correcting the penetration adds to it, and the errors of 100 " ..
      "impacts accumulate.",
      "Closed form: the energy of 0.4905 J is constant.",
    },
           asked = { "jrouwe/JoltPhysics#1286", "bulletphysics/bullet3#1530",
                     "erincatto/box2d#167", "godotengine/godot#38732" } },
}
