-- generic_contacts.lua: balls, a box and a capsule on a plane that leans from the horizontal
local scene = require "holonom.scene"
local lean = scene.param("lean", 3.0, "angle of the plane, degrees")
local bounce = scene.param("bounce", 1.0, "factor of all restitutions")
local turn = scene.turn(0.31, -0.52, 0.79, scene.param("turn", 1.234, "rotation of the whole scene, rad"))
local function world(v) return scene.rotate(turn, v) end
local tilt = scene.turn(0.83, 0, -0.56, math.rad(lean)) -- plane against gravity
local n = scene.rotate(tilt, { 0, 1, 0 })
local sys = scene.system { gravity = world { 0, -9.81, 0 } }
sys:body { name = "slope", fixed = true, position = world { 0.21, -0.13, 0.34 }, friction = 0.41,
           shape = scene.plane { normal = world(n) } }
-- Adds a body whose lowest point along the plane is HEIGHT above it.
local function drop(name, shape, reach, x, height, axis, angle, density, friction, restitution, v, w)
  local place = world(scene.add(scene.rotate(tilt, { x[1], reach + height, x[2] }), { 0.21, -0.13, 0.34 }))
  local own = scene.turn(axis[1], axis[2], axis[3], angle)
  sys:body { name = name, shape = shape, density = density, friction = friction, position = place,
             restitution = bounce * restitution,
             orientation = scene.compose(turn, scene.compose(tilt, own)),
             velocity = world(scene.rotate(tilt, v)), angular_velocity = world(w) }
end
drop("ball", scene.sphere { radius = 0.23 }, 0.23, { -3.1, 2.2 }, 0.011, { 1, 2, 3 }, 0.4, 710, 0.33, 0.2,
     { 0.9, -0.3, 0.4 }, { 1.1, 2.3, -0.7 })
drop("marble", scene.sphere { radius = 0.11 }, 0.11, { 2.9, -3.7 }, 0.017, { 3, 1, 2 }, 1.4, 1310, 0.57, 0.3,
     { -0.2, -0.4, 0.7 }, { -1.7, 0.3, 2.9 })
drop("box", scene.box { 0.41, 0.19, 0.67 }, 0.095, { 0.3, 5.3 }, 0.003, { 0, 1, 0 }, 0.8, 530, 0.47, 0.0,
     { 0.5, 0, -0.8 }, { 0, 0.6, 0 })
drop("pill", scene.capsule { radius = 0.09, height = 0.5 }, 0.09, { -5.1, -4.3 }, 0.005, { 1, 0, 0 }, 1.5,
     870, 0.29, 0.0, { 0.1, -0.1, 0.3 }, { 0.2, 0.1, 0.4 })
sys:contact { margin = 0.01 }
sys:defaults { solver = "moreau", step = 0.002, duration = 0.3 }
return sys
