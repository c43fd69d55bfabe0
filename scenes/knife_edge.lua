-- knife_edge.lua: a rotating skate released on a slope: it does not slide down, but moves across
-- Stresses: a nonholonomic constraint. There is no position residual to correct errors with: errors of the
-- rate accumulate, and solvers of order 1 slide down the slope.
-- Source: Neimark and Fufaev (1972), chapter III.
-- Reference: closed form. The blade is under the centre of mass, so the skate rotates at the constant rate
-- omega, and gravity accelerates it along the blade only: s' = k cos(omega t), k = g sin slope. Hence x = k
-- sin^2(omega t) / (2 omega^2) down the slope and y = k (2 omega t - sin(2 omega t)) / (4 omega^2).
local scene = require "holonom.scene"
local slope = scene.param("slope", math.pi / 6, "angle of the slope, rad")
local omega = scene.param("omega", 2.0, "angular velocity, rad/s")
local g = 9.81
local k = g * math.sin(slope)
local sys = scene.system { gravity = { k, 0, -g * math.cos(slope) } } -- x down the slope, z off it
local skate = sys:body { name = "skate", mass = 2, inertia = { 0.03, 0.05, 0.07 }, position = { 0, 0, 0 },
                         angular_velocity = { 0, 0, omega } }
sys:planar { sys.ground, skate, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = "ice" }
sys:knife_edge { sys.ground, skate, at = { 0, 0, 0 }, axis = { 0, 1, 0 }, name = "blade" }
sys:reference(function(t)
  if omega == 0 then return nil end
  local angle, speed = omega * t, k / omega * math.sin(omega * t)
  local s, c = math.sin(angle), math.cos(angle)
  return {
    skate = { position = { k * s * s / (2 * omega ^ 2),
                           k * (2 * angle - math.sin(2 * angle)) / (4 * omega ^ 2), 0 },
              orientation = scene.turn(0, 0, 1, angle), velocity = { speed * c, speed * s, 0 },
              angular_velocity = { 0, 0, omega } },
  }
end)
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", error = 3e-14, drift = 1e-14,
             velocity_drift = 3e-15, energy_error = 1.6e-13 }
sys:expect { solver = "taylor:order=12", error = 4e-14, drift = 1e-14, velocity_drift = 7e-14,
             energy_error = 5e-13 }
sys:expect { solver = "half-explicit", error = 4e-9, drift = 1e-14, velocity_drift = 2e-12,
             energy_error = 1.8e-9 }
sys:expect { solver = "impulse-composed:order=4", error = 3e-10, drift = 2e-13, velocity_drift = 3e-15,
             energy_error = 7e-10 }
sys:expect { solver = "impulse-sle", error = 8e-4, drift = 2e-9, velocity_drift = 3e-15, energy_error = 1e-6 }
sys:expect { solver = "impulse-gs", error = 8e-4, drift = 2e-9, velocity_drift = 2e-9, energy_error = 1e-6 }
sys:expect { solver = "generalised-alpha", error = 4e-4, drift = 2e-11, velocity_drift = 4e-15,
             energy_error = 3.4e-6 }
sys:expect { solver = "ida", error = 2e-6, drift = 1e-14, velocity_drift = 5e-9, energy_error = 1.6e-5 }
sys:defaults { solver = "impulse-sle", step = 0.005, duration = 5 }
return sys
