-- rolling_disc.lua: a thin disc rolls steadily in a circle, leaning inwards
-- Stresses: rolling without slipping of an inclined body, so that the contact point moves over both the body
-- and the plane; two nonholonomic rows beside a holonomic one. The circle is an equilibrium of all terms.
-- Source: classical.
-- Reference: closed form. Let theta be the angle from the vertical n to the axis e, Omega n + sigma e the
-- angular velocity, and w = sigma + Omega cos theta its component along the axis. Rolling gives the radius of
-- the circle, rho = -R w / Omega. The rate of angular momentum about the centre (A across the axis, C along
-- it), Omega n x L = s x F at the contact, gives
--   (C + m R^2) w Omega sin theta - A Omega^2 sin theta cos theta + m g R cos theta = 0
local scene = require "holonom.scene"
local theta = scene.param("theta", 1.1, "angle between the disc's axis and the vertical, rad")
local Omega = scene.param("Omega", 2.0, "precession, rad/s")
local g, m, R = 9.81, 3.0, 0.3
local A, C = m * R ^ 2 / 4, m * R ^ 2 / 2
local st, ct = math.sin(theta), math.cos(theta)
local w = ct * (A * Omega ^ 2 * st - m * g * R) / ((C + m * R ^ 2) * Omega * st)
local sigma, rho = w - Omega * ct, -R * w / Omega
local up, axle = { 0, 1, 0 }, { st, ct, 0 }
local centre, spin = { rho, R * st, 0 }, scene.add(scene.add({ 0, 0, 0 }, up, Omega), axle, sigma)
local leaning = scene.turn(0, 0, 1, -theta) -- y, the disc's own axis, to the axle
local sys = scene.system { gravity = { 0, -g, 0 } }
local disc = sys:body { name = "disc", mass = m, inertia = { A, C, A }, position = centre,
                        orientation = leaning, velocity = { 0, 0, -rho * Omega }, angular_velocity = spin }
local contact = { sys.ground, disc, at = centre, axis_a = up, axis_b = axle, radius = R }
local function named(name)
  local joint = { name = name }
  for key, value in pairs(contact) do joint[key] = value end
  return joint
end
sys:disc_on_plane(named "height")
sys:rolling_disc(named "rolling")
sys:reference(function(t)
  local about = scene.turn(0, 1, 0, Omega * t)
  return {
    disc = { position = scene.rotate(about, centre),
             orientation = scene.compose(about, scene.compose(leaning, scene.turn(0, 1, 0, sigma * t))),
             velocity = scene.rotate(about, { 0, 0, -rho * Omega }),
             angular_velocity = scene.rotate(about, spin) },
  }
end)
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", error = 1e-13, drift = 3e-15,
             velocity_drift = 5e-15, energy_error = 4e-13 }
sys:expect { solver = "taylor:order=12,stabilisation=projection", error = 1.1e-11, drift = 4e-14,
             velocity_drift = 7e-15, energy_error = 1.5e-11 }
sys:expect { solver = "half-explicit", error = 1e-9, drift = 3e-13, velocity_drift = 2e-12,
             energy_error = 1.6e-11 }
sys:expect { solver = "impulse-composed:order=4", error = 1e-9, drift = 2e-13, velocity_drift = 7e-15,
             energy_error = 2.2e-11 }
sys:expect { solver = "impulse-sle", error = 1.8e-4, drift = 2e-9, velocity_drift = 6e-15,
             energy_error = 3.5e-7 }
sys:expect { solver = "impulse-gs", error = 1.8e-4, drift = 2e-9, velocity_drift = 2e-9,
             energy_error = 1.4e-7 }
sys:expect { solver = "generalised-alpha", error = 5e-5, drift = 2e-11, velocity_drift = 1.6e-7,
             energy_error = 1e-8 }
sys:expect { solver = "ida", error = 6e-6, drift = 1.3e-9, velocity_drift = 5e-9, energy_error = 1.2e-5 }
sys:defaults { solver = "impulse-sle", step = 0.002, duration = 2 }
return sys
