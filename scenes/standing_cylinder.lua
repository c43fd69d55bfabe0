-- standing_cylinder.lua: a cylinder that stands on its end (the record of contact laws: standing cylinder)
-- Stresses: a face without corners. Where contact points are searched for anew in every step, they travel
-- along the rim, and the body creeps, rocks or turns.
-- Source: Genesis issue 3245.
-- Reference: it rests.
local scene = require "holonom.scene"
local radius = scene.param("radius", 0.02, "m")
local height = scene.param("height", 0.1, "m")
local sys = scene.system { gravity = { 0, 0, -9.81 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } },
           material = "floor" }
sys:body { name = "cylinder", density = 1000, shape = scene.cylinder { radius = radius, height = height },
           position = { 0, 0, height / 2 }, axis_angle = { 1, 0, 0, math.pi / 2 }, material = "cylinder" }
sys:material_pair { "floor", "cylinder", friction = 0.5 }
sys:contact { margin = 0.01 }
-- Bounds: ten times the tolerance of the projection.
sys:expect { solver = "moreau", penetration = 1e-8 }
sys:expect { solver = "events", penetration = 1e-8 }
sys:defaults { solver = "moreau", step = 0.002, duration = 2 }
return sys
