-- ski_jump.lua: a cube launched along the level (the record of contact laws: ski jump)
-- Stresses: sliding. Convex relaxations of Coulomb's law let a sliding body lift off by mu times its slip.
-- Source: Genesis issues 3115 and 3126.
-- Reference: closed form. It slides with the deceleration mu g without lift, and stops after v^2 / (2 mu g).
local scene = require "holonom.scene"
local speed = scene.param("speed", 6, "initial speed, m/s")
local mu = scene.param("mu", 0.5, "coefficient of friction")
local g, side = 9.81, 0.1
local sys = scene.system { gravity = { 0, 0, -g } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } },
           material = "floor" }
sys:body { name = "cube", mass = 1, shape = scene.box { side, side, side }, position = { 0, 0, side / 2 },
           velocity = { speed, 0, 0 }, material = "cube" }
sys:material_pair { "floor", "cube", friction = mu }
sys:contact { margin = 0.02 }
sys:reference(function(t)
  local slid = math.min(t, speed / (mu * g))
  return { cube = { position = { speed * slid - mu * g * slid ^ 2 / 2, 0, side / 2 },
                    orientation = { 1, 0, 0, 0 }, velocity = { speed - mu * g * slid, 0, 0 },
                    angular_velocity = { 0, 0, 0 } } }
end)
-- Bound of moreau: while the cube slides, its velocity at the end of a step is exact: it lags by v h / 2.
sys:expect { solver = "moreau", error = 0.006, penetration = 1e-9 }
sys:expect { solver = "events", error = 1e-9, penetration = 1e-9 }
sys:defaults { solver = "moreau", step = 0.002, duration = 1.5 }
return sys
