-- wall.lua: two equal pendulums side by side; one meets a wall, the other a stop in its hinge
-- Stresses: the equivalence of a contact and a joint limit, both rows with a unilateral law: the motions must
-- agree, including impacts.
-- Source: our own.
-- No reference. Invariant: the distance of the two bobs is 3 m.
local scene = require "holonom.scene"
local e = scene.param("restitution", 0.5, "of wall and stop")
local lifted = scene.param("lifted", 1.0, "angle from the vertical at the start, rad")
local g, l, r, m, apart = 9.81, 1.0, 0.1, 1.0, 3.0
local sys = scene.system { gravity = { 0, -g, 0 }, planar = true }
sys:body { name = "wall", fixed = true, position = { -r, 0, 0 }, shape = scene.plane { normal = { 1, 0, 0 } },
           restitution = e } -- the bob touches it when it hangs straight down
local function bob(name, x, shape)
  return sys:body { name = name, mass = m, inertia = 0.01, restitution = e, shape = shape,
                    position = { x + l * math.sin(lifted), -l * math.cos(lifted), 0 } }
end
local z = { 0, 0, 1 }
sys:hinge { sys.ground, bob("at_wall", 0, scene.circle { radius = r }), at = { 0, 0, 0 }, axis = z,
            name = "free" }
sys:hinge { sys.ground, bob("at_stop", apart), at = { apart, 0, 0 }, axis = z, name = "stopped",
            lower = -lifted, restitution = e }
sys:contact { margin = 0.05 }
-- Bounds: the tolerance of the projection.
sys:expect { solver = "moreau", drift = 1e-9, penetration = 1e-9 }
sys:expect { solver = "moreau:contact=newton", drift = 1e-9, penetration = 1e-9 }
sys:expect { solver = "moreau:contact=pgs", drift = 1e-9, penetration = 1e-9 }
sys:defaults { solver = "moreau", step = 0.001, duration = 4 }
return sys
