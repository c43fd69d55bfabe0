-- rocking_block.lua: a slender block, released from a tilt, rocks from corner to corner
-- Stresses: impacts at which one corner strikes and the other one leaves; corners that must not slide.
-- Source: Housner (1963).
-- Reference: closed form and quadrature. About a corner, at the distance R from the centre, the block rotates
-- by rate^2 = 2 p^2 (cos(alpha - lean) - cos(alpha - angle)), p^2 = 3 g / (4 R), alpha being the half angle
-- at the corner. An impact leaves the fraction r = 1 - 1.5 sin(alpha)^2 of the rate. For slender blocks the
-- period is about 4 / p acosh(1 / (1 - lean / alpha)): tests/event/test_machines_ground.c.
local scene = require "holonom.scene"
local half, high = scene.param("half", 0.1, "half of its width, m"),
  scene.param("high", 0.5, "half of its height, m")
local lean = scene.param("lean", 0.5, "at the start, of the angle at which it falls over")
local e = scene.param("restitution", 0.0, "with the floor; above 0 there is no reference")
local mu = scene.param("friction", 0.6, "with the floor")
local g, m = 9.81, 10.0
local R, alpha = math.sqrt(half ^ 2 + high ^ 2), math.atan(half, high)
local p, r = math.sqrt(3 * g / (4 * R)), 1 - 1.5 * math.sin(alpha) ^ 2
local sys = scene.system { gravity = { 0, -g, 0 }, planar = true }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, friction = mu, restitution = e,
           shape = scene.plane { normal = { 0, 1, 0 } } }
-- The block tilted by ANGLE, positive to the right, with the corresponding RATE.
local function pose(angle, rate)
  local side = angle < 0 and -1 or 1
  local x, y = -R * math.sin(alpha - side * angle), R * math.cos(alpha - side * angle) -- from the corner
  return { position = { side * (half + x), y, 0 }, orientation = scene.turn(0, 0, 1, -angle),
           velocity = { rate * y, -rate * side * x, 0 }, angular_velocity = { 0, 0, -rate } }
end
local first = pose(lean * alpha, 0)
sys:body { name = "block", mass = m, inertia = m * R ^ 2 / 3, position = first.position,
           orientation = first.orientation, friction = mu, restitution = e,
           shape = scene.polygon { { -half, -high }, { half, -high }, { half, high }, { -half, high } } }
sys:contact { margin = 0.05, threshold = 1e-4 }
-- Rate and time when the block has fallen by x from rest at the angle TOP.
local function rate(top, x) return 2 * p * math.sqrt(math.sin(alpha - top + x / 2) * math.sin(x / 2)) end
local function time(top, x)
  return scene.integral(function(s) return 2 * s / rate(top, s ^ 2) end, 0, math.sqrt(x))
end
sys:reference(function(t)
  if e > 0 then return nil end
  local top, side, quarter = lean * alpha, 1, time(lean * alpha, lean * alpha)
  local falls = true
  while t >= quarter do -- a fall ends with an impact, a rise at the top
    t, falls = t - quarter, not falls
    if not falls then
      local w = r * rate(top, top)
      side, top = -side, alpha - math.acos(math.cos(alpha) + (w / p) ^ 2 / 2)
      quarter = time(top, top)
    end
  end
  local left = falls and t or quarter - t
  local root = left == 0 and 0 or scene.zero(function(s) return time(top, s ^ 2) - left end, 0,
                                             math.sqrt(top))
  return { block = pose(side * (top - root ^ 2),
                        side * (falls and -1 or 1) * (root == 0 and 0 or rate(top, root ^ 2))) }
end)
-- Bounds: rounding. Errors of other solvers are those of the impact times.
sys:expect { solver = "events:inner=lagrange:stepper=rk8pd", error = 1e-10, penetration = 1e-9 }
sys:expect { solver = "events:inner=taylor", error = 1e-10, penetration = 1e-9 }
sys:expect { solver = "events:inner=lagrange", order = 4 }
sys:expect { solver = "impulse-contact", order = 2 }
sys:expect { solver = "moreau", step = 0.001, order = 1, penetration = 1e-9 }
sys:defaults { solver = "events:inner=lagrange:stepper=rk8pd", step = 0.02, duration = 3 }
return sys
