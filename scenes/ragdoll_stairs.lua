-- ragdoll_stairs.lua: the ragdoll falls down a flight of stairs
-- Stresses: joint limits that strike together with contacts; light limbs on a heavy trunk; contacts of
-- corners with edges; many events, many of them simultaneous.
-- Source: the ragdoll of Gribel (2009), figure 1.1; the proportions are ours, as in ragdoll.lua, and so are
-- the stairs.
-- No reference. Invariants: no limit and no stair is penetrated, and energy decreases.
local scene = require "holonom.scene"
local push = scene.param("push", 1.5, "speed at the start, m/s")
local mu = scene.param("friction", 0.5, "with the stairs", { live = true, low = 0, high = 1.5 })
local steps = scene.param("steps", 8, "of the stairs")
local going, rise, first = 0.28, 0.17, 0.3 -- of a step, m; where the stairs begin
local sys = scene.system { gravity = { 0, -9.81, 0 }, planar = true }
local z = { 0, 0, 1 }
local function rectangle(a, b)
  return scene.polygon { { -a / 2, -b / 2 }, { a / 2, -b / 2 }, { a / 2, b / 2 }, { -a / 2, b / 2 } }
end

-- The landing is at y = 0, the floor below the last step.
local parts = { { shape = rectangle(3, rise), position = { first - 1.5, -rise / 2, 0 } } }
for i = 1, steps - 1 do
  parts[#parts + 1] = { shape = rectangle(going, rise),
                        position = { first + (i - 0.5) * going, -(i + 0.5) * rise, 0 } }
end
sys:body { name = "stairs", fixed = true, position = { 0, 0, 0 }, shapes = parts, friction = mu,
           group = "house" }
sys:body { name = "floor", fixed = true, position = { 0, -steps * rise, 0 }, friction = mu, group = "house",
           shape = scene.plane { normal = { 0, 1, 0 } } }

-- A part of given length and thickness, from the point TOP downwards; limbs do not collide with each other.
local function part(name, mass, top, length, width)
  return sys:body { name = name, mass = mass, inertia = mass * (length ^ 2 / 12 + width ^ 2 / 16),
                    friction = mu, position = scene.add(top, { 0, -length / 2, 0 }),
                    velocity = { push, 0, 0 },
                    shape = rectangle(width, length), group = "doll", collides = { "house" } }
end

local function joint(name, a, b, at, lower, upper)
  sys:hinge { a, b, at = at, axis = z, lower = lower, upper = upper, name = name }
  sys:angular_spring { a, b, axis = z, damping = 0.5, name = name .. "_flesh" }
end

-- The ragdoll faces x. The angle of a joint is that of the lower part, positive forwards. The feet are at y =
-- 0.05.
local chest = part("chest", 22, { 0, 1.5, 0 }, 0.35, 0.25)
local pelvis = part("pelvis", 16, { 0, 1.15, 0 }, 0.25, 0.25)
local head = part("head", 5, { 0, 1.8, 0 }, 0.25, 0.18)
joint("neck", chest, head, { 0, 1.52, 0 }, -0.7, 0.9)
joint("waist", chest, pelvis, { 0, 1.15, 0 }, -0.4, 0.9)
for _, side in ipairs { "left", "right" } do
  local upper = part("upper_arm_" .. side, 2.1, { 0, 1.48, 0 }, 0.3, 0.09)
  local lower = part("forearm_" .. side, 1.7, { 0, 1.18, 0 }, 0.4, 0.07)
  local thigh = part("thigh_" .. side, 8, { 0, 0.92, 0 }, 0.42, 0.15)
  local shin = part("shin_" .. side, 4.2, { 0, 0.5, 0 }, 0.45, 0.11)
  joint("shoulder_" .. side, chest, upper, { 0, 1.48, 0 }, -0.8, 3.0)
  joint("elbow_" .. side, upper, lower, { 0, 1.18, 0 }, 0.0, 2.5)
  joint("hip_" .. side, pelvis, thigh, { 0, 0.92, 0 }, -0.4, 2.0)
  joint("knee_" .. side, thigh, shin, { 0, 0.5, 0 }, -2.4, 0.0)
end
sys:contact { margin = 0.02 }
-- Bounds: the tolerance of the projection.
sys:expect { solver = "moreau", drift = 1e-9, penetration = 1e-9 }
sys:expect { solver = "moreau:contact=newton", drift = 1e-9, penetration = 1e-9, duration = 1 }
sys:expect { solver = "xpbd" }
sys:defaults { solver = "moreau", step = 0.002, duration = 4 }
return sys
