-- truck_road.lua: a tipper truck starts with its load, turns, stops, and lifts its bed
-- Stresses: ten tonnes on six rolling wheels, more than needed to support it; suspension and steering; a ram
-- at 500 kN, with oil as stiff as steel beside soft springs; load that moves to the rear axles.
-- Source: the truck with articulated bed and suspended wheels of Gribel (2009), figure 1.1; section 5.2 for
-- the ram; planar there, in space here. No dimensions are given; these are ours. Wheels touch as balls.
-- No reference.
local scene = require "holonom.scene"
local load = scene.param("load", 6000.0, "mass of bed and load, kg")
local speed = scene.param("speed", 6.0, "that it drives at, m/s", { live = true, low = 0, high = 30 })
local angle = scene.param("angle", 0.15, "of the steering column in the bend, rad")
local mu = scene.param("friction", 0.8, "with the road", { live = true, low = 0, high = 1.5 })
local radius, base, track, kingpin, front_x, arm = 0.5, 5.2, 2.0, 0.8, 3.2, 0.25
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local up, side = { 0, 1, 0 }, { 0, 0, 1 } -- forwards is x
sys:body { name = "road", fixed = true, position = { 0, 0, 0 }, friction = mu, group = "road",
           shape = scene.plane { normal = up } }

-- A box of given mass that does not collide.
local function block(name, mass, at, x, y, w)
  return sys:body { name = name, position = at, density = mass / (x * y * w), collides = false,
                    shape = scene.box { x, y, w } }
end
local chassis = block("chassis", 3000, { 0.5, 1, 0 }, 8, 0.4, 0.8)
local cab = block("cab", 1200, { 3.7, 2.2, 0 }, 1.6, 2, 2.2)
sys:fixed { chassis, cab, at = { 3.7, 1.2, 0 }, name = "cab_mount" }

local function add_wheel(name, carrier, x, z, torque)
  local at = { x, radius, z }
  local wheel = sys:body { name = "wheel_" .. name, position = at, axis_angle = { 1, 0, 0, math.pi / 2 },
                           friction = mu, group = "wheels", collides = { "road" },
                           density = 600,
                           shapes = { { shape = scene.cylinder { radius = radius, height = 0.3 },
                                        collides = false },
                                      { shape = scene.sphere { radius = radius }, massless = true } } }
  sys:hinge { carrier, wheel, at = at, axis = side, name = "axle_" .. name }
  sys:motor { carrier, wheel, axis = side, target = 0, gain = 1500, limit = torque, name = "motor_" .. name }
end

-- A carrier at (x, z) slides on the chassis against spring and damper, which carry LOADED at the start.
local function add_suspension(name, x, z, loaded)
  local at = { x, radius, z }
  local carrier = block("carrier_" .. name, 150, at, 0.3, 0.4, 0.2)
  sys:slider { chassis, carrier, at = at, axis = up, lower = -0.15, upper = 0.15, name = "strut_" .. name }
  sys:axial_spring { chassis, carrier, at = at, axis = up, stiffness = 4e5, damping = 2e4,
                     rest = -loaded / 4e5, name = "spring_" .. name }
  return carrier
end

-- Shares of the weight: chassis, cab and bed about the axles, in front and behind.
local bed_at = { -0.7, 1.9, 0 }
local weights = { { 3000, 0.5 }, { 1200, 3.7 }, { load, bed_at[1] } }
local rear_x, in_front, whole = front_x - base + 0.65, 0, 0 -- rear_x: between the rear axles
for _, w in ipairs(weights) do
  whole, in_front = whole + w[1] * 9.81, in_front + w[1] * 9.81 * (w[2] - rear_x) / (front_x - rear_x)
end

local column = block("column", 40, { front_x, 0.8, 0 }, 0.2, 0.2, 0.2)
sys:hinge { chassis, column, at = { front_x, 0.8, 0 }, axis = up, name = "steering" }
sys:motor_angle { chassis, column, axis = up, motion = 0, limit = 2e4, name = "servo" }
local long, short = arm * base / math.sqrt(base ^ 2 + kingpin ^ 2),
  arm * kingpin / math.sqrt(base ^ 2 + kingpin ^ 2)
for _, place in ipairs { { "left", -1 }, { "right", 1 } } do
  local name, sign = place[1], place[2]
  local at = { front_x, radius, sign * kingpin }
  local carrier = add_suspension("front_" .. name, front_x, sign * 0.6, in_front / 2)
  local knuckle = block("knuckle_" .. name, 60, at, 0.2, 0.4, 0.2)
  sys:hinge { carrier, knuckle, at = at, axis = up, name = "kingpin_" .. name }
  sys:distance { column, knuckle, at_a = { front_x - long, radius, 0 },
                 at_b = { front_x - long, radius, sign * (kingpin - short) }, name = "tie_rod_" .. name }
  add_wheel("front_" .. name, knuckle, front_x, sign * track / 2, 3000)
  for i, axle in ipairs { "middle", "rear" } do
    local x = rear_x + 1.3 * (1.5 - i)
    add_wheel(axle .. "_" .. name, add_suspension(axle .. "_" .. name, x, sign * 0.6, (whole - in_front) / 4),
              x, sign * track / 2, 3000)
  end
end

-- The bed is hinged at the rear end of the chassis; the ram pushes from the chassis against its underside.
local hinge = { -3.3, 1.25, 0 }
local bed = block("bed", load, bed_at, 5.2, 1.3, 2.2)
sys:hinge { chassis, bed, at = hinge, axis = side, name = "tilt" }
sys:driver { chassis, bed, at_a = scene.add(hinge, { 1.6, -0.45, 0 }),
             at_b = scene.add(hinge, { 3.6, 0.1, 0 }), speed = 0.25, limit = 5e5, gain = 2e6, shortest = 1.8,
             longest = 3.2, stiffness = 2e7, damping = 5e5,
             name = "ram" }
sys:contact { margin = 0.05 }

-- It starts at 0.5 s, turns left, stops, and tips.
local wheels = { "front_left", "front_right", "middle_left", "middle_right", "rear_left", "rear_right" }
sys:control(function(t, s)
  local rate = (t < 0.5 or t > 7) and 0 or -speed / radius
  for _, wheel in ipairs(wheels) do s:set("motor_" .. wheel, rate) end
  s:set("servo", 3 * ((t > 3 and t < 6 and angle or 0) - s:value("steering")))
  s:set("ram", t > 9 and t < 13 and "extend" or "hold")
end)
-- Bounds: the tolerance of the projection.
sys:expect { solver = "moreau:contact_tolerance=1e-6", drift = 1e-9, penetration = 1e-9 }
sys:expect { solver = "xpbd" }
sys:defaults { solver = "moreau:contact_tolerance=1e-6", step = 0.01, duration = 14 }
return sys
