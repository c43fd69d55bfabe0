-- walking_ground.lua: the walking machine on the ground, and, with friction = 0.02, on ice
-- Stresses: six closed loops that stand on the ground in groups of three, which alternate at every step;
-- friction of three or six feet that sticks or slides; light legs under a heavy body.
-- Source: Schmitt (2003), a walking machine on ice, toppling over; Bender and Schmitt (2006), section 5 and
-- figure 9: a leg has one servo and one closed loop. Dimensions are not given; these are ours, those of
-- walking_machine.lua. Feet are balls.
-- Reference: closed form of the body if no foot slips. The cranks stop whenever all six feet are down. Half a
-- turn moves the body by 2 (c + l sin(lean) + r lean), tan(lean) = c / d: c is the crank, d the height of the
-- guide, l the length from pin to foot, r the radius of a rolling foot.
-- Parameter topple > 0 accelerates the cranks on the left, which push too hard: with 30 the machine lands on
-- its back.
local scene = require "holonom.scene"
local mu = scene.param("friction", 0.8, "with the ground; of ice 0.02", { live = true, low = 0, high = 1.5 })
local rate = scene.param("rate", 2.0, "of the cranks, mean, rad/s: two steps a turn")
local topple = scene.param("topple", 0.0,
                           "acceleration of the cranks on the left, rad/s^2; 30: it falls over")
-- m; reach: length of a leg; foot: radius
local crank_length, guide_height, reach, foot = 0.06, 0.3, 0.9, 0.03
local pin_to_foot = reach / 2
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local z = { 0, 0, 1 }

-- A step of the machine: half a turn.
local lean = math.atan(crank_length, guide_height) -- of a leg from the vertical with its crank level
local advance = 2 * (crank_length + pin_to_foot * math.sin(lean) + foot * lean)

-- All feet touch at the start: hips are at y = 0; the height of the ground is that of a foot with its crank
-- level.
local ground = -pin_to_foot * math.cos(lean) - foot
sys:body { name = "floor", fixed = true, position = { 0, ground, 0 }, friction = mu, group = "ground",
           shape = scene.plane { normal = { 0, 1, 0 } } }
local body = sys:body { name = "body", shape = scene.box { 1.4, 0.2, 0.6 }, density = 240,
                        position = { 0, 0.1, 0 }, friction = mu, group = "machine", collides = { "ground" } }

-- The leg NAME at (x, side), its crank pointing forwards (1) or backwards (-1).
local function add_leg(name, x, side, direction)
  local pin = { x + direction * crank_length, 0, side }
  local guide_at = { x, guide_height, side }
  local turned = { 0, 0, 1, direction * lean }
  local crank = sys:body { name = "crank_" .. name, shape = scene.cylinder { radius = 0.1, height = 0.03 },
                           density = 2000, position = { x, 0, side }, axis_angle = { 1, 0, 0, math.pi / 2 },
                           collides = false }
  local leg = sys:body { name = "leg_" .. name, position = pin, axis_angle = turned, density = 1500,
                         friction = mu, group = "machine", collides = { "ground" },
                         shapes = { { shape = scene.box { 0.04, reach, 0.04 }, collides = false },
                                    { shape = scene.sphere { radius = foot }, massless = true,
                                      position = { 0, -pin_to_foot, 0 } } } }
  local guide = sys:body { name = "guide_" .. name, shape = scene.box { 0.08, 0.08, 0.08 }, density = 1200,
                           position = guide_at, axis_angle = turned, collides = false }
  sys:hinge { body, crank, at = { x, 0, side }, axis = z, name = "hip_" .. name }
  sys:hinge { crank, leg, at = pin, axis = z, name = "pin_" .. name }
  sys:slider { guide, leg, at = guide_at, axis = { direction * math.sin(lean), -math.cos(lean), 0 },
               name = "slide_" .. name }
  sys:point_on_line { body, guide, at = guide_at, axis = z, name = "swing_" .. name }
  -- At the rate -rate (1 - cos(2 rate t)), which vanishes at every half turn.
  local walk = { polynomial = { 0, -rate }, amplitude = 0.5, frequency = 2 * rate }
  sys:drive_angle { body, crank, axis = z, name = "servo_" .. name,
                    motion = topple > 0 and side < 0 and { polynomial = { 0, 0, -topple / 2 } } or walk }
end
for i, place in ipairs { { "front", 0.5 }, { "middle", 0 }, { "rear", -0.5 } } do
  for j, side in ipairs { { "left", -0.4 }, { "right", 0.4 } } do
    add_leg(place[1] .. "_" .. side[1], place[2], side[2], (i + j) % 2 * 2 - 1)
  end
end
sys:contact { margin = 0.05 }
-- The half turn j of the cranks, and the progress within it.
sys:reference(function(t)
  if topple > 0 then return nil end
  local turned = rate * t - 0.5 * math.sin(2 * rate * t)
  local j = turned // math.pi
  local s, c = crank_length * math.sin(turned - j * math.pi), crank_length * math.cos(turned - j * math.pi)
  local now = math.atan(c, guide_height + s)
  local x = crank_length + pin_to_foot * math.sin(lean) - c - pin_to_foot * math.sin(now) + foot *
    (lean - now)
  local y = s + pin_to_foot * (math.cos(now) - math.cos(lean))
  return { body = { position = { j * advance + x, 0.1 + y, 0 } } }
end)
-- Bounds: the tolerance of the projection; the speed of the machine, at most 0.6 m/s, times half a step.
-- Cranks that lag by a step, and legs that are held in each step, cause less.
sys:expect { solver = "moreau:contact_tolerance=1e-8", error = 3e-3, drift = 1e-9, penetration = 1e-9 }
sys:expect { solver = "xpbd" }
sys:defaults { solver = "moreau:contact_tolerance=1e-8", step = 0.01, duration = 10 * math.pi / rate }
return sys
