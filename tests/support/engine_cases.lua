-- engine_cases.lua: small mechanisms for tests of engines, one for each joint, limit, motor and friction
local scene = require "holonom.scene"
local case = scene.param("case", "ball", "name of the mechanism")
local swapped = scene.param("swapped", false, "the joint has the moving body first")
local planar = scene.param("planar", false, "in the plane")
local crossed = scene.param("crossed", false, "motor, limit or friction have the bodies in the other order")
local sign = scene.param("sign", 1, "of the motion towards the limit, or of the motor")
local strong = scene.param("strong", false, "the motor reaches its rate")
local e = scene.param("e", 0.0, "restitution")
local rate = { polynomial = { 0, 0.7 * sign } } -- rad/s or m/s, of motors
local contact = case == "slide" or case == "stick" or case == "bounce"
local weightless = case:find "^free_turn" or case:find "motor" or case:find "dry"
local sys = scene.system { planar = planar, gravity = weightless and { 0, 0, 0 } or { 0, -9.81, 0 } }
local z, along = { 0, 0, 1 }, { 0.8, -0.6, 0 }

local function bar(name, x, y, more)
  local body = { name = name, mass = 2, position = { x, y, 0 } }
  body.inertia = planar and 0.4 or { 0.1, 0.3, 0.4 }
  for key, value in pairs(more or {}) do body[key] = value end
  return sys:body(body)
end
-- Bodies of a joint, in either order.
local function pair(a, b, t)
  t[1], t[2] = swapped and b or a, swapped and a or b
  return t
end
local function part(a, b, t)
  t[1], t[2] = crossed and b or a, crossed and a or b
  return t
end
-- A limit of the coordinate from -DOWN to UP.
local function bounds(down, up, t)
  t.lower, t.upper = crossed and -up or -down, crossed and down or up
  t.restitution, t.name = e, "j.limit"
  return t
end

-- Two bodies that turn about all axes: the first hangs on a ball or hinge, the second on the joint tested.
local function two(kind, t)
  local first = bar("first", 0.5, 0, planar and {} or { orientation = { 0.9, 0.3, 0.2, 0.1 } })
  local second = bar("second", 1.5, 0.1, planar and {} or { orientation = { 0.8, -0.3, 0.4, 0.2 } })
  if planar then sys:hinge(pair(sys.ground, first, { at = { 0, 0, 0 }, axis = z, name = "root" }))
  else sys:ball(pair(sys.ground, first, { at = { 0, 0, 0 }, name = "root" })) end
  sys[kind](sys, pair(first, second, t))
end

if case == "free_fall" then
  bar("first", 0, 0, { velocity = { 1, 2, planar and 0 or 3 } })
elseif case == "free_turn" then
  bar("first", 0, 0, { angular_velocity = planar and { 0, 0, 2 } or { 1, 0.2, 1.5 } })
elseif case == "ball" or case == "fixed" then two(case, { at = { 1, 0, 0 }, name = "j" })
elseif case == "hinge" then
  two(case, { at = { 1, 0, 0 }, axis = planar and z or { 0.6, 0, 0.8 }, name = "j" })
elseif case == "slider" or case == "cylindrical" or case == "planar" then
  two(case, { at = { 1, 0, 0 }, axis = planar and { 0.6, 0.8, 0 } or { 0.6, 0, 0.8 }, name = "j" })
elseif case == "universal" then
  two(case, { at = { 1, 0, 0 }, axis_a = { 0, 1, 0 }, axis_b = { 0.6, 0, 0.8 }, name = "j" })
elseif case == "distance" then
  two(case, { at_a = { 0.8, 0, 0 }, at_b = { 1.3, 0.4, 0 }, name = "j" })
elseif case == "particles" then
  local one = sys:particle { name = "first", mass = 1, position = { 1, 0, 0 } }
  local other = sys:particle { name = "second", mass = 2, position = { 1, 1, 0 } }
  sys:distance(pair(sys.ground, one, { [swapped and "at_b" or "at_a"] = { 0, 0, 0 }, name = "r" }))
  sys:distance(pair(one, other, { name = "s" }))
elseif case == "loop" then -- a crank with a slider, closed
  local crank = bar("first", 0.15, 0.2, { angular_velocity = { 0, 0, 0 } })
  local rod = bar("second", 0.8, 0.2)
  local block = bar("third", 1.3, 0)
  sys:hinge(pair(sys.ground, crank, { at = { 0, 0, 0 }, axis = z, name = "j1" }))
  sys:hinge(pair(crank, rod, { at = { 0.3, 0.4, 0 }, axis = z, name = "j2" }))
  sys:hinge(pair(rod, block, { at = { 1.3, 0, 0 }, axis = z, name = "j3" }))
  sys:slider(pair(sys.ground, block, { at = { 1.3, 0, 0 }, axis = { 1, 0, 0 }, name = "j4" }))
elseif case == "limit_hinge" then -- falls from above on the limit, and comes to rest at 0.5 rad, or -0.7
  local v, w = { -0.2 * sign, 0, 0 }, { 0, 0, 0.2 * sign }
  local arm = bar("first", 0, 1, { velocity = v, angular_velocity = w })
  sys:hinge(pair(sys.ground, arm, { at = { 0, 0, 0 }, axis = z, name = "j" }))
  sys:limit_angle(part(sys.ground, arm, bounds(0.7, 0.5, { axis = z })))
elseif case == "limit_slider" then -- slides down by 0.4 m, or 0.3 m
  local block, axis = bar("first", 0, 0), { 0.8 * sign, -0.6 * sign, 0 }
  sys:slider(pair(sys.ground, block, { at = { 0, 0, 0 }, axis = axis, name = "j" }))
  sys:limit_position(part(sys.ground, block, bounds(0.3, 0.4, { at = { 0, 0, 0 }, axis = axis })))
elseif case == "motor_hinge" or case == "dry_hinge" then
  local arm = bar("first", 0, 0, { angular_velocity = { 0, 0, case == "dry_hinge" and 2 * sign or 0 } })
  sys:hinge(pair(sys.ground, arm, { at = { 0, 0, 0 }, axis = z, name = "j" }))
  local t = { axis = z, name = "m" }
  if case == "dry_hinge" then
    t.torque = 0.5
    sys:friction_angle(part(sys.ground, arm, t))
  else
    t.motion, t.limit = rate, strong and 10 or 0.2
    sys:motor_angle(part(sys.ground, arm, t))
  end
elseif case == "motor_slider" or case == "dry_slider" then
  local v = case == "dry_slider" and 2 * sign or 0
  local block = bar("first", 0, 0, { velocity = { 0.8 * v, -0.6 * v, 0 } })
  sys:slider(pair(sys.ground, block, { at = { 0, 0, 0 }, axis = along, name = "j" }))
  local t = { at = { 0, 0, 0 }, axis = along, name = "m" }
  if case == "dry_slider" then
    t.force = 2.5
    sys:friction_position(part(sys.ground, block, t))
  else
    t.motion, t.limit = rate, strong and 10 or 1
    sys:motor_position(part(sys.ground, block, t))
  end
elseif contact then
  local angle, mu = 0.4, case == "slide" and 0.2 or 0.6
  local n = { -math.sin(angle), math.cos(angle), 0 }
  if case == "bounce" then n, mu = { 0, 1, 0 }, 0 end
  local shape = planar and scene.polygon { { -0.3, -0.1 }, { 0.3, -0.1 }, { 0.3, 0.1 }, { -0.3, 0.1 } } or
                  scene.box { 0.6, 0.2, 0.4 }
  if case == "bounce" then shape = (planar and scene.circle or scene.sphere) { radius = 0.1 } end
  local ground = planar and scene.polygon { { -20, -1 }, { 20, -1 }, { 20, 0 }, { -20, 0 } } or
                   scene.plane { normal = { 0, 1, 0 } }
  sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = ground, friction = mu,
             axis_angle = { 0, 0, 1, case == "bounce" and 0 or angle } }
  local up = case == "bounce" and 0.6 or 0.1
  sys:body { name = "first", mass = 2, shape = shape, friction = mu, restitution = e,
             position = { n[1] * up, n[2] * up, 0 },
             axis_angle = { 0, 0, 1, case == "bounce" and 0 or angle } }
  sys:contact { margin = 0.01 }
end
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 0.5 }
return sys
