-- sliding_to_rolling.lua: a ball thrown along the floor without spin slides until it rolls
-- Stresses: the transition of one contact from sliding to sticking, within a step; friction that vanishes
-- afterwards although the ball still moves.
-- Source: classical.
-- Reference: closed form; friction mu m g until v0 - mu g t = omega r, at t = 2 v0 / (7 mu g); then v = 5 v0
-- / 7 is constant.
local scene = require "holonom.scene"
local v0 = scene.param("speed", 2.0, "at the start, m/s")
local mu = scene.param("friction", 0.2, "with the floor")
local g, r, m = 9.81, 0.1, 1.0
local sys = scene.system { gravity = { 0, 0, -g } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } },
           friction = mu }
sys:body { name = "ball", mass = m, shape = scene.sphere { radius = r }, position = { 0, 0, r },
           velocity = { v0, 0, 0 }, friction = mu }
sys:contact { margin = 0.01 }
sys:reference(function(t)
  local slid = math.min(t, 2 * v0 / (7 * mu * g))
  local x, v = v0 * slid - mu * g * slid ^ 2 / 2, v0 - mu * g * slid
  return { ball = { position = { x + v * (t - slid), 0, r }, velocity = { v, 0, 0 },
                    angular_velocity = { 0, 2.5 * mu * g * slid / r, 0 } } }
end)
-- Bounds: velocities at the end of a step are exact except in the step in which rolling begins. Positions lag
-- by (v0 - 5 v0 / 7) h / 2 with theta = 1, and by at most mu g h^2 / 8 with theta = 0.5.
sys:expect { solver = "moreau", error = 2.9e-4, penetration = 1e-9 }
sys:expect { solver = "moreau:theta=0.5", error = 2.5e-7, penetration = 1e-9 }
sys:expect { solver = "moreau:contact=pgs", error = 2.9e-4, penetration = 1e-9 }
-- For events: rounding; the start of rolling is an event.
sys:expect { solver = "events", step = 0.01, error = 1e-14, penetration = 1e-14 }
sys:expect { solver = "impulse-contact", step = 0.01, error = 1e-9, penetration = 1e-9 }
sys:defaults { solver = "moreau", step = 0.001, duration = 0.5 }
return sys
