-- balanced_cube.lua: a cube on its edge, in unstable balance (the record of contact laws: knife edge)
-- Stresses: symmetry, and the exactness of the law about a balance: what disturbs it grows by e^(lambda t).
-- Source: Rapier issue 934.
-- Reference: closed form of the linearised motion about the edge that sticks: tilt cosh(lambda t), with
-- lambda^2 = m g l / J, l half the diagonal, J about the edge. Without tilt the cube stays in balance.
local scene = require "holonom.scene"
local tilt = scene.param("tilt", 1e-6, "initial angle out of balance, rad")
local drop = scene.param("drop", 0, "height of the edge above the floor, m")
local g, side, mass = 9.81, 1, 1
local arm = side / math.sqrt(2)
local lambda = math.sqrt(mass * g * arm / (mass * side ^ 2 * 2 / 3))
local sys = scene.system { gravity = { 0, 0, -g } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } },
           material = "floor" }
-- The cube rotates by the angle about y: its centre is over the edge at x = 0, at a height that touches.
sys:body { name = "cube", mass = mass, shape = scene.box { side, side, side }, material = "cube",
           position = { arm * math.sin(tilt), 0, arm * math.cos(tilt) + drop },
           axis_angle = { 0, 1, 0, math.pi / 4 + tilt } }
sys:material_pair { "floor", "cube", friction = 1 }
sys:contact { margin = 0.02 }
-- Bounds: ten times the tolerance of the projection.
sys:expect { solver = "moreau", penetration = 1e-8 }
sys:expect { solver = "events", penetration = 1e-8 }
sys:defaults { solver = "moreau", step = 0.002, duration = 1 }
return sys
