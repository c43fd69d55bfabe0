-- bouncing_balls.lua: balls dropped from a height bounce on the floor with a given restitution
-- Stresses: impacts, which a time-stepping solver locates only to within a step; conservation of energy for e
-- = 1; infinitely many impacts in finite time for e < 1.
-- Source: classical. SimBenchmark "bouncing" is 49 balls of 10 kg with e = 1 from 5 m over 20 s (--set side=7
-- --set height=5 --set restitution=1). Published mean squared error of energy: RaiSim 0.0186, ODE 185, DART
-- 7e4, Bullet 7.5e4.
-- Reference: closed form. A fall from h takes sqrt(2 h / g); each bounce leaves a fraction e of the speed.
-- The ball rests after sqrt(2 h / g) (1 + e) / (1 - e): 1.3545709 s for e = 0.5, h = 1, and
-- 4.0637127688715781401 s for e = 0.8.
local scene = require "holonom.scene"
local side = scene.param("side", 1, "balls in a row of a square")
local height = scene.param("height", 1.0, "of the lowest points at the start, m")
local e = scene.param("restitution", 0.5, "with the floor", { live = true, low = 0, high = 1 })
local threshold = scene.param("threshold", 1e-4, "speed below which restitution is zero, m/s")
local g, r = 9.81, 0.1
local sys = scene.system { gravity = { 0, 0, -g } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } },
           restitution = e }
local balls = {}
for i = 1, side do
  for j = 1, side do
    local ball = { name = "ball" .. (side * (i - 1) + j), x = i - 1, y = j - 1 }
    sys:body { name = ball.name, mass = 10, shape = scene.sphere { radius = r }, restitution = e,
               position = { ball.x, ball.y, height + r } }
    balls[#balls + 1] = ball
  end
end
sys:contact { margin = 0.1, threshold = threshold }
-- Returns the height of the lowest point and its velocity.
local function fall(t)
  local at, v = math.sqrt(2 * height / g), math.sqrt(2 * height * g)
  if t < at then return height - g * t ^ 2 / 2, -g * t end
  t = t - at
  while v > 1e-9 do
    v = e * v
    if t < 2 * v / g then return v * t - g * t ^ 2 / 2, v - g * t end
    t = t - 2 * v / g
  end
  return 0, 0
end
sys:reference(function(t)
  local all, z, v = {}, fall(t)
  for _, ball in ipairs(balls) do
    all[ball.name] = { position = { ball.x, ball.y, z + r }, velocity = { 0, 0, v } }
  end
  return all
end)
-- Bounds: the time error of an impact is up to h, which is up to (1 + e) v h in height, for each impact.
sys:expect { solver = "moreau", error = 0.0133, penetration = 1e-9 }
sys:expect { solver = "moreau", step = 0.0001, error = 0.00133, penetration = 1e-9 }
sys:expect { solver = "moreau", error = 1e-9, penetration = 1e-9, duration = 2 }
sys:defaults { solver = "moreau", step = 0.001, duration = 0.8 }
return sys
