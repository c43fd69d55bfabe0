-- heavy_top.lua: a fast heavy top on a ball joint, gravity along -z
-- Stresses: large angular velocity with a small force: the free rotation must be accurate at 150 rad/s. The
-- top passes within 7e-7 rad of the downward vertical, where Euler angles are singular.
-- Source: Bruels, Cardona and Arnold (2012); reference values integrated in two formulations with at least 40
-- digits. Body and world axes coincide at t = 0, so the given angular velocity in body axes is used
-- unchanged.
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, -9.81 } }
local top = sys:body { name = "top", mass = 15, inertia = { 0.234375, 0.46875, 0.234375 },
                       position = { 0, 1, 0 }, velocity = { 4.61538, 0, 0 },
                       angular_velocity = { 0, 150, -4.61538 } }
sys:ball { sys.ground, top, at = { 0, 0, 0 }, name = "tip" }
sys:reference(scene.table_reference {
  [1] = { top = { 0.17334396409838604259, 0.64008859207056878286, -0.74849079113358130948 } },
  [2] = { top = { -0.15041682274564175981, -0.72416559163689565075, -0.67302226956044409605 } },
})
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "impulse-sle", error = 1.2e-3, drift = 2e-9, velocity_drift = 3e-13,
             energy_error = 4e-2 }
sys:expect { solver = "impulse-gs", error = 1.2e-3, drift = 2e-9, velocity_drift = 2e-9, energy_error = 4e-2 }
sys:expect { solver = "lagrange", step = 0.0005, error = 5e-5, drift = 5e-5, velocity_drift = 8e-5,
             energy_error = 4e-3 }
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", step = 0.0005, duration = 2,
             error = 5e-13, drift = 3e-13, energy_error = 1e-9 }
sys:defaults { solver = "impulse-sle", step = 0.001, duration = 1 }
return sys
