-- chain8.lua: a closed loop of n links suspended between two supports
-- Stresses: a loop through the ground, for which Gauss-Seidel needs many sweeps; joint corrections of rigid
-- bodies in large swings. The links start in a V, since a straight chain between its supports is a singular
-- position.
-- Source: the chain of eight bodies in Bender, Finkenzeller and Schmitt (2005). They count passes over the
-- joints (50 to 581 a step, 162 on average) but give no dimensions; those here are ours. Their chain seems to
-- hang asymmetrically: with length = 0.5, section = 0.05, down = 2 and span = 2.92, Gauss-Seidel comes close
-- to their counts (bench/README.md).
-- No published trajectory.
local scene = require "holonom.scene"
local n     = scene.param("n", 8, "number of links, even")      -- overridden by --set n=64
local span  = scene.param("span", 0.75 * n, "distance between the supports, m")
local length = scene.param("length", 1.0, "length of a link, m")
local section = scene.param("section", 0.1, "side of a link's square section, m")
local down = scene.param("down", n // 2, "links that go down at the start; the others go up, straight")
if n < 2 or n % 2 ~= 0 then error("n must be even and at least 2, not " .. n) end
if length <= 0 then error("length must be above 0, not " .. length) end
if span <= 0 or span >= n * length then
  error("span must be above 0 and below n length = " .. n * length .. ", not " .. span)
end
if down < 1 or down >= n or math.abs(n - 2 * down) * length >= span then
  error("down must be such that both arms and the span make a triangle, not " .. down)
end
local sys   = scene.system { gravity = { 0, -9.81, 0 } }
-- A V with arms of lengths a and b: straight links would be singular.
local a, b = down * length, (n - down) * length
local fall, rise = math.acos(span / (n * length)), nil
if down * 2 == n then rise = fall
else
  fall = math.acos((a * a + span * span - b * b) / (2 * a * span))
  rise = math.acos((b * b + span * span - a * a) / (2 * b * span))
end
local previous, x, y = sys.ground, 0, 0
for i = 1, n do
  local angle = i <= down and -fall or rise
  local dx, dy = length * math.cos(angle), length * math.sin(angle)
  local link = sys:body { name = "link" .. i, shape = scene.box { length, section, section }, density = 600,
                          position = { x + dx / 2, y + dy / 2, 0 }, axis_angle = { 0, 0, 1, angle } }
  sys:ball { previous, link, at = { x, y, 0 } }
  previous, x, y = link, x + dx, y + dy
end
sys:ball { previous, sys.ground, at = { x, y, 0 } }
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "impulse-sle:tolerance=1e-12,flight=taylor,flight_order=5", drift = 1e-12,
             velocity_drift = 2e-14, energy_error = 2.5 }
sys:expect { solver = "impulse-gs:tolerance=1e-12,velocity_tolerance=1e-12,flight=taylor,flight_order=5",
             drift = 1e-12, velocity_drift = 1e-12, energy_error = 2.5 }
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", duration = 1, drift = 5e-13,
             velocity_drift = 2e-14, energy_error = 3e-10 }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 10 }
return sys
