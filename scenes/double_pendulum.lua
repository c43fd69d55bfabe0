-- double_pendulum.lua: two point masses on two rods in line, released at rest from the horizontal
-- Stresses: coupled rows and a chaotic motion, in which errors grow fast; orders are therefore fitted at 1 s.
-- Source: classical; reference values integrated in two formulations at 40 digits and more.
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local upper = sys:particle { name = "upper", position = { 1, 0, 0 }, mass = 1 }
local lower = sys:particle { name = "lower", position = { 2, 0, 0 }, mass = 1 }
sys:distance { sys.ground, upper, at_a = { 0, 0, 0 }, name = "rod1" }
sys:distance { upper, lower, name = "rod2" }
sys:reference(scene.table_reference {
  [1] = { upper = { position = { -0.5851683919988750689, -0.8109118034690646209, 0 },
                    velocity = { -3.1806228021604616165, 2.2951940306368917789, 0 } },
          lower = { position = { -1.4448188499434757965, -1.3217944613814645558, 0 },
                    velocity = { -3.8463536098580947779, 3.4154038965259580849, 0 } } },
  [2] = { upper = { -0.4644128686995139775, -0.8856188160751147853, 0 },
          lower = { -1.4341248174642766370, -1.1298701956471579784, 0 } },
})
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "impulse-sle", error = 1.6e-3, drift = 2e-9, velocity_drift = 1e-14,
             energy_error = 2.3e-2 }
sys:expect { solver = "impulse-gs", error = 1.6e-3, drift = 2e-9, velocity_drift = 2e-9,
             energy_error = 2.3e-2 }
sys:expect { solver = "impulse-sle", step = 0.001, error = 1.6e-5, drift = 2e-9, energy_error = 2.3e-4 }
sys:expect { solver = "lagrange", step = 0.005, error = 3e-7, drift = 1.5e-7, velocity_drift = 5e-7,
             energy_error = 6e-6 }
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", step = 0.001, duration = 2,
             error = 1e-13, drift = 4e-14, energy_error = 1e-12 }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
