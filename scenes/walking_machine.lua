-- walking_machine.lua: six legs, each a closed loop driven by a servo, under a body hung on soft springs
-- Stresses: six closed loops that share a body, servos that follow a rotating target. A servo rotates the
-- crank. The leg is hinged to the crank's pin and slides through a guide that swings on the body above it, so
-- that its foot moves on a closed path: forwards in the air, backwards below. The legs walk three by three.
-- Source: Bender and Schmitt (2006), section 5 and figure 9: a leg has one servo, two hinges, one slider, one
-- closed loop. The hinge of the servo is a third one, since two hinges and a slider alone could not move.
-- Dimensions are not given; these are ours, the tolerance is theirs. With hinges every loop has 20 rows of
-- rank 17. With a guide that may slide and tilt on its pivot (hinges = false: a point_on_line of 2 rows) the
-- same motion has 17 independent rows.
-- No reference.
local scene = require "holonom.scene"
local hinges = scene.param("hinges", false,
                           "a hinge under every guide, 3 redundant rows a leg; false: point_on_line")
local rate = scene.param("rate", 2 * math.pi, "of the cranks, rad/s")
local crank_length, guide_height, reach = 0.06, 0.3, 0.9 -- m; the last is the length of a leg
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local z = { 0, 0, 1 }

local body = sys:body { name = "body", shape = scene.box { 1.4, 0.2, 0.6 }, density = 240,
                        position = { 0, 0.1, 0 } }
local mass = 1.4 * 0.2 * 0.6 * 240

-- The leg NAME at (x, side), its crank pointing forwards or backwards (direction). The foot is low when it
-- moves backwards. Crank, leg and guide start in motion. Returns their mass.
local function add_leg(name, x, side, direction)
  local pin = { x + direction * crank_length, 0, side }
  local guide_at = { x, guide_height, side }
  local lean = math.atan(pin[1] - x, guide_height) -- of the leg from the vertical, about z
  local turning = { 0, 0, -rate * math.sin(lean) ^ 2 }
  local turned = { 0, 0, 1, lean }
  -- The mass of the crank is that of the servo's rotor, geared up.
  local crank = sys:body { name = "crank_" .. name, shape = scene.cylinder { radius = 0.1, height = 0.03 },
                           density = 2000, position = { x, 0, side }, axis_angle = { 1, 0, 0, math.pi / 2 },
                           angular_velocity = { 0, 0, -rate } }
  local leg = sys:body { name = "leg_" .. name, shape = scene.box { 0.04, reach, 0.04 }, density = 1500,
                         position = pin, axis_angle = turned,
                         velocity = { 0, -direction * rate * crank_length, 0 },
                         angular_velocity = turning }
  local guide = sys:body { name = "guide_" .. name, shape = scene.box { 0.08, 0.08, 0.08 }, density = 1200,
                           position = guide_at, axis_angle = turned, angular_velocity = turning }
  sys:hinge { body, crank, at = { x, 0, side }, axis = z, name = "hip_" .. name }
  sys:hinge { crank, leg, at = pin, axis = z, name = "pin_" .. name }
  sys:slider { guide, leg, at = guide_at, axis = { math.sin(lean), -math.cos(lean), 0 },
               name = "slide_" .. name }
  if hinges then sys:hinge { body, guide, at = guide_at, axis = z, name = "swing_" .. name }
  else sys:point_on_line { body, guide, at = guide_at, axis = z, name = "swing_" .. name } end
  sys:servo { body, crank, axis = z, target = { polynomial = { 0, -rate } }, stiffness = 100, damping = 1.5,
              limit = 30, name = "servo_" .. name }
  return math.pi * 0.1 ^ 2 * 0.03 * 2000 + reach * 0.04 ^ 2 * 1500 + 0.08 ^ 3 * 1200
end

for i, place in ipairs { { "front", 0.5 }, { "middle", 0 }, { "rear", -0.5 } } do
  for j, side in ipairs { { "left", -0.4 }, { "right", 0.4 } } do
    mass = mass + add_leg(place[1] .. "_" .. side[1], place[2], side[2], (i + j) % 2 * 2 - 1)
  end
end
-- Four springs carry the weight when they have their length at the start, 1.2 m.
local stiffness = 1500
for i, x in ipairs { 0.6, -0.6 } do
  for j, side in ipairs { -0.3, 0.3 } do
    sys:spring { sys.ground, body, at_a = { x, 1.4, side }, at_b = { x, 0.2, side }, stiffness = stiffness,
                 damping = 60, length = 1.2 - mass * 9.81 / (4 * stiffness),
                 name = "spring" .. 2 * i + j - 2 }
  end
end
-- Bounds: the tolerance of the solver (1e-9 by default), or round-off: 1e-11 m/s. That of ida is local.
sys:expect { solver = "impulse-sle:tolerance=1e-6", drift = 1e-6, velocity_drift = 1e-11 }
sys:expect { solver = "impulse-newton", drift = 1e-9, velocity_drift = 1e-11 }
sys:expect { solver = "lagrange:stabilisation=projection", drift = 1e-12, velocity_drift = 1e-11 }
sys:expect { solver = "half-explicit:stabilisation=projection", drift = 1e-12, velocity_drift = 1e-11 }
sys:expect { solver = "generalised-alpha", drift = 1e-11 }
sys:expect { solver = "taylor:order=10,stabilisation=projection", drift = 1e-13, velocity_drift = 1e-11 }
sys:expect { solver = "ida", drift = 1e-8, velocity_drift = 1e-7 }
sys:expect { solver = "xpbd" }
sys:defaults { solver = "impulse-sle", tolerance = 1e-6, step = 0.01, duration = 4 }
return sys
