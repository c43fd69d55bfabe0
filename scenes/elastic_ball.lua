-- elastic_ball.lua: an elastic ball, 100 bounces (the record of contact laws: elastic ball)
-- Stresses: restitution 1. A solver that finds the impact late, or corrects penetration, changes the energy.
-- Source: Jolt issue 1286, Bullet issue 1530, Box2D issue 167, Godot issue 38732.
-- Reference: closed form: parabolas between impacts; the energy is constant.
local scene = require "holonom.scene"
local height = scene.param("height", 0.05, "of the fall, m")
local g, r = 9.81, 0.1
local fall = math.sqrt(2 * height / g) -- s
local sys = scene.system { gravity = { 0, 0, -g } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } },
           material = "floor" }
sys:body { name = "ball", mass = 1, shape = scene.sphere { radius = r }, position = { 0, 0, r + height },
           material = "ball" }
sys:material_pair { "floor", "ball", restitution = 1, friction = 0 }
sys:contact { margin = 0.02, threshold = 1e-3 }
sys:reference(function(t)
  local since = (t + fall) % (2 * fall) -- after an impact
  return { ball = { position = { 0, 0, r + g * since * (2 * fall - since) / 2 },
                    velocity = { 0, 0, g * (fall - since) } } }
end)
-- Bounds: the accuracy of the instants of impact, times the number of bounces.
sys:expect { solver = "events", duration = 2, error = 1e-10 }
sys:expect { solver = "events", error = 1e-9 }
sys:defaults { solver = "events", step = 0.002, duration = 20.2 }
return sys
