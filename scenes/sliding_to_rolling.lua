-- sliding_to_rolling.lua: a ball thrown along the floor without spin slides, until it rolls
-- Stresses: the change from sliding to sticking of one contact, which happens within a step, and friction that then is
-- zero although the ball still moves.
-- Source: classical. Reference: closed form; friction mu m g until v0 - mu g t = omega r, at t = 2 v0 / (7 mu g), where v
-- = 5 v0 / 7, which it keeps.
local scene = require "holonom.scene"
local v0 = scene.param("speed", 2.0, "at the start, m/s")
local mu = scene.param("friction", 0.2, "with the floor")
local g, r, m = 9.81, 0.1, 1.0
local sys = scene.system { gravity = { 0, 0, -g } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } },
           friction = mu }
sys:body { name = "ball", mass = m, shape = scene.sphere { radius = r }, position = { 0, 0, r }, velocity = { v0, 0, 0 },
           friction = mu }
sys:contact { margin = 0.01 }
sys:reference(function(t)
  local slid = math.min(t, 2 * v0 / (7 * mu * g))
  local x, v = v0 * slid - mu * g * slid ^ 2 / 2, v0 - mu * g * slid
  return { ball = { position = { x + v * (t - slid), 0, r }, velocity = { v, 0, 0 },
                    angular_velocity = { 0, 2.5 * mu * g * slid / r, 0 } } }
end)
-- Bounds: the end of each step has the velocity of the closed form, but in the step in which it begins to roll; positions
-- lag by (v0 - 5 v0 / 7) h / 2 with theta = 1, and by mu g h^2 / 8 at most with theta = 0.5.
sys:expect { solver = "moreau", error = 2.9e-4, penetration = 1e-9 }
sys:expect { solver = "moreau:theta=0.5", error = 2.5e-7, penetration = 1e-9 }
sys:expect { solver = "moreau:contact=pgs", error = 2.9e-4, penetration = 1e-9 }
-- By events: rounding; the instant at which it begins to roll is one of these.
sys:expect { solver = "events", step = 0.01, error = 1e-14, penetration = 1e-14 }
sys:expect { solver = "impulse-contact", step = 0.01, error = 1e-9, penetration = 1e-9 }
sys:defaults { solver = "moreau", step = 0.001, duration = 0.5 }
return sys
