-- cart_pole.lua: a pendulum on a cart that moves freely on a rail, released at rest from the horizontal
-- Stresses: light carts. With M = 1e-6 the cart yields to the falling bob, which falls vertically and is
-- stopped within a microsecond: the pole reaches 4429 rad/s for an instant, and the mass ratio is a million.
-- Source: classical. The pole is a massless rod between the cart and a bob of 1 kg; both stay in the plane z
-- = 0.
-- Reference: with theta from the downward vertical, the energy gives theta'^2 = 2 g (M + m) cos theta / (l (M
-- + m sin^2 theta)), and the centre of mass keeps its x. With cos theta = cos^2 y the time becomes the
-- integral of a smooth function, t = t(0) - 2 sqrt(l m / (2 g (M + m))) integral_0^y sqrt(sin^2 y + (M / m) /
-- (1 + cos^2 y)) dy, for y from pi / 2 at the start to -pi / 2 at the other end, with sin theta = sin y
-- sqrt(1 + cos^2 y).
local scene = require "holonom.scene"
local M = scene.param("M", 1.0, "mass of the cart, kg")
local m, l, g = 1.0, 1.0, 9.81
local sys = scene.system { gravity = { 0, -g, 0 } }
local cart = sys:body { name = "cart", mass = M, inertia = { M / 100, M / 100, M / 100 },
                        position = { 0, 0, 0 } }
local bob = sys:particle { name = "bob", mass = m, position = { l, 0, 0 } }
sys:slider { sys.ground, cart, at = { 0, 0, 0 }, axis = { 1, 0, 0 }, name = "rail" }
sys:distance { cart, bob, at_a = { 0, 0, 0 }, name = "pole" }
sys:point_on_plane { sys.ground, bob, at_a = { 0, 0, 0 }, at_b = { l, 0, 0 }, axis = { 0, 0, 1 },
                     name = "plane" }

local scale = 2 * math.sqrt(l * m / (2 * g * (M + m)))
local function slowness(y)
  return scale * math.sqrt(math.sin(y) ^ 2 + M / m / (1 + math.cos(y) ^ 2))
end
-- Time from y >= 0 to 0, over intervals that shrink towards 0, where the integrand changes on the scale
-- sqrt(M / m).
local function time_left(y)
  local sum = 0
  while y > math.sqrt(M / m) / 4 do
    sum, y = sum + scene.integral(slowness, y / 2, y), y / 2
  end
  return sum + scene.integral(slowness, 0, y)
end
local quarter = time_left(math.pi / 2)
sys:reference(function(t)
  local along = t % (4 * quarter) -- since the last start
  local back = along > 2 * quarter
  if back then along = 4 * quarter - along end
  local left = math.abs(quarter - along)
  local y = scene.zero(function(y) return time_left(y) - left end, 0, math.pi / 2)
  if along > quarter then y = -y end
  local c, root = math.cos(y), math.sqrt(1 + math.cos(y) ^ 2)
  local sine, rate = math.sin(y) * root, (back and 1 or -1) / slowness(y)
  local x, vx = m * l * (1 - sine) / (M + m), -m * l / (M + m) * 2 * c ^ 3 / root * rate
  return {
    cart = { position = { x, 0, 0 }, velocity = { vx, 0, 0 }, orientation = { 1, 0, 0, 0 },
             angular_velocity = { 0, 0, 0 } },
    bob = { position = { x + l * sine, -l * c * c, 0 },
            velocity = { vx + l * 2 * c ^ 3 / root * rate, l * math.sin(2 * y) * rate, 0 } },
  }
end)
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", duration = 10, error = 2e-13,
             drift = 4e-14, velocity_drift = 5e-15, energy_error = 7e-13 }
sys:expect { solver = "taylor:order=12,stabilisation=projection", duration = 10, error = 9e-14, drift = 4e-14,
             velocity_drift = 5e-15, energy_error = 8e-13 }
sys:expect { solver = "impulse-composed:order=8", error = 3e-13, drift = 2e-13, velocity_drift = 9e-15,
             energy_error = 1.1e-11 }
sys:expect { solver = "impulse-sle", error = 4e-6, drift = 2e-9, velocity_drift = 9e-15, energy_error = 3e-4 }
sys:expect { solver = "impulse-gs", error = 4e-6, drift = 2e-9, velocity_drift = 2e-9, energy_error = 3e-4 }
sys:defaults { solver = "impulse-sle", step = 0.001, duration = 1 }
return sys
