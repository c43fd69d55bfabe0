-- painleve.lua: a rod is pushed over a rough floor, foot first, and jams immediately
-- Stresses: friction that drives the foot into the floor. When the rod slides foot first, a normal force N
-- accelerates the foot by N (1 + 3 c (c - mu s)) / m, c and s being cosine and sine of the angle to the
-- floor. With mu = 2 at 60 degrees this points downwards, so neither a force nor its absence is a solution.
-- Only an impulse is, although nothing collides (Painleve 1895): the foot stops, for any step size. With
-- slope = 0 it sticks, and the rod tips over it.
-- Source: Painleve's rod; Genot and Brogliato (1999).
-- Reference: closed form. The angular momentum about the foot is conserved, rate = 3/4 v s / half. Then the
-- rod is an inverted pendulum, until it stands 0.3 rad beyond the vertical.
local scene = require "holonom.scene"
local mu = scene.param("friction", 2.0,
                       "with the floor; below (1 + 3 c^2) / (3 c s), 1.347 at 60 degrees, it slides")
local angle = scene.param("angle", math.pi / 3, "to the floor at the start, rad")
local speed = scene.param("speed", 3.0, "at the start, foot ahead, m/s")
local g, m, half, r = 9.81, 1.0, 0.5, 1e-6 -- r: of its foot
local sys = scene.system { gravity = { 0, -g, 0 }, planar = true }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } },
           friction = mu }
-- the foot stands at x = 0
local function place(a) return { -half * math.cos(a), r + half * math.sin(a), 0 } end
sys:body { name = "rod", mass = m, inertia = m * half ^ 2 / 3, position = place(angle),
           velocity = { speed, 0, 0 }, axis_angle = { 0, 0, 1, -angle }, friction = mu,
           shapes = { { shape = scene.circle { radius = r }, position = { half, 0, 0 } } } }
sys:contact { margin = 0.02 }
local c, s = math.cos(angle), math.sin(angle)
local w0 = 0.75 * speed * s / half
local function rate(a) return math.sqrt(w0 ^ 2 - 1.5 * g / half * (math.sin(a) - s)) end
local last = math.pi / 2 + 0.3
local function time(a) return scene.integral(function(x) return 1 / rate(x) end, angle, a) end
local stays = 1 + 3 * c * (c - mu * s) < 0 and w0 ^ 2 > 1.5 * g / half * (1 - s)
sys:reference(function(t)
  if t == 0 then return { rod = { position = place(angle), velocity = { speed, 0, 0 } } } end
  if not stays or t > time(last) then return nil end
  local a = scene.zero(function(x) return time(x) - t end, angle, last)
  local w = rate(a)
  return { rod = { position = place(a), velocity = { half * math.sin(a) * w, half * math.cos(a) * w, 0 },
                   angular_velocity = { 0, 0, -w } } }
end)
-- Bounds: order 1: the jam is up to a step early or late, v h with v = 2 m/s, plus the resulting error of the
-- rate.
sys:expect { solver = "moreau", error = 4e-3, penetration = 1e-9 }
sys:expect { solver = "moreau", step = 0.0001, error = 4e-4, penetration = 1e-9 }
sys:expect { solver = "moreau:contact=newton", error = 4e-3, penetration = 1e-9 }
sys:expect { solver = "moreau:contact=lemke", error = 4e-3, penetration = 1e-9 }
sys:expect { solver = "moreau", step = 0.004, order = 1 }
sys:defaults { solver = "moreau", step = 0.001, duration = 0.2 }
return sys
