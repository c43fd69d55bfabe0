-- ragdoll.lua: a humanoid of eleven parts with joint limits, suspended by a spring at one hand and released
-- Stresses: several joint limits that strike at the same time, on a tree of light and heavy parts; with
-- planar = false in space, with ball joints at neck, shoulders, waist and hips.
-- Source: the ragdoll of Gribel (2009), figure 1.1, held by a spring and damper as there (section 4.5); the
-- proportions are ours, for a man of 75 kg.
-- No reference.
local scene = require "holonom.scene"
local planar = scene.param("planar", true, "in the plane, hinges with limits everywhere; false: in space")
local limits = scene.param("limits", true, "of the joints; false: every solver can run it")
local push = scene.param("push", 2.0, "speed at the start, m/s")
local sys = scene.system { gravity = { 0, -9.81, 0 }, planar = planar }
local z = { 0, 0, 1 }
local away = planar and 0 or 1 -- how far parts stand out of the plane

-- A part of given length and thickness, from the point TOP downwards.
local function part(name, mass, top, length, width)
  local shape = { length = length, across = mass * (length ^ 2 / 12 + width ^ 2 / 16),
                  along = mass * width ^ 2 / 8 }
  local inertia = planar and shape.across or { shape.across, shape.along, shape.across }
  return sys:body { name = name, mass = mass, inertia = inertia,
                    position = scene.add(top, { 0, -length / 2, 0 }), velocity = { push, 0, 0 } }
end

-- B is suspended from A and rotates about z between LOWER and UPPER; LOOSE joints are ball joints in space.
local function joint(name, a, b, at, lower, upper, loose)
  if loose and not planar then return sys:ball { a, b, at = at, name = name } end
  if limits then
    sys:hinge { a, b, at = at, axis = z, lower = lower, upper = upper, name = name }
  else
    sys:hinge { a, b, at = at, axis = z, name = name }
  end
  sys:angular_spring { a, b, axis = z, damping = 0.5, name = name .. "_flesh" }
end

-- The ragdoll faces x. The angle of a joint is that of the lower part, positive forwards.
local chest = part("chest", 22, { 0, 1.5, 0 }, 0.35, 0.25)
local pelvis = part("pelvis", 16, { 0, 1.15, 0 }, 0.25, 0.25)
local head = part("head", 5, { 0, 1.8, 0 }, 0.25, 0.18)
joint("neck", chest, head, { 0, 1.52, 0 }, -0.7, 0.9, true)
joint("waist", chest, pelvis, { 0, 1.15, 0 }, -0.4, 0.9, true)
for _, side in ipairs { { "left", -1 }, { "right", 1 } } do
  local name, arm, leg = side[1], away * side[2] * 0.2, away * side[2] * 0.1
  local upper = part("upper_arm_" .. name, 2.1, { 0, 1.48, arm }, 0.3, 0.09)
  local lower = part("forearm_" .. name, 1.7, { 0, 1.18, arm }, 0.4, 0.07)
  local thigh = part("thigh_" .. name, 8, { 0, 0.92, leg }, 0.42, 0.15)
  local shin = part("shin_" .. name, 4.2, { 0, 0.5, leg }, 0.45, 0.11)
  joint("shoulder_" .. name, chest, upper, { 0, 1.48, arm }, -0.8, 3.0, true)
  joint("elbow_" .. name, upper, lower, { 0, 1.18, arm }, 0.0, 2.5)
  joint("hip_" .. name, pelvis, thigh, { 0, 0.92, leg }, -0.4, 2.0, true)
  joint("knee_" .. name, thigh, shin, { 0, 0.5, leg }, -2.4, 0.0)
end
local hand = { 0, 0.78, away * 0.2 }
sys:spring { sys.ground, "forearm_right", at_a = scene.add(hand, { 0, 0.3, 0 }), at_b = hand,
             stiffness = 5000, damping = 200, length = 0.3, name = "grab" }
-- Bounds: the tolerance of the solver (1e-9 by default), or round-off: 1e-11 m/s.
sys:expect { solver = "impulse-sle", drift = 1e-9, velocity_drift = 1e-11 }
sys:expect { solver = "impulse-gs", step = 0.01, duration = 0.5, drift = 1e-9, velocity_drift = 1e-9 }
sys:expect { solver = "xpbd" }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 4 }
return sys
