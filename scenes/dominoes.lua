-- dominoes.lua: a row of dominoes; the first is pushed, and each one fells the next and leans on it
-- Stresses: impacts that propagate through a growing row of leaning bodies; contacts that slide without
-- friction above and must not slide below.
-- Source: van Leeuwen (2010), The domino effect.
-- Reference: his model without friction between dominoes, by closed form and quadrature, until the last
-- domino is struck. The dominoes rotate about their lower edges only. All leaning dominoes have one degree of
-- freedom, h sin(a_i - a_j) = pitch cos(a_j) - thickness for neighbours i and j. Energy is conserved between
-- impacts. An impact conserves the momentum of the common motion of the row and the next domino.
local scene = require "holonom.scene"
local count = scene.param("count", 12, "dominoes")
local thickness = scene.param("thickness", 0.0075,
                              "m; 0.007 to 0.008 in the experiments that are cited there")
local gap = scene.param("gap", 0.02, "between dominoes, m")
local mu = scene.param("friction", 0.0, "between dominoes; above 0 there is no reference")
local floor = scene.param("floor", 10.0,
                          "friction with the floor; less than about 2 lets them slide backwards")
local push = scene.param("push", 6.0, "rate of the first one at the start, rad/s")
local g, h, m = 9.81, 0.048, 0.01
local pitch, J = gap + thickness, m * (h ^ 2 + thickness ^ 2) / 3 -- about an edge
local sys = scene.system { gravity = { 0, -g, 0 }, planar = true }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } },
           material = "floor" }
-- A domino whose lower right edge is at x = 0, rotated by ANGLE about it.
local function pose(angle, rate)
  local s, c = math.sin(angle), math.cos(angle)
  local x, y = -thickness / 2 * c + h / 2 * s, thickness / 2 * s + h / 2 * c
  return { x = x, y = y, vx = rate * y, vy = -rate * x }
end
for i = 1, count do
  local rate = i == 1 and push or 0
  local at = pose(0, rate)
  sys:body { name = "domino" .. i, mass = m, inertia = m * (h ^ 2 + thickness ^ 2) / 12, material = "domino",
             position = { at.x + (i - 1) * pitch, at.y, 0 }, velocity = { at.vx, at.vy, 0 },
             angular_velocity = { 0, 0, -rate },
             shape = scene.polygon { { -thickness / 2, -h / 2 }, { thickness / 2, -h / 2 },
                                     { thickness / 2, h / 2 }, { -thickness / 2, h / 2 } } }
end
sys:material_pair { "floor", "domino", friction = floor }
sys:material_pair { "domino", "domino", friction = mu }
sys:contact { margin = thickness / 4, threshold = 1e-3 }
-- Angles of LEANING dominoes, the front one at ANGLE, and their rates relative to that of the front one.
local function row(leaning, angle)
  local angles, shares = { angle }, { 1 }
  for i = 2, leaning do
    local front = angles[i - 1]
    local sine = (pitch * math.cos(front) - thickness) / h
    angles[i] = front + math.asin(sine)
    shares[i] = shares[i - 1] * (1 - pitch * math.sin(front) / (h * math.sqrt(1 - sine ^ 2)))
  end
  return angles, shares
end
local function sums(leaning, angle)
  local angles, shares = row(leaning, angle)
  local V, M = 0, 0
  for i = 1, leaning do
    V, M = V + m * g * pose(angles[i], 0).y, M + J * shares[i] ^ 2
  end
  return V, M, shares
end
local strikes = math.asin(gap / h)
-- The row has had ENERGY since the front domino began to fall: returns the rate at ANGLE, and the time until
-- then.
local function rate(leaning, energy, angle)
  local V, M = sums(leaning, angle)
  return math.sqrt(2 * (energy - V) / M)
end
local function time(leaning, energy, angle)
  return scene.integral(function(x) return 1 / rate(leaning, energy, x) end, 0, angle)
end
sys:reference(function(t)
  if mu > 0 then return nil end
  local leaning, V = 1, sums(1, 0)
  local energy = V + J * push ^ 2 / 2
  while true do
    if leaning == count then return nil end
    local whole = time(leaning, energy, strikes)
    if t < whole then break end
    local w, _, M, shares = rate(leaning, energy, strikes), sums(leaning, strikes)
    local after, all, next_shares = sums(leaning + 1, 0)
    local kept = M * w * next_shares[2] / all -- momentum along the motion of all that now lean
    t, leaning, energy = t - whole, leaning + 1, after + all * kept ^ 2 / 2
  end
  local angle = t == 0 and 0 or scene.zero(function(x) return time(leaning, energy, x) - t end, 0, strikes)
  local angles, shares = row(leaning, angle)
  local w, all = rate(leaning, energy, angle), {}
  for i = 1, count do
    local k = leaning - i + 1
    local own, own_rate = k > 0 and angles[k] or 0, k > 0 and w * shares[k] or 0
    local at = pose(own, own_rate)
    all["domino" .. i] = { position = { at.x + (i - 1) * pitch, at.y, 0 }, velocity = { at.vx, at.vy, 0 },
                           orientation = scene.turn(0, 0, 1, -own), angular_velocity = { 0, 0, -own_rate } }
  end
  return all
end)
-- Bounds: rounding. For other solvers, the time error of an impact is up to a step, 0.5 m/s times h, for
-- eleven impacts.
sys:expect { solver = "events:inner=lagrange:stepper=rk8pd", step = 0.002, error = 1e-10, penetration = 1e-9 }
sys:expect { solver = "impulse-contact", step = 0.002, order = 2 }
sys:expect { solver = "moreau:contact=newton", error = 1.1e-3, penetration = 1e-9 }
sys:defaults { solver = "moreau:contact=newton", step = 0.0002, duration = 0.3 }
return sys
