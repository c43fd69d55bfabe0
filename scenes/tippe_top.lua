-- tippe_top.lua: a spinning ball with its centre of mass below its centre turns over and spins on its stem
-- Stresses: sliding friction whose direction rotates with the spin, over a long time; its effect on the axis
-- is small in a step and large in the end.
-- Source: the top of Leine and Glocker (2003): 6 g, a ball of 15 mm, and one of 5 mm at the end of the stem.
-- Their friction also brakes the spin, which Coulomb's law at a contact point does not. Here the ball
-- therefore must spin about the vertical with low friction, so that it slides until it has turned over. With
-- friction = 0.3 it turns half over, and then rolls. If it rolls from the start, it turns over in coarse
-- steps only.
-- No reference. Invariant: while the large ball alone touches, Jellett's integral L . r (L the angular
-- momentum, r from the centre of mass to the contact) is constant for any friction. Energy decreases.
local scene = require "holonom.scene"
local mu = scene.param("friction", 0.1, "with the floor", { live = true, low = 0, high = 1.5 })
local spin = scene.param("spin", 180.0, "at the start, rad/s")
local lean = scene.param("lean", 0.1, "of the axis at the start, rad")
local a1, a2, R1, R2 = 0.003, 0.016, 0.015, 0.005 -- from the centre of mass to the middle of each ball; radii
local sys = scene.system { gravity = { 0, 0, -9.81 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, friction = mu,
           shape = scene.plane { normal = { 0, 0, 1 } } }
sys:body { name = "top", mass = 6e-3, inertia = { 8e-7, 8e-7, 7e-7 }, friction = mu,
           position = { 0, 0, R1 - a1 * math.cos(lean) }, axis_angle = { 1, 0, 0, lean },
           angular_velocity = { 0, 0, spin },
           shapes = { { shape = scene.sphere { radius = R1 }, position = { 0, 0, a1 } },
                      { shape = scene.sphere { radius = R2 }, position = { 0, 0, a2 } } } }
sys:contact { margin = 0.001 }
-- Bounds: the tolerance of the projection.
sys:expect { solver = "moreau:contact_tolerance=1e-12,tolerance=1e-12", penetration = 1e-9, duration = 0.5 }
sys:expect { solver = "moreau:contact=newton,tolerance=1e-12", penetration = 1e-9, duration = 0.5 }
sys:defaults { solver = "moreau:contact_tolerance=1e-12,tolerance=1e-12", step = 0.0002, duration = 4 }
return sys
