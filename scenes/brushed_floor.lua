-- brushed_floor.lua: pucks launched straight ahead over a floor with a grain curve off towards the grain
-- Stresses: anisotropic friction, whose direction is not opposite to the slip; long slides to a stop.
-- Source: our own. The law of friction is the associated one of Michalowski and Mroz (1978).
-- Reference: friction f_i = -m g mu_i^2 v_i / sqrt((mu_x v_x)^2 + (mu_y v_y)^2) along and across the grain.
-- With v_x = s v_x(0), all else follows: v_y = s^k v_y(0), k = (mu_y / mu_x)^2, and time and distances are
-- integrals over s from 1 to 0, where the puck rests. They are computed by Gauss and Legendre's rule, and s
-- from the time by bisection.
local scene = require "holonom.scene"
local along = scene.param("along", 0.2, "friction along the grain, the axis x")
local across = scene.param("across", 0.4, "friction across the grain, at least that along it")
local speed = scene.param("speed", 2, "of all pucks, m/s")
local g, high = 9.81, 0.1
local sys = scene.system { gravity = { 0, 0, -g } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } },
           material = "brushed steel", friction_axis = { 1, 0, 0 } }
local pucks = { a = 15, b = 35, c = 55, d = 75, e = 90 } -- angles of their velocities to the grain, degrees
local y = { a = 0, b = 0.3, c = 0.6, d = 0.9, e = 1.2 }
local names = { "a", "b", "c", "d", "e" }
local function launch(name)
  local angle = math.rad(pucks[name])
  return speed * math.cos(angle), speed * math.sin(angle)
end
for _, name in ipairs(names) do
  local vx, vy = launch(name)
  sys:body { name = name, mass = 1, shape = scene.box { 0.2, 0.2, high }, material = "puck",
             position = { 0, y[name], high / 2 }, velocity = { vx, vy, 0 } }
end
sys:material_pair { "brushed steel", "puck", friction = along, friction_across = across }
sys:contact { margin = 0.01 }
-- Integral of f from s to 1, by five points on each of 40 parts.
local node = { { 0, 128 / 225 }, { 0.5384693101056831, 0.4786286704993665 },
               { 0.9061798459386640, 0.2369268850561891 } }
local function integral(f, s)
  local half, sum = (1 - s) / 80, 0
  for i = 0, 39 do
    local mid = s + (2 * i + 1) * half
    sum = sum + node[1][2] * f(mid)
    for k = 2, 3 do sum = sum + node[k][2] * (f(mid - half * node[k][1]) + f(mid + half * node[k][1])) end
  end
  return half * sum
end
local k = (across / along) ^ 2
-- Position and velocity of a puck after the time t.
local function slide(vx, vy, t)
  local function rate(s)
    return math.sqrt((along * vx) ^ 2 + (across * vy * s ^ (k - 1)) ^ 2) / (along ^ 2 * g)
  end
  if vx < 1e-9 * vy then -- straight across the grain
    local left = math.max(vy - across * g * t, 0)
    return 0, (vy ^ 2 - left ^ 2) / (2 * across * g), 0, left
  end
  local low, high = 0, 1
  if t < integral(rate, 0) then
    for _ = 1, 6 do
      local s = (low + high) / 2
      if integral(rate, s) > t then low = s else high = s end
    end
    for _ = 1, 5 do low = low + (integral(rate, low) - t) / rate(low) end -- Newton's method, from below
  end
  return vx * integral(function(s) return s * rate(s) end, low),
         vy * integral(function(s) return s ^ k * rate(s) end, low), low * vx, low ^ k * vy
end
sys:reference(function(t)
  local all = {}
  for _, name in ipairs(names) do
    local vx, vy = launch(name)
    local dx, dy, ux, uy = slide(vx, vy, t)
    all[name] = { position = { dx, y[name] + dy, high / 2 }, velocity = { ux, uy, 0 } }
  end
  return all
end)
-- Bounds: order 1; positions lead by v h / 2 = 0.002 m for theta = 1.
sys:expect { solver = "moreau:contact_tolerance=1e-11", error = 0.0022, penetration = 1e-9 }
sys:expect { solver = "moreau:theta=0.5,contact_tolerance=1e-11", error = 0.0007, penetration = 1e-9 }
sys:expect { solver = "xpbd", error = 0.0002 }
sys:expect { solver = "impulse-gs", error = 0.0007 }
sys:defaults { solver = "moreau", step = 0.002, duration = 1.2 }
return sys
