-- car_road.lua: a car on a road accelerates, steers left and right, and brakes
-- Stresses: as in `car`, with wheels that roll: four contacts that stick by friction while motors drive
-- against them; steering by tie rods, whose wheels do not agree on one centre exactly (Ackermann), so that
-- all slide slightly; struts with stops.
-- Source: Bender and Schmitt (2006), section 5 and figure 9, without dimensions; the dimensions are ours.
-- Wheels are cylinders in appearance and inertia, but touch as balls.
-- No reference. Checks: with saturated motors, a (M + 4 J / r^2) = 4 torque / r; at rest the struts carry the
-- weight; the turning radius is about base / tan(angle).
local scene = require "holonom.scene"
local speed = scene.param("speed", 10.0, "that it drives at, m/s", { live = true, low = 0, high = 30 })
local angle = scene.param("angle", 0.1, "of the steering column, left and right, rad")
local torque = scene.param("torque", 250.0, "largest of each motor, N m")
local mu = scene.param("friction", 0.9, "with the road", { live = true, low = 0, high = 1.5 })
-- wheels, between axles, between wheels; half between kingpins
local radius, base, track, kingpin = 0.32, 2.6, 1.5, 0.6
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local up, side = { 0, 1, 0 }, { 0, 0, 1 } -- forwards is x

sys:body { name = "road", fixed = true, position = { 0, 0, 0 }, friction = mu, group = "road",
           shape = scene.plane { normal = up } }
local chassis = sys:body { name = "chassis", shape = scene.box { 4, 0.5, 1.6 }, density = 375,
                           position = { 0, 0.65, 0 }, collides = false }

-- A wheel at (x, z).
local function add_wheel(name, x, z)
  return sys:body { name = "wheel_" .. name, position = { x, radius, z },
                    axis_angle = { 1, 0, 0, math.pi / 2 }, density = 300, friction = mu, group = "wheels",
                    collides = { "road" },
                    shapes = { { shape = scene.cylinder { radius = radius, height = 0.2 }, collides = false },
                               { shape = scene.sphere { radius = radius }, massless = true } } }
end

-- The suspension of the chassis at (x, z): a spring and a damper on PART, carrying a quarter of the weight at
-- the start.
local quarter = 4 * 0.5 * 1.6 * 375 * 9.81 / 4
local function add_spring(name, part, x, z)
  sys:axial_spring { chassis, part, at = { x, radius, z }, axis = up, stiffness = 25e3, damping = 1500,
                     rest = -quarter / 25e3, name = "spring_" .. name }
end

-- Rear wheels slide up and down on the chassis and rotate about axles that stay level with it. A front wheel
-- rotates on a knuckle that slides on its kingpin. The arms of both knuckles point to the middle of the rear
-- axle and are joined by a rod.
local arm = 0.2
local share = arm / math.sqrt(base ^ 2 + kingpin ^ 2)
local function rod_end(sign) return { base / 2 - share * base, radius, sign * kingpin * (1 - share) } end
local function add_motor(name, carrier, wheel)
  sys:motor { carrier, wheel, axis = side, target = 0, gain = 40, limit = torque, name = "motor_" .. name }
end
for _, place in ipairs { { "left", -1 }, { "right", 1 } } do
  local front, rear, sign = "front_" .. place[1], "rear_" .. place[1], place[2]
  local at, back = { base / 2, radius, sign * kingpin }, { -base / 2, radius, sign * track / 2 }
  local wheel = add_wheel(rear, back[1], back[3])
  sys:point_on_line { chassis, wheel, at = back, axis = up, name = "strut_" .. rear }
  sys:limit_position { chassis, wheel, at = back, axis = up, lower = -0.1, upper = 0.1,
                       name = "stop_" .. rear }
  sys:parallel_axes { chassis, wheel, axis = side, name = "axle_" .. rear }
  add_spring(rear, wheel, back[1], back[3])
  add_motor(rear, chassis, wheel)
  local knuckle = sys:body { name = "knuckle_" .. place[1], shape = scene.box { 0.16, 0.24, 0.16 },
                             density = 4000, position = at, collides = false }
  wheel = add_wheel(front, base / 2, sign * track / 2)
  sys:cylindrical { chassis, knuckle, at = at, axis = up, name = "kingpin_" .. place[1] }
  sys:limit_position { chassis, knuckle, at = at, axis = up, lower = -0.1, upper = 0.1,
                       name = "stop_" .. front }
  sys:hinge { knuckle, wheel, at = { base / 2, radius, sign * track / 2 }, axis = side,
              name = "axle_" .. front }
  add_spring(front, knuckle, at[1], at[3])
  add_motor(front, knuckle, wheel)
end
sys:distance { "knuckle_left", "knuckle_right", at_a = rod_end(-1), at_b = rod_end(1), name = "tie_rod" }
sys:motor_angle { chassis, "knuckle_left", axis = up, motion = 0, limit = 400, name = "servo" }
sys:contact { margin = 0.05 }

-- It stands, accelerates from 0.5 s, turns left and right, and brakes from 9 s.
local wheels = { "front_left", "front_right", "rear_left", "rear_right" }
sys:control(function(t, s)
  local rate = (t < 0.5 or t > 9) and 0 or -speed / radius
  for _, wheel in ipairs(wheels) do s:set("motor_" .. wheel, rate) end
  local target = t < 4 and 0 or t < 6 and angle or t < 8 and -angle or 0
  s:set("servo", 5 * (target - s:value("kingpin_left", "angle")))
end)
-- Bounds: the tolerance of the projection.
sys:expect { solver = "moreau:contact_tolerance=1e-6", drift = 1e-9, penetration = 1e-9 }
sys:expect { solver = "impulse-contact:tolerance=1e-6,contact_tolerance=1e-6", drift = 1e-6, duration = 4 }
sys:expect { solver = "tgs-soft:substeps=3" }
sys:expect { solver = "xpbd" }
sys:defaults { solver = "moreau:contact_tolerance=1e-6", step = 0.01, duration = 12 }
return sys
