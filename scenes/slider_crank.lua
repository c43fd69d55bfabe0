-- slider_crank.lua: a rotating crank, a connecting rod and a slider under gravity
-- Stresses: one closed loop, in space. With a hinge at every pin the mechanism has 20 rows of rank 17 for its
-- one degree of freedom. With a ball joint and a universal joint at the ends of the rod the same motion has
-- 17 independent rows (hinges = false).
-- Source: classical.
-- Reference: from the energy, I phi'^2 / 2 + V(phi) = E, with the angle phi of the crank and its effective
-- inertia I(phi). Hence t is the integral of sqrt(I / (2 (E - V))): the crank keeps rotating.
local scene = require "holonom.scene"
local hinges = scene.param("hinges", true,
                           "hinges alone (3 redundant rows); false: a ball and a universal joint")
local rate0 = scene.param("rate", 20.0, "angular velocity of the crank at the start, rad/s")
local g, r, l, m1, m2, m3 = 9.81, 0.2, 0.5, 1.0, 1.5, 2.0 -- crank, rod, slider
local sys = scene.system { gravity = { 0, -g, 0 } }
local z = { 0, 0, 1 }
local J1, J2 = m1 * r * r / 12, m2 * l * l / 12 -- thin rods, about z

-- The crank starts along +x, the rod behind it: there dx/dphi = 0 for the slider.
local crank = sys:body { name = "crank", mass = m1, inertia = { J1 / 50, J1, J1 }, position = { r / 2, 0, 0 },
                         velocity = { 0, rate0 * r / 2, 0 }, angular_velocity = { 0, 0, rate0 } }
local rod = sys:body { name = "rod", mass = m2, inertia = { J2 / 50, J2, J2 }, position = { r + l / 2, 0, 0 },
                       velocity = { 0, rate0 * r / 2, 0 }, angular_velocity = { 0, 0, -rate0 * r / l } }
local slide = sys:body { name = "slide", mass = m3, inertia = { 0.01, 0.01, 0.01 },
                         position = { r + l, 0, 0 } }
sys:hinge { sys.ground, crank, at = { 0, 0, 0 }, axis = z, name = "bearing" }
if hinges then
  sys:hinge { crank, rod, at = { r, 0, 0 }, axis = z, name = "big-end" }
  sys:hinge { rod, slide, at = { r + l, 0, 0 }, axis = z, name = "small-end" }
else
  sys:ball { crank, rod, at = { r, 0, 0 }, name = "big-end" }
  sys:universal { rod, slide, at = { r + l, 0, 0 }, axis_a = { 0, 1, 0 }, axis_b = z, name = "small-end" }
end
sys:slider { sys.ground, slide, at = { r + l, 0, 0 }, axis = { 1, 0, 0 }, name = "rail" }

-- Positions at the crank angle phi, and their derivatives by phi. The rod is inclined by beta: l sin beta =
-- -r sin phi.
local function place(phi)
  local s, c = math.sin(phi), math.cos(phi)
  local sb = -r / l * s
  local cb = math.sqrt(1 - sb * sb)
  local db = -r / l * c / cb
  return { beta = math.asin(sb), d_beta = db, slide = r * c + l * cb, d_slide = -r * s - l * sb * db,
           rod = { r * c + l / 2 * cb, r / 2 * s, 0 }, d_rod = { -r * s - l / 2 * sb * db, r / 2 * c, 0 } }
end
local function inertia(phi)
  local p = place(phi)
  return m1 * r * r / 3 + m2 * (p.d_rod[1] ^ 2 + p.d_rod[2] ^ 2) + J2 * p.d_beta ^ 2 + m3 * p.d_slide ^ 2
end
local function height(phi) -- V / g
  return (m1 + m2) * r / 2 * math.sin(phi)
end
local energy = inertia(0) * rate0 ^ 2 / 2
if energy <= (m1 + m2) * g * r / 2 then
  error(("rate must be above %g for the crank to go round"):format(math.sqrt((m1 + m2) * g * r / inertia(0))))
end
local function slowness(phi)
  return math.sqrt(inertia(phi) / (2 * (energy - g * height(phi))))
end
local step = math.pi / 8
local function time_to(phi)
  local sum, from = 0, 0
  while from + step < phi do sum, from = sum + scene.integral(slowness, from, from + step), from + step end
  return sum + scene.integral(slowness, from, phi)
end
local turn = time_to(2 * math.pi)
sys:reference(function(t)
  local phi = scene.zero(function(phi) return time_to(phi) - t % turn end, 0, 2 * math.pi)
  local p, rate, c, s = place(phi), 1 / slowness(phi), math.cos(phi), math.sin(phi)
  local half = r / 2
  return {
    crank = { position = { half * c, half * s, 0 }, orientation = scene.turn(0, 0, 1, phi),
              velocity = { -half * s * rate, half * c * rate, 0 }, angular_velocity = { 0, 0, rate } },
    rod = { position = p.rod, orientation = scene.turn(0, 0, 1, p.beta),
            velocity = { p.d_rod[1] * rate, p.d_rod[2] * rate, 0 },
            angular_velocity = { 0, 0, p.d_beta * rate } },
    slide = { position = { p.slide, 0, 0 }, orientation = { 1, 0, 0, 0 },
              velocity = { p.d_slide * rate, 0, 0 }, angular_velocity = { 0, 0, 0 } },
  }
end)
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection,redundancy=min-norm", step = 0.002,
             error = 3e-12, drift = 6e-14, velocity_drift = 9e-15, energy_error = 1.9e-11 }
sys:expect { solver = "impulse-composed:order=8,redundancy=remove", step = 0.002, error = 8e-11,
             drift = 2e-13, velocity_drift = 9e-15, energy_error = 3e-10 }
sys:expect { solver = "impulse-sle:redundancy=min-norm", error = 8e-4, drift = 2e-9, velocity_drift = 1.4e-14,
             energy_error = 4e-3 }
sys:expect { solver = "impulse-gs", error = 8e-4, drift = 2e-9, velocity_drift = 2e-9, energy_error = 4e-3 }
sys:expect { solver = "impulse-sle", reason = "singular" }
sys:defaults { solver = "impulse-sle", redundancy = "min-norm", step = 0.001, duration = 1 }
return sys
