-- box_pendulum.lua: two boxes in line on ball joints, released from the horizontal, the second spinning
-- Stresses: rigid bodies in space: ball joints away from the centres of mass, gyroscopic terms,
-- free rotation.
-- Source: reference values integrated in two formulations at 40 digits and more.
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local shape = scene.box { 1.0, 0.1, 0.1 }
local box1 = sys:body { name = "box1", shape = shape, density = 1000, position = { 0.5, 0, 0 } }
local box2 = sys:body { name = "box2", shape = shape, density = 1000, position = { 1.5, 0, 0 },
                        angular_velocity = { 1, 0, 0 } }
sys:ball { sys.ground, box1, at = { 0, 0, 0 }, name = "top" }
sys:ball { box1, box2, at = { 1, 0, 0 }, name = "middle" }
sys:reference(scene.table_reference {
  [1] = { box1 = { -0.46679857653620394607, -0.17916210723932289063, -1.6814677847356599405e-4 },
          box2 = { -1.29916359700828098771, -0.69944174812535403196, -3.9379892206472479055e-4 } },
  [2] = { box1 = { -0.04221282269483835952, -0.49821486037567571462, -1.7464529793918003017e-4 },
          box2 = { 0.10661249960642685522, -1.45849506058118471229, -1.2819245388996951859e-4 } },
})
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "impulse-sle", error = 1.1e-3, drift = 2e-9, velocity_drift = 2e-14,
             energy_error = 0.2 }
sys:expect { solver = "impulse-gs", error = 1.1e-3, drift = 2e-9, velocity_drift = 2e-9, energy_error = 0.2 }
sys:expect { solver = "impulse-sle", step = 0.001, error = 1.1e-5, drift = 2e-9, energy_error = 2e-3 }
sys:expect { solver = "impulse-sle", step = 0.5, reason = "stalled" }
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", step = 0.001, duration = 2,
             error = 3e-14, drift = 3e-14, energy_error = 4e-12 }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
