-- egg.lua: an egg that lies on a table and spins fast rises and spins on its end
-- Stresses: as in tippe_top, the small torque of sliding friction acts over thousands of turns; the contact
-- point moves over an ellipsoid. Gyroscopic torques are large, and a fast spin gains energy to first order in
-- the step.
-- Source: Moffatt and Shimomura (2002), Nature 416, 385: a spheroid. If sliding is slow (gyroscopic balance),
-- the integral L . r of Jellett (L the angular momentum, r from the centre of mass to the contact point) is
-- almost constant. The height h of the centre then obeys J = A n h, with n the spin about the vertical and A
-- the moment of inertia across the axis, and grows until the axis is vertical.
-- No reference. The egg hops while it rises, and stands after 3 s. With spin = 60 it stays lying.
local scene = require "holonom.scene"
local mu = scene.param("friction", 0.1, "with the table", { live = true, low = 0, high = 1.5 })
local spin = scene.param("spin", 180.0, "about the vertical at the start, rad/s")
local lean = scene.param("lean", 0.1, "of the axis from the level at the start, rad")
local long = scene.param("long", 0.03, "half of the axis of symmetry, m")
local short = scene.param("short", 0.02, "radius, m")
local sine, cosine = math.sin(lean), math.cos(lean)
local sys = scene.system { gravity = { 0, 0, -9.81 } }
sys:body { name = "table", fixed = true, position = { 0, 0, 0 }, friction = mu,
           shape = scene.plane { normal = { 0, 0, 1 } } }
sys:body { name = "egg", density = 1100, shape = scene.ellipsoid { short, long, short }, friction = mu,
           position = { 0, 0, math.sqrt((long * sine) ^ 2 + (short * cosine) ^ 2) },
           axis_angle = { 1, 0, 0, lean }, angular_velocity = { 0, 0, spin } }
sys:contact { margin = 0.001 }
-- Bounds: the tolerance of the projection, and of event location.
sys:expect { solver = "moreau:contact_tolerance=1e-12,tolerance=1e-12", penetration = 1e-9 }
sys:expect { solver = "events", penetration = 1e-9, duration = 0.5, step = 0.001 }
sys:defaults { solver = "moreau:contact_tolerance=1e-12,tolerance=1e-12", step = 0.0001, duration = 5 }
return sys
