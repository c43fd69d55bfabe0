-- rotating_egg.lua: an egg that lies on a table and is spun fast stands up
-- Stresses: as tippe_top: friction at a point that goes round the body, whose small torques add up. Gyroscopic torques
-- are large: a solver that takes them at the start of a step gains energy by them, to first order in the step.
-- Source: Moffatt and Shimomura (2002): a spheroid; the egg here is a capsule, which touches with one of its ends.
-- No reference. L . r stays constant (L the angular momentum, r from the centre of mass to the contact), whatever the
-- friction. It rises while it slides; at some 50 degrees it begins to roll, and stays there.
local scene = require "holonom.scene"
local mu = scene.param("friction", 0.3, "with the table", { live = true, low = 0, high = 1.5 })
local spin = scene.param("spin", 200.0, "about the vertical at the start, rad/s")
local lean = scene.param("lean", 0.1, "of the axis from the level at the start, rad")
local r, straight = 0.02, 0.016
local sys = scene.system { gravity = { 0, 0, -9.81 } }
sys:body { name = "table", fixed = true, position = { 0, 0, 0 }, friction = mu,
           shape = scene.plane { normal = { 0, 0, 1 } } }
sys:body { name = "egg", density = 1100, shape = scene.capsule { radius = r, height = straight }, friction = mu,
           position = { 0, 0, r + straight / 2 * math.sin(lean) }, axis_angle = { 1, 0, 0, lean },
           angular_velocity = { 0, 0, spin } }
sys:contact { margin = 0.001 }
-- Bounds: the tolerance of the projection.
sys:expect { solver = "moreau:contact_tolerance=1e-12,tolerance=1e-12", penetration = 1e-9 }
sys:expect { solver = "moreau:contact=newton,tolerance=1e-12", penetration = 1e-9 }
sys:defaults { solver = "moreau:contact_tolerance=1e-12,tolerance=1e-12", step = 0.00005, duration = 1 }
return sys
