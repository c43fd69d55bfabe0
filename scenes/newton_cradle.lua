-- newton_cradle.lua: balls suspended side by side; the first one swings against the others
-- Stresses: several simultaneous impacts, whose solution is not unique. By Newton's law for simultaneous
-- impacts with e = 1, one ball of n that arrives with v rebounds with (2 - n) / n v, and all others leave
-- together with 2 / n v. In sequence, as with gap > 0, the last one alone leaves with v. Both conserve energy
-- and momentum.
-- Source: classical.
-- Reference: closed form, until balls collide again: pendulums that start with these rates.
local scene = require "holonom.scene"
local balls = scene.param("balls", 5, "side by side")
local gap = scene.param("gap", 0.0, "between balls at rest, m; with a gap impacts come one after the other")
local lifted = scene.param("lifted", 0.5, "angle of the first ball at the start, rad")
local e = scene.param("restitution", 1.0, "between balls", { live = true, low = 0, high = 1 })
local g, l, r, m = 9.81, 1.0, 0.05, 1.0
local J = m * r ^ 2 / 2
local sys = scene.system { gravity = { 0, -g, 0 }, planar = true }
for i = 1, balls do
  local x, angle = (2 * r + gap) * (i - 1), i == 1 and lifted or 0
  local ball = sys:body { name = "ball" .. i, mass = m, inertia = J, shape = scene.circle { radius = r },
                          position = { x - l * math.sin(angle), -l * math.cos(angle), 0 }, restitution = e }
  sys:hinge { sys.ground, ball, at = { x, 0, 0 }, axis = { 0, 0, 1 }, name = "string" .. i }
end
sys:contact { margin = 0.02 }
local omega = math.sqrt(m * g * l / (m * l ^ 2 + J))
-- Angle and rate at t of a pendulum that passed the lowest point at 0 with the rate W.
local function swing(w, t)
  local amplitude = 2 * math.asin(math.abs(w) / (2 * omega))
  if w == 0 then return 0, 0 end
  local quarter = scene.special.ellipK(math.sin(amplitude / 2) ^ 2) / omega
  local s, c = scene.pendulum(omega, amplitude, t + 3 * quarter)
  local sign = w > 0 and 1 or -1
  return sign * math.atan(s, c), sign * omega * math.sqrt(2 * math.max(c - math.cos(amplitude), 0))
end
local fastest = 2 * omega * math.sin(lifted / 2)
local meets = scene.special.ellipK(math.sin(lifted / 2) ^ 2) / omega
local after = {} -- the rates: no gap, all at once; else one after the other, for e = 1
for i = 1, balls do
  if gap == 0 then after[i] = (i == 1 and 1 - e * (balls - 1) or 1 + e) / balls * fastest
  else after[i] = i == balls and fastest or 0 end
end
sys:reference(function(t)
  if t > meets + math.pi / omega / 2 or (gap > 0 and e < 1) then return nil end
  local all = {}
  for i = 1, balls do
    local angle, rate = 0, 0
    if t >= meets then
      angle, rate = swing(after[i], t - meets)
    elseif i == 1 then
      local s, c = scene.pendulum(omega, lifted, t)
      angle, rate = -math.atan(s, c), omega * math.sqrt(2 * math.max(c - math.cos(lifted), 0))
    end
    local x = (2 * r + gap) * (i - 1)
    all["ball" .. i] = { position = { x + l * math.sin(angle), -l * math.cos(angle), 0 },
                         velocity = { l * math.cos(angle) * rate, l * math.sin(angle) * rate, 0 },
                         angular_velocity = { 0, 0, rate } }
  end
  return all
end)
-- Bounds: order 1: the impact is up to a step early, and positions lead by up to a step, 2 v h with v = 1.55
-- m/s.
sys:expect { solver = "moreau", error = 3.1e-3, penetration = 1e-9, drift = 1e-9 }
sys:expect { solver = "moreau", step = 0.0001, error = 3.1e-4, penetration = 1e-9, drift = 1e-9 }
sys:expect { solver = "moreau:contact=newton", error = 3.1e-3, penetration = 1e-9, drift = 1e-9 }
sys:expect { solver = "impulse-contact", step = 0.005, order = 2 }
sys:expect { solver = "impulse-contact:restitution=newton", step = 0.005, order = 2 }
sys:defaults { solver = "moreau", step = 0.001, duration = 0.8 }
return sys
