-- rack_and_pinion.lua: a pinion in mesh with a rack on a spring; the mesh is a joint written in Lua
--
-- The rack moves by the radius times the angle of the pinion. The angle is known modulo one turn, so the
-- residual is taken modulo the displacement of one turn. With M = m + J / r^2 the rack oscillates as
-- cos(sqrt(k / M) t), over several turns.
local scene = require "holonom.scene"
local radius = scene.param("radius", 0.1, "of the pinion, m")
local k      = scene.param("k", 30.0, "stiffness of the spring, N/m")
local m, J, way = 2, 0.02, 1.0
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local rack = sys:body { name = "rack", position = { way, -radius, 0 }, mass = m, inertia = { 0.1, 0.3, 0.3 } }
local pinion = sys:body { name = "pinion", position = { 0, 0, 0 }, axis_angle = { 0, 0, 1, way / radius },
                          mass = 1, inertia = { 0.01, 0.01, J } }
sys:hinge { sys.ground, pinion, name = "axle", at = { 0, 0, 0 }, axis = { 0, 0, 1 } }
sys:slider { sys.ground, rack, name = "guide", at = { 0, -radius, 0 }, axis = { 1, 0, 0 } }

local turn = 2 * math.pi * radius
sys:joint { rack, pinion, name = "mesh", unit = "m",
  residual = function(rack, pinion)
    local mark = pinion:direction { 1, 0, 0 }
    local g = rack.position[1] - radius * math.atan(mark[2], mark[1])
    return g - turn * math.floor(g / turn + 0.5)
  end }

sys:axial_spring { sys.ground, rack, name = "spring", at_a = { 0, -radius, 0 }, at_b = { way, -radius, 0 },
                   axis = { 1, 0, 0 }, energy = function(x) return k * x ^ 2 / 2 end }
local omega = math.sqrt(k / (m + J / radius ^ 2))
sys:reference(function(t)
  return { rack = { position = { way * math.cos(omega * t), -radius, 0 },
                    velocity = { -way * omega * math.sin(omega * t), 0, 0 } },
           pinion = { position = { 0, 0, 0 } } }
end)
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 2 }
sys:expect { solver = "taylor", step = 0.02, duration = 2, error = 1e-12, drift = 1e-12,
             energy_error = 1e-11 }
sys:expect { solver = "impulse-sle", step = 0.01, duration = 2, order = 2 }
return sys
