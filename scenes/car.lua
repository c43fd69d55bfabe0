-- car.lua: a car suspended on four ropes, with driven wheels on springs and servo steering
-- Stresses: joints of mixed sizes (slider, hinge, distance), springs, saturated motors, gyroscopic wheels.
-- Every wheel has a motor; its carrier slides on the chassis against a spring and damper. The servo rotates a
-- column, whose arm moves the front wheels by two tie rods. These form two loops, not redundant, that turn
-- the inner wheel more (Ackermann).
-- Source: Bender and Schmitt (2006), section 5 and figure 9, without dimensions; the dimensions are ours, the
-- tolerance is theirs. There is no road: the car falls into its ropes while the motors accelerate the wheels,
-- then it steers left, right and straight.
-- No reference.
local scene = require "holonom.scene"
local speed = scene.param("speed", 15.0, "of the wheels' rims, m/s", { live = true, low = 0, high = 30 })
local angle = scene.param("angle", 0.4, "of the steering column, left and right, rad")
local stop = scene.param("stop", 0.0, "travel of the struts up to their stops, m; 0: they have none")
-- wheels, between axles, between wheels; half between kingpins
local radius, base, track, kingpin = 0.32, 2.6, 1.5, 0.6
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local up, side = { 0, 1, 0 }, { 0, 0, 1 } -- forwards is x

local chassis = sys:body { name = "chassis", shape = scene.box { 4, 0.5, 1.6 }, density = 375,
                           position = { 0, 0.55, 0 } }

-- A wheel at (x, z) with its motor, on a carrier.
local function add_wheel(name, carrier, x, z)
  local at = { x, radius, z }
  local wheel = sys:body { name = "wheel_" .. name, shape = scene.cylinder { radius = radius, height = 0.2 },
                           density = 300, position = at, axis_angle = { 1, 0, 0, math.pi / 2 } }
  sys:hinge { carrier, wheel, at = at, axis = side, name = "axle_" .. name }
  sys:motor { carrier, wheel, axis = side, target = -speed / radius, gain = 40, limit = 120,
              name = "motor_" .. name }
end

-- A carrier that slides up and down on the chassis at (x, z).
local function add_suspension(name, x, z)
  local at = { x, radius, z }
  local carrier = sys:body { name = "carrier_" .. name, shape = scene.box { 0.16, 0.24, 0.1 }, density = 2600,
                             position = at }
  sys:slider { chassis, carrier, at = at, axis = up, lower = stop > 0 and -stop or nil,
               upper = stop > 0 and stop or nil, name = "strut_" .. name }
  sys:axial_spring { chassis, carrier, at = at, axis = up, stiffness = 25e3, damping = 1500,
                     name = "spring_" .. name }
  return carrier
end

local column = sys:body { name = "column", shape = scene.cylinder { radius = 0.1, height = 0.2 },
                          density = 500, position = { base / 2, 0.45, 0 } }
sys:hinge { chassis, column, at = { base / 2, 0.45, 0 }, axis = up, name = "steering" }
sys:servo { chassis, column, axis = up, target = 0, stiffness = 800, damping = 70, limit = 400,
            name = "servo" }

-- The arm of a front wheel points from its kingpin to the middle of the rear axle; that of the column points
-- backwards.
local arm = 0.15
local long, short = arm * base / math.sqrt(base ^ 2 + kingpin ^ 2),
  arm * kingpin / math.sqrt(base ^ 2 + kingpin ^ 2)
for _, place in ipairs { { "left", -1 }, { "right", 1 } } do
  local front, rear, sign = "front_" .. place[1], "rear_" .. place[1], place[2]
  local at = { base / 2, radius, sign * kingpin }
  local carrier = add_suspension(front, base / 2, sign * 0.5)
  local knuckle = sys:body { name = "knuckle_" .. front, shape = scene.box { 0.12, 0.2, 0.1 }, density = 2600,
                             position = at }
  sys:hinge { carrier, knuckle, at = at, axis = up, name = "kingpin_" .. place[1] }
  sys:distance { column, knuckle, at_a = { base / 2 - long, radius, 0 },
                 at_b = { base / 2 - long, radius, sign * (kingpin - short) }, name = "tie_rod_" .. place[1] }
  add_wheel(front, knuckle, base / 2, sign * track / 2)
  add_wheel(rear, add_suspension(rear, -base / 2, sign * 0.5), -base / 2, sign * track / 2)
  for _, x in ipairs { base / 2, -base / 2 } do
    sys:spring { sys.ground, chassis, at_a = { x, 3, sign * 0.7 }, at_b = { x, 0.8, sign * 0.7 },
                 length = 2.2, stiffness = 40e3, damping = 2500, name = "rope_" .. (x > 0 and front or rear) }
  end
end

sys:control(function(t, s)
  s:set("servo", t < 1 and 0 or t < 2.5 and angle or t < 4 and -angle or 0)
end)
-- Bounds: the tolerance of the solver (1e-9 by default), or round-off: 1e-11 m/s. The tolerance of ida is
-- local, and relative to speeds up to 47 rad/s.
sys:expect { solver = "impulse-sle:tolerance=1e-6", drift = 1e-6, velocity_drift = 1e-11 }
sys:expect { solver = "impulse-newton", drift = 1e-9, velocity_drift = 1e-11 }
sys:expect { solver = "lagrange:stabilisation=projection", drift = 1e-12, velocity_drift = 1e-11 }
sys:expect { solver = "half-explicit:stabilisation=projection", drift = 1e-12, velocity_drift = 1e-11 }
sys:expect { solver = "ida", drift = 1e-8, velocity_drift = 1e-6 }
sys:expect { solver = "generalised-alpha", step = 0.0025, duration = 2, drift = 1e-11 }
sys:expect { solver = "xpbd" }
sys:defaults { solver = "impulse-sle", tolerance = 1e-6, step = 0.01, duration = 6 }
return sys
