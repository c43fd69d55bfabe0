-- elementary.lua - a mechanism that depends on elementary functions wherever possible: prescribed sines,
-- angles measured by springs and servos, placement of bodies, and a controller, by all functions of Lua.
-- For tests/cli/same_bits.sh: any other rounding of a last bit changes the hash.
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 }, consistent = true }

-- Combines all functions and ^ of a number near 1.
local function mixed(x)
  local y = math.sin(x) + math.cos(3 * x) - math.tan(x / 2)
            + math.asin(x / 4) * math.acos(x / 3) + math.atan(x, 2.3)
  y = y + math.exp(-x) * math.log(2 + x) + math.log(1 + x * x, 2) - math.log(3 + x, 10) + math.log(4 + x, 7)
  return y + (x * x + 0.3) ^ 0.7 - 1.7 ^ x + math.atan(y)
end
local function part(name, position, axis, angle)
  return sys:body { name = name, shape = scene.box { 1, 0.1, 0.2 }, density = 700 + 10 * mixed(0.9),
                    position = position, axis_angle = { axis[1], axis[2], axis[3], angle } }
end

local angle = 0.3 * mixed(1.1)
local c, s = math.cos(angle), math.sin(angle)
local crank = part("crank", { 0.5 * c, 0.5 * s, 0 }, { 0, 0, 1 }, angle)
local arm = part("arm", { c + 0.5, s, 0 }, { 0, 0, 1 }, 0)
local shaft = part("shaft", { c + 1.5, s, 0 }, { 1, 0, 0 }, 0.4)
local wheel = part("wheel", { c + 2.5 + 0.2 * c, s, 0.2 * s }, { 0, 1, 0 }, -0.2)
local sled = part("sled", { 0, -2, 0 }, { 0, 0, 1 }, 0)
local slope = { math.cos(0.3), math.sin(0.3), 0 }

sys:hinge { sys.ground, crank, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = "shoulder" }
sys:drive_angle { sys.ground, crank, axis = { 0, 0, 1 }, name = "drive",
                  motion = { polynomial = { -0.4 * math.sin(0.7) }, amplitude = 0.4, frequency = 7,
                             phase = 0.7 } }
sys:hinge { crank, arm, at = { c, s, 0 }, axis = { 0, 0, 1 }, name = "elbow" }
sys:universal { arm, shaft, at = { c + 1, s, 0 }, axis_a = { 0, 1, 0 }, axis_b = { 0, 0, 1 }, name = "cross" }
sys:ball { shaft, wheel, at = { c + 2, s, 0 }, name = "wrist" }
sys:constant_angle { shaft, wheel, axis_a = { 1, 0, 0 }, axis_b = { 0.3, 1, 0.2 }, name = "tilt" }
sys:slider { sys.ground, sled, at = { 0, -2, 0 }, axis = slope, name = "way" }
sys:drive_position { sys.ground, sled, at = { 0, -2, 0 }, axis = slope, name = "push",
                     motion = { polynomial = { -0.3 * math.sin(0.2) }, amplitude = 0.3, frequency = 11,
                                phase = 0.2 } }
sys:angular_spring { crank, arm, axis = { 0, 0, 1 }, stiffness = 300, damping = 5, rest = -0.2 }
sys:servo { crank, arm, axis = { 0, 0, 1 }, stiffness = 200, integral = 0, damping = 20, limit = 400,
            name = "servo", target = { amplitude = 0.5, frequency = 5, phase = 0.1 } }
sys:torque { wheel, torque = { 3, 0, 5 }, motion = { amplitude = 1, frequency = 3, phase = 0 } }
sys:spring { sled, shaft, at_a = { 0, -2, 0 }, at_b = { c + 1.5, s, 0 }, stiffness = 100, damping = 3 }

sys:control(function(t, view)
  view:set("servo", 0.1 * mixed(1 + 0.3 * view:value("elbow")) + 0.05 * math.sin(9 * t) * (t + 0.1) ^ 1.3)
end)
sys:defaults { solver = "impulse-sle", step = 0.005, duration = 0.1 }
return sys
