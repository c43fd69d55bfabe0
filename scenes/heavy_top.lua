-- heavy_top.lua: a fast heavy top on a ball joint, gravity along -z
-- Stresses: large angular velocity with a small force: the free rotation must be exact enough at 150 rad/s, and the top
-- passes within 7e-7 rad of hanging straight down, where Euler angles fail.
-- Source: Bruels, Cardona and Arnold (2012); reference values integrated in two formulations at 40 digits and more.
-- Body and world axes agree at t = 0, so the given body-axes angular velocity is entered as it stands.
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, -9.81 } }
local top = sys:body { name = "top", mass = 15, inertia = { 0.234375, 0.46875, 0.234375 }, position = { 0, 1, 0 },
                       velocity = { 4.61538, 0, 0 }, angular_velocity = { 0, 150, -4.61538 } }
sys:ball { sys.ground, top, at = { 0, 0, 0 }, name = "tip" }
sys:reference(scene.table_reference {
  [1] = { top = { 0.17334396409838604259, 0.64008859207056878286, -0.74849079113358130948 } },
  [2] = { top = { -0.15041682274564175981, -0.72416559163689565075, -0.67302226956044409605 } },
})
-- Bounds: about twice what was measured where truncation decides, ten times where round-off does; the drift of impulse
-- methods is held by their tolerance (1e-9 unless given).
sys:expect { solver = "impulse-sle", error = 1.2e-3, drift = 2e-9, velocity_drift = 3e-13, energy_error = 4e-2 }
sys:expect { solver = "impulse-gs", error = 1.2e-3, drift = 2e-9, velocity_drift = 2e-9, energy_error = 4e-2 }
sys:expect { solver = "lagrange", step = 0.0005, error = 5e-5, drift = 5e-5, velocity_drift = 8e-5,
             energy_error = 4e-3 }
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", step = 0.0005, duration = 2, error = 5e-13,
             drift = 3e-13, energy_error = 1e-9 }
sys:defaults { solver = "impulse-sle", step = 0.001, duration = 1 }
return sys
