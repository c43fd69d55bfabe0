-- compound_pendulum.lua: a box suspended by the centre of its end face, released at rest from the horizontal
-- Stresses: a rigid body with a closed-form motion. A ball joint suffices: the box starts at rest and is
-- symmetric about the plane z = 0, so it stays in that plane.
-- Source: classical.
-- Reference: closed form, the simple pendulum with omega^2 = m g (l / 2) / I about the joint.
local scene = require "holonom.scene"
local length, section, density = 1.0, 0.1, 1000
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local box = sys:body { name = "box", shape = scene.box { length, section, section }, density = density,
                       position = { length / 2, 0, 0 } }
sys:ball { sys.ground, box, at = { 0, 0, 0 }, name = "joint" }
-- Per unit of mass: I = (l^2 + s^2) / 12 about the centre, plus l^2 / 4 about the joint.
local omega = math.sqrt(9.81 * (length / 2) / ((length ^ 2 + section ^ 2) / 12 + length ^ 2 / 4))
sys:reference(function(t)
  local s, c = scene.pendulum(omega, math.pi / 2, t)
  return { box = { position = { length / 2 * s, -length / 2 * c, 0 } } }
end)
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "impulse-sle", error = 8e-5, drift = 2e-9, velocity_drift = 5e-15, energy_error = 5e-2 }
sys:expect { solver = "impulse-gs", error = 8e-5, drift = 2e-9, velocity_drift = 2e-9, energy_error = 5e-2 }
sys:expect { solver = "impulse-sle", step = 0.001, error = 8e-7, drift = 2e-9, energy_error = 5e-4 }
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", step = 0.002, duration = 10,
             error = 1.2e-13, drift = 3e-14, energy_error = 1.5e-12 }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
