-- bystander.lua: a rod on a hinge, whose steps are divided, and a free body, which moves on in any case
local scene = require "holonom.scene"
local rate = scene.param("rate", 5.0, "angular velocity of the rod, rad/s")
local sys = scene.system { gravity = { 0, 0, 0 } }
local rod = sys:body { name = "rod", shape = scene.box { 1.1, 0.13, 0.17 }, density = 730,
                       position = { 0.55, 0, 0 }, velocity = { 0, 0.55 * rate, 0 },
                       angular_velocity = { 0, 0, rate } }
sys:hinge { sys.ground, rod, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = "pin" }
sys:body { name = "free", shape = scene.box { 0.3, 0.2, 0.4 }, density = 510, position = { 2, 3, -1 },
           velocity = { 1.3, -0.7, 0.4 }, angular_velocity = { 0.3, 0.9, -0.5 } }
-- On request, a box that spins on a floor, so fast that steps are divided into parts without a half turn
if scene.param("floor", false, "a floor, and a box that spins on it") then
  sys:body { name = "floor", fixed = true, position = { 0, -2, 0 }, friction = 0.3,
             shape = scene.plane { normal = { 0, 1, 0 } } }
  sys:body { name = "top", shape = scene.box { 0.3, 0.2, 0.35 }, density = 610, position = { 0.1, -1.9, 0.2 },
             angular_velocity = { 0, 80, 0 }, friction = 0.4 }
  sys:contact {}
end
return sys
