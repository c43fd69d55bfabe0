-- hertz_impact.lua: a ball strikes a floor with compliant contact and rebounds
-- Stresses: a force of d^(3/2) that begins within a step; conservation of energy through an impact, or its
-- loss by the law of Hunt and Crossley.
-- Source: Hertz 1882; Hunt and Crossley 1975.
-- Reference: without dissipation, quadrature. The deepest compression is d = (5 m v^2 / (4 k))^(2/5), the
-- duration 2.9432751843 d / v. The compression is (1 - s^2) d at a time x d / v before and after the middle
-- of the impact, where x is the integral of 2 s / sqrt(1 - (1 - s^2)^(5/2)) from 0 to s. With dissipation c
-- the ball leaves at e v. The restitution e = 1 - c v + O(c^2 v^2) depends on c v alone: .767999789 for 0.3.
local scene = require "holonom.scene"
local k = scene.param("stiffness", 1e8, "of the contact, N/m^1.5")
local c = scene.param("dissipation", 0.0, "of Hunt and Crossley's law, s/m; 0: Hertz's law")
local v = scene.param("speed", 1.0, "at the start, downwards, m/s")
local gap = scene.param("gap", 0.001, "at the start, m")
local m, r = 1.0, 0.05
local d = (5 * m * v ^ 2 / (4 * k)) ^ 0.4
local sys = scene.system { gravity = { 0, 0, 0 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 },
           shape = scene.plane { normal = { 0, 0, 1 } } }
sys:body { name = "ball", mass = m, shape = scene.sphere { radius = r }, position = { 0, 0, r + gap },
           velocity = { 0, 0, -v } }
if c > 0 then sys:contact { law = "hunt-crossley", stiffness = k, dissipation = c }
else sys:contact { law = "hertz", stiffness = k } end
-- Returns the integrand, and its integral from 0 to s by Simpson's rule.
local function integrand(s)
  if s < 1e-6 then return 2 / math.sqrt(2.5) end
  return 2 * s / math.sqrt(1 - (1 - s ^ 2) ^ 2.5)
end
local function integral(s, n)
  local sum = integrand(0) + integrand(s)
  for i = 1, n - 1 do sum = sum + (i % 2 == 1 and 4 or 2) * integrand(i * s / n) end
  return sum * s / (3 * n)
end
local half = integral(1, 10000)
-- Returns the height of the lowest point and its velocity at the time t, by Newton's method in the impact.
local function motion(t)
  local after = t - gap / v - half * d / v -- the middle of the impact
  local x = math.abs(after) * v / d
  if x >= half then return (x - half) * d, after > 0 and v or -v end
  local s = x / half
  for _ = 1, 8 do s = s - (integral(s, 400) - x) / integrand(s) end
  local speed = v * math.sqrt(1 - (1 - s ^ 2) ^ 2.5)
  return -(1 - s ^ 2) * d, after > 0 and speed or -speed
end
if c == 0 then
  sys:reference(function(t)
    local z, rate = motion(t)
    return { ball = { position = { 0, 0, r + z }, velocity = { 0, 0, rate } } }
  end)
  -- Bounds: the tolerances of the solvers, times the number of their steps.
  sys:expect { solver = "lagrange:stepper=rk8pd,adaptive=true,error_tolerance=1e-13", error = 1e-12,
               energy_error = 1e-11 }
  sys:expect { solver = "ida:error_tolerance=1e-12", error = 1e-11, energy_error = 1e-8 }
  -- Order 5/2 at the touch, where the force begins with a power of 3/2.
  sys:expect { solver = "lagrange", error = 1e-11, energy_error = 1e-8, step = 1e-6 }
end
sys:defaults { solver = "lagrange", step = 1e-5, duration = 0.004 }
return sys
