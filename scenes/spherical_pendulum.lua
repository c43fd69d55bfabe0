-- spherical_pendulum.lua: a point mass on a rod, pushed sideways from the horizontal
-- Stresses: one row in space; the direction of the rod changes about two axes.
-- Source: classical; reference values integrated in two formulations at 40 digits and more.
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local bob = sys:particle { name = "bob", position = { 1, 0, 0 }, velocity = { 0, 0, 2 }, mass = 1 }
sys:distance { sys.ground, bob, at_a = { 0, 0, 0 }, name = "rod" }
sys:reference(scene.table_reference {
  [1] = { bob = { -0.65979196915703706577, -0.11646716020712410887, -0.74236780508664809407 } },
  [5] = { bob = { 0.53942727639055835929, -0.61293856005073248689, -0.57734264963607076755 } },
})
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "impulse-sle", error = 8e-4, drift = 2e-9, velocity_drift = 5e-15, energy_error = 8e-3 }
sys:expect { solver = "impulse-gs", error = 8e-4, drift = 2e-9, velocity_drift = 2e-9, energy_error = 8e-3 }
sys:expect { solver = "impulse-sle", step = 0.001, error = 8e-6, drift = 2e-9, energy_error = 8e-5 }
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", step = 0.002, duration = 5,
             error = 1e-13, drift = 4e-14, energy_error = 2e-13 }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
