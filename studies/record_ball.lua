-- record_ball.lua: record of contact laws, elastic ball: 100 bounces
local record = require "holonom.record"
local height, r, g = 0.05, 0.1, 9.81

return record {
  scene = "elastic_ball",
  step = 0.002, duration = 20.2,
  measures = {
    energy = function(_, s)
      return s:velocity "ball"[3] ^ 2 / 2 + g * (s:position "ball"[3] - r)
    end,
  },
  cases = { { measure = "energy", title = "energy after 100 bounces, J", exact = function() return g * height end } },
  page = { title = "Elastic ball", text = { "x" },
           asked = { "jrouwe/JoltPhysics#1286", "bulletphysics/bullet3#1530", "erincatto/box2d#167", "godotengine/godot#38732" } },
}
