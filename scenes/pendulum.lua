-- pendulum.lua: a simple pendulum, a point mass on a rod, released at rest from the horizontal
-- Stresses: the minimum that a solver must do: one row with a closed-form solution, in large swings of 90
-- degrees.
-- Source: classical; IFToMM benchmark A01 is --set side=-1 --duration 2000.
-- Reference: closed form, sin(theta / 2) = k cd(omega t, k) with k = sin 45 degrees and omega^2 = g / l.
local scene = require "holonom.scene"
local length = scene.param("length", 1.0, "length of the rod, m")
local mass = scene.param("mass", 1.0, "mass at its end, kg")
local side = scene.param("side", 1, "1: let go on the right, -1: on the left, which is IFToMM A01")
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local bob = sys:particle { name = "bob", position = { side * length, 0, 0 }, mass = mass }
sys:distance { sys.ground, bob, at_a = { 0, 0, 0 }, name = "rod" }
sys:reference(function(t)
  local s, c = scene.pendulum(math.sqrt(9.81 / length), math.pi / 2, t)
  return { bob = { position = { side * length * s, -length * c, 0 } } }
end)
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "impulse-sle", error = 6e-4, drift = 2e-9, velocity_drift = 5e-15, energy_error = 7e-3 }
sys:expect { solver = "impulse-gs", error = 6e-4, drift = 2e-9, velocity_drift = 2e-9, energy_error = 7e-3 }
sys:expect { solver = "impulse-sle", step = 0.001, error = 6e-6, drift = 2e-9, energy_error = 7e-5 }
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", error = 1e-14, drift = 1e-14,
             energy_error = 1e-13 }
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", step = 0.002, duration = 100,
             error = 2e-12, drift = 1e-13, energy_error = 4e-12 }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
