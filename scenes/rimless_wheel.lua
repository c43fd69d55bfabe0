-- rimless_wheel.lua: a wheel of spokes without a rim walks down a slope on its spokes
-- Stresses: impacts at which one foot strikes and the other one leaves at the same instant; a limit cycle,
-- reached from any start that passes the first foot; the leaving foot must not be held.
-- Source: McGeer (1990), Passive dynamic walking.
-- Reference: closed form and quadrature. About its foot, a spoke at the angle phi from the normal of the
-- slope is an inverted pendulum: I rate^2 / 2 + m g l cos(phi + slope) is constant. An impact conserves the
-- angular momentum about the new foot: rate+ = eta rate-, eta = (m l^2 cos(2 alpha) + J) / (m l^2 + J), with
-- 2 alpha between spokes. In the limit rate-^2 = 4 m g l sin(slope) sin(alpha) / (I (1 - eta^2)).
local scene = require "holonom.scene"
local spokes = scene.param("spokes", 8, "number of spokes")
local slope = scene.param("slope", 0.1, "angle of the plane, rad")
local share = scene.param("share", 0.1,
                          "moment of inertia about the hub over m l^2; 0: McGeer's point mass, nearly")
local start = scene.param("start", 1.0, "rate at the start over that of the limit cycle")
local mu = scene.param("friction", 1.0, "of the feet")
local g, m, l = 9.81, 1.0, 1.0
local alpha, J = math.pi / spokes, math.max(share, 1e-9) * m * l ^ 2
local I = m * l ^ 2 + J
local eta = (m * l ^ 2 * math.cos(2 * alpha) + J) / I
local gain = 4 * m * g * l * math.sin(slope) * math.sin(alpha) / I -- of rate^2 in a step
local cycle = eta * math.sqrt(gain / (1 - eta ^ 2))                -- after an impact
-- x down the slope
local sys = scene.system { gravity = { g * math.sin(slope), -g * math.cos(slope), 0 }, planar = true }
sys:body { name = "slope", fixed = true, position = { 0, 0, 0 }, friction = mu,
           shape = scene.plane { normal = { 0, 1, 0 } } }
-- The first foot stands at the origin, ahead of the hub; the one behind has just left.
local legs, leg = {}, scene.polygon { { -0.03, 0 }, { 0, -l }, { 0.03, 0 } }
for i = 1, spokes do legs[i] = { shape = leg, axis_angle = { 0, 0, 1, (2 * i - 1) * alpha } } end
local rate = start * cycle
sys:body { name = "wheel", mass = m, inertia = J, friction = mu, shapes = legs,
           position = { -l * math.sin(alpha), l * math.cos(alpha), 0 },
           velocity = { rate * l * math.cos(alpha), rate * l * math.sin(alpha), 0 },
           angular_velocity = { 0, 0, -rate } }
sys:contact { margin = 0.05 }
-- Returns the rate at PHI after an impact that left the rate W, or nil if the wheel falls back; and the time
-- to PHI.
local function rate_at(w, phi)
  return math.sqrt(w ^ 2 + 4 * m * g * l / I * math.sin((phi - alpha) / 2 + slope) *
                   math.sin((phi + alpha) / 2))
end
local function time_to(w, phi)
  local parts, time = 4, 0
  local step = (phi + alpha) / parts
  for i = 1, parts do
    time = time + scene.integral(function(x) return 1 / rate_at(w, x) end, -alpha + (i - 1) * step,
                                 -alpha + i * step)
  end
  return time
end
local function gets_over(w) return w ^ 2 > 4 * m * g * l / I * math.sin((alpha - slope) / 2) ^ 2 end
sys:reference(function(t)
  local w, foot, turned = rate, 0, 0
  while true do
    if not gets_over(w) then return nil end
    local whole = time_to(w, alpha)
    if t < whole then break end
    t, w, foot, turned = t - whole, eta * rate_at(w, alpha), foot + 2 * l * math.sin(alpha),
    turned + 2 * alpha
  end
  local phi = t == 0 and -alpha or scene.zero(function(x) return time_to(w, x) - t end, -alpha, alpha)
  local now, s, c = rate_at(w, phi), math.sin(phi), math.cos(phi)
  return { wheel = { position = { foot + l * s, l * c, 0 }, velocity = { now * l * c, -now * l * s, 0 },
                     orientation = scene.turn(0, 0, 1, -turned - phi - alpha),
                     angular_velocity = { 0, 0, -now } } }
end)
-- Bounds: rounding, as it grows in a dozen steps. Errors of other solvers are those of the impact times.
sys:expect { solver = "events:inner=lagrange:stepper=rk8pd", error = 1e-10, penetration = 1e-9 }
sys:expect { solver = "events:inner=taylor", error = 1e-10, penetration = 1e-9 }
sys:expect { solver = "events:inner=lagrange", order = 4 }
sys:expect { solver = "impulse-contact", order = 2 }
sys:expect { solver = "moreau", step = 0.002, order = 1, penetration = 1e-9 }
sys:defaults { solver = "events:inner=lagrange:stepper=rk8pd", step = 0.02, duration = 5 }
return sys
