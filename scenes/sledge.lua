-- sledge.lua: a pendulum on a sledge, whose two runners have different friction, makes it creep along
-- Stresses: sticking and sliding in alternation, driven through a joint; normal forces that the swing shifts
-- between the runners; two sticking contacts whose friction forces are nearly indeterminate. If the runners
-- differ in height by a rounding error, only one of them can stick exactly, with all the friction available.
-- Pivoting (lemke) finds this solution immediately, newton once it moves from bound to bound; admm comes
-- within its tolerance only.
-- Source: our own, after the pendulum on a cart. No reference here; tests/contact_scenes/test_contact_same.c
-- integrates sledge and pendulum in two coordinates, with Coulomb's law at both runners, with small steps.
local scene = require "holonom.scene"
local rear = scene.param("rear", 0.2, "friction of the runner at the back")
local front = scene.param("front", 0.4, "friction of the runner in front")
local lifted = scene.param("lifted", 1.2, "angle of the pendulum from the vertical at the start, rad")
local g, M, m, l = 9.81, 2.0, 2.0, 0.5
-- from the middle to each runner, height of the middle; the runners touch at a point
local a, high, r = 0.4, 0.2, 1e-6
local sys = scene.system { gravity = { 0, -g, 0 }, planar = true }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } },
           material = "floor" }
local sledge = sys:body { name = "sledge", mass = M, inertia = 0.1, position = { 0, high, 0 } }
-- The runners are bodies, so that each has its own material.
local function runner(name, x, mu)
  local part = sys:body { name = name, mass = 0.1, inertia = 1e-4, shape = scene.circle { radius = r },
                          position = { x, r, 0 }, material = name }
  sys:fixed { sledge, part, at = { x, r, 0 }, name = name .. "_post" }
  sys:material_pair { "floor", name, friction = mu }
end
runner("rear", -a, rear)
runner("front", a, front)
local hinge = { 0, high + l + 0.1, 0 }
local bob = sys:body { name = "pendulum", mass = m, inertia = 0.01, collides = false,
                       position = scene.add(hinge, { l * math.sin(lifted), -l * math.cos(lifted), 0 }) }
sys:hinge { sledge, bob, at = hinge, axis = { 0, 0, 1 }, name = "hinge" }
sys:contact { margin = 0.01 }
-- Bounds: the tolerance of the projection.
sys:expect { solver = "moreau:contact=newton", penetration = 1e-9, drift = 1e-9, duration = 2 }
sys:expect { solver = "moreau", penetration = 1e-9, drift = 1e-9, duration = 2 }
sys:expect { solver = "moreau:contact=lemke", penetration = 1e-9, drift = 1e-9, duration = 2 }
sys:defaults { solver = "moreau:contact=lemke", step = 0.001, duration = 5 }
return sys
