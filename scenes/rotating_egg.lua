-- rotating_egg.lua: an egg that lies on a table and spins fast rises on its end
-- Stresses: as in tippe_top: friction at a contact point that moves around the body, whose small torques
-- accumulate. Gyroscopic torques are large: a solver that evaluates them at the start of a step gains energy,
-- to first order in the step.
-- Source: Moffatt and Shimomura (2002): a spheroid; here the egg is a capsule, which touches with one of its
-- ends.
-- No reference. Invariant: L . r (L the angular momentum, r from the centre of mass to the contact) is
-- constant for any friction. The egg rises while it slides; at about 50 degrees it starts to roll, and stays
-- there.
local scene = require "holonom.scene"
local mu = scene.param("friction", 0.3, "with the table", { live = true, low = 0, high = 1.5 })
local spin = scene.param("spin", 200.0, "about the vertical at the start, rad/s")
local lean = scene.param("lean", 0.1, "of the axis from the level at the start, rad")
local r, straight = 0.02, 0.016
local sys = scene.system { gravity = { 0, 0, -9.81 } }
sys:body { name = "table", fixed = true, position = { 0, 0, 0 }, friction = mu,
           shape = scene.plane { normal = { 0, 0, 1 } } }
sys:body { name = "egg", density = 1100, shape = scene.capsule { radius = r, height = straight },
           friction = mu, position = { 0, 0, r + straight / 2 * math.sin(lean) },
           axis_angle = { 1, 0, 0, lean },
           angular_velocity = { 0, 0, spin } }
sys:contact { margin = 0.001 }
-- Bounds: the tolerance of the projection.
sys:expect { solver = "moreau:contact_tolerance=1e-12,tolerance=1e-12", penetration = 1e-9 }
sys:expect { solver = "moreau:contact=newton,tolerance=1e-12", penetration = 1e-9 }
sys:defaults { solver = "moreau:contact_tolerance=1e-12,tolerance=1e-12", step = 0.00005, duration = 1 }
return sys
