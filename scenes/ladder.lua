-- ladder.lua: a ladder on a floor leans against a wall, and slides down if friction does not hold it
-- Stresses: two contacts on one body that stick or slide together; a contact that opens without an impact.
-- Source: classical. The ladder stands while tan(angle) >= (1 - mu_floor mu_wall) / (2 mu_floor).
-- Reference: closed form without friction: rate^2 = 3 g (sin(start) - sin(angle)) / length until sin(angle) =
-- 2/3 of sin(start), where the ladder leaves the wall: from 60 degrees at 35.26438968 degrees, after
-- .32503070159 s. Then its energy determines the motion until it lies down. With friction, the position of
-- rest if it stands, nil if it slides.
local scene = require "holonom.scene"
local angle = scene.param("angle", math.pi / 3, "to the floor at the start, rad")
local floor = scene.param("floor", 0.0, "friction with the floor")
local wall = scene.param("wall", 0.0, "friction with the wall")
local g, l, m, r = 9.81, 1.0, 1.0, 1e-6 -- its ends are round: a micrometre
local sys = scene.system { gravity = { 0, -g, 0 }, planar = true }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } },
           material = "floor" }
sys:body { name = "wall", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 1, 0, 0 } },
           material = "wall" }
local function place(a) return { r + l / 2 * math.cos(a), r + l / 2 * math.sin(a), 0 } end
sys:body { name = "ladder", mass = m, inertia = m * l ^ 2 / 12, position = place(angle),
           axis_angle = { 0, 0, 1, math.pi - angle }, material = "ladder",
           shapes = { { shape = scene.circle { radius = r }, position = { -l / 2, 0, 0 } },
                      { shape = scene.circle { radius = r }, position = { l / 2, 0, 0 } } } }
sys:material_pair { "floor", "ladder", friction = floor }
sys:material_pair { "wall", "ladder", friction = wall }
sys:contact { margin = 0.05 }
-- Time to rotate by s^2: the integral of 1 / rate, with sin(start) - sin(angle) written without cancellation.
local function rate(turned)
  return math.sqrt(6 * g / l * math.cos(angle - turned / 2) * math.sin(turned / 2))
end
local function time(s) return scene.integral(function(x) return 2 * x / rate(x ^ 2) end, 0, s) end
local last = math.asin(2 / 3 * math.sin(angle)) -- at the wall
local leaves = math.sqrt(angle - last)
-- Afterwards, on the floor alone: the horizontal velocity is constant, and the energy gives the rate.
local function weight_of(a) return l ^ 2 / 4 * math.cos(a) ^ 2 + l ^ 2 / 12 end
local function rate_down(a)
  local left = weight_of(last) * rate(angle - last) ^ 2 + g * l * (math.sin(last) - math.sin(a))
  return math.sqrt(left / weight_of(a))
end
local function time_down(turned)
  return scene.integral(function(x) return 1 / rate_down(last - x) end, 0, turned)
end
local function on_the_floor(t)
  if t > time_down(last) then return nil end
  local now = last - scene.zero(function(x) return time_down(x) - t end, 0, last)
  local w, v = rate_down(now), l / 2 * math.sin(last) * rate(angle - last)
  local at = scene.add(place(last), { v * t, l / 2 * (math.sin(now) - math.sin(last)), 0 })
  return { ladder = { position = at, velocity = { v, -l / 2 * math.cos(now) * w, 0 },
                      angular_velocity = { 0, 0, w } } }
end
sys:reference(function(t)
  if math.tan(angle) * 2 * floor >= 1 - floor * wall then
    return { ladder = { position = place(angle), velocity = { 0, 0, 0 }, angular_velocity = { 0, 0, 0 } } }
  end
  if floor > 0 or wall > 0 then return nil end
  if t > time(leaves) then return on_the_floor(t - time(leaves)) end
  local s = t == 0 and 0 or scene.zero(function(x) return time(x) - t end, 0, leaves)
  local now, w = angle - s ^ 2, s == 0 and 0 or rate(s ^ 2)
  return { ladder = { position = place(now), angular_velocity = { 0, 0, w },
                      velocity = { l / 2 * math.sin(now) * w, -l / 2 * math.cos(now) * w, 0 } } }
end)
-- Bounds: order 1: positions lead by half a step, v h / 2 with v = 1.1 m/s at 0.3 s, and velocities change by
-- as much.
sys:expect { solver = "moreau", error = 1.2e-3, penetration = 1e-9, duration = 0.3 }
sys:expect { solver = "moreau", step = 0.0001, error = 1.2e-4, penetration = 1e-9, duration = 0.3 }
sys:expect { solver = "moreau:contact=newton", error = 1.2e-3, penetration = 1e-9, duration = 0.3 }
sys:expect { solver = "moreau", step = 0.004, order = 1 }
-- Past the instant at which it leaves the wall: rounding, or the order of the solver.
sys:expect { solver = "events:inner=lagrange:stepper=rk8pd", step = 0.01, duration = 0.4, error = 1e-10 }
sys:expect { solver = "events:inner=lagrange", step = 0.04, duration = 0.4, order = 4 }
sys:expect { solver = "impulse-contact", step = 0.02, duration = 0.4, order = 2 }
sys:defaults { solver = "moreau", step = 0.001, duration = 0.3 }
return sys
