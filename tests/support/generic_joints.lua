-- generic_joints.lua: a tree and a loop in which no two numbers are equal and no axis is special
local scene = require "holonom.scene"
local turn = scene.turn(0.31, -0.52, 0.79, 1.234) -- of the whole scene
local function world(v) return scene.rotate(turn, v) end
local sys = scene.system { gravity = world { 0.37, -9.13, 1.9 } }
local function body(name, size, density, x, axis, angle, v, w)
  return sys:body { name = name, shape = scene.box(size), density = density, position = world(x),
                    orientation = scene.compose(turn, scene.turn(axis[1], axis[2], axis[3], angle)),
                    velocity = world(v), angular_velocity = world(w) }
end
local a = body("a", { 1.1, 0.21, 0.34 }, 610, { 0.53, 0.07, -0.04 }, { 1, 2, 3 }, 0.3,
               { 0.1, 0.2, -0.3 }, { 0.9, -0.4, 0.6 })
local b = body("b", { 0.17, 0.83, 0.29 }, 790, { 1.21, 0.47, 0.11 }, { -2, 1, 0.5 }, 0.7,
               { 0.4, -0.1, 0.2 }, { -0.7, 1.1, 0.5 })
local c = body("c", { 0.13, 0.26, 0.91 }, 450, { 1.07, 1.02, 0.61 }, { 0.4, 1, -1 }, 1.9,
               { 0.2, 0.3, 0.1 }, { 0.3, 0.8, -1.3 })
local d = body("d", { 0.41, 0.37, 0.23 }, 530, { -0.62, 0.33, 0.28 }, { 1, -1, 2 }, 2.3,
               { -0.3, 0.2, 0.5 }, { 1.2, 0.1, 0.7 })
sys:ball { sys.ground, a, at = world { 0.02, -0.03, 0.05 }, name = "root" }
sys:hinge { a, b, at = world { 1.03, 0.19, 0.02 }, axis = world { 0.2, 0.3, 0.9 }, name = "knee" }
sys:distance { b, c, at_a = world { 1.3, 0.8, 0.2 }, at_b = world { 1.0, 1.1, 0.9 }, name = "rod" }
sys:ball { c, sys.ground, at = world { 0.91, 1.4, 0.35 }, name = "close" }
sys:slider { a, d, at = world { -0.4, 0.21, 0.17 }, axis = world { 0.7, -0.5, 0.4 }, name = "rail" }
sys:spring { d, b, at_a = world { -0.7, 0.3, 0.4 }, at_b = world { 1.2, 0.5, 0.2 }, stiffness = 37,
             damping = scene.param("damping", 1.7, "N s/m"), length = 1.3, name = "coil" }
sys:defaults { solver = "lagrange:stabilisation=none", step = 0.001, duration = 0.2 }
return sys
