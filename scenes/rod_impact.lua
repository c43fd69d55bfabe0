-- rod_impact.lua: a rod inclined by 30 degrees falls with one end on a smooth floor
-- Stresses: an eccentric impact with a single impulse.
-- Source: classical.
-- Reference: closed form. With length l, angle a to the floor and c = l cos(a) / 2 the impulse is p = (1 + e)
-- v / (1 / m + c^2 / J), J = m l^2 / 12: .4615384615384615385 N s for e = 0.5, v = 1. The velocities are
-- known until the rod has rotated.
local scene = require "holonom.scene"
local e = scene.param("restitution", 0.5, "with the floor")
local angle = scene.param("angle", math.pi / 6, "to the floor, rad")
local speed = scene.param("speed", 1.0, "at the start, downwards, m/s")
local m, l, r = 1.0, 1.0, 0.01
local c, J = l * math.cos(angle) / 2, m * l ^ 2 / 12
local p = (1 + e) * speed / (1 / m + c ^ 2 / J)
local sys = scene.system { gravity = { 0, 0, 0 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } },
           restitution = e }
-- capsules lie along y: stood up along z, then leant to x
local turned = scene.turn(0, 1, 0, math.pi / 2 - angle)
local start = { 0, 0, r + l * math.sin(angle) / 2 }
sys:body { name = "rod", mass = m, inertia = { J, J, J }, position = start, velocity = { 0, 0, -speed },
           orientation = scene.compose(turned, scene.turn(1, 0, 0, math.pi / 2)), restitution = e,
           shape = scene.capsule { radius = r, height = l } }
sys:contact { margin = 0.05 }
sys:reference(function(t)
  if t == 0 then return { rod = { position = start, velocity = { 0, 0, -speed } } } end
  local v, w = p / m - speed, -c * p / J
  return { rod = { position = scene.add(start, { 0, 0, v * t }), velocity = { 0, 0, v },
                   angular_velocity = { 0, -w, 0 } } }
end)
-- Bounds: round-off; the centre moves with constant velocity.
sys:expect { solver = "moreau", error = 1e-12, penetration = 1e-9 }
sys:expect { solver = "moreau:contact=newton", error = 1e-12, penetration = 1e-9 }
sys:defaults { solver = "moreau", step = 0.001, duration = 0.1 }
return sys
