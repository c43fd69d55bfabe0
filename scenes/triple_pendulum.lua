-- triple_pendulum.lua: three point masses on three rods in line, released at rest from the horizontal
-- Stresses: a block-tridiagonal constraint matrix, and a motion more chaotic than that of the double
-- pendulum.
-- Source: the triple pendulum on which Schmitt (2003) demonstrates the impulse method; the dimensions are
-- ours.
-- No published trajectory: compare solvers with each other, or each with itself at smaller steps.
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local previous = sys.ground
for i = 1, 3 do
  local mass = sys:particle { name = "mass" .. i, position = { i, 0, 0 }, mass = 1 }
  sys:distance { previous, mass, at_a = { i - 1, 0, 0 }, name = "rod" .. i }
  previous = mass
end
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "impulse-sle", drift = 2e-9, velocity_drift = 2e-14, energy_error = 5e-2 }
sys:expect { solver = "impulse-gs", drift = 2e-9, velocity_drift = 2e-9, energy_error = 5e-2 }
sys:expect { solver = "lagrange", step = 0.005, drift = 2.5e-7, velocity_drift = 1.4e-6,
             energy_error = 1.6e-5 }
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", drift = 3e-13,
             velocity_drift = 2e-14, energy_error = 5e-12 }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
