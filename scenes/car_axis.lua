-- car_axis.lua: two masses on springs, joined by a rod, over an axis driven by a road (IVP test set)
-- Stresses: a driven mechanism of small masses, 5e-4 kg, whose springs oscillate much faster than the road.
-- Source: Mazzia and Magherini, Test set for initial value problem solvers, release 2.4, 2008, problem
-- "caraxis": M = 10, eps = 0.01, L = 1, L0 = 1/2, r = 0.1, omega = 10, g = 1; m = M eps^2 / 2. The axis is
-- massless there; here its motion is prescribed, so its mass has no effect. The left mass stays above the
-- fixed end of the axis.
-- Reference: the solution of the test set at 3 s; its 16 digits agree with ours to 4e-13.
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -1, 0 }, planar = true }
local L, L0, r, omega, m = 1, 0.5, 0.1, 10, 10 * 0.01 ^ 2 / 2
-- of the axis, rad/s; of both masses, m/s
local turning, leaning = r * omega / L, { -L0 * r * omega / L, 0, 0 }
local axis = sys:body { name = "axis", mass = m, inertia = m * L ^ 2, position = { 0, 0, 0 },
                        angular_velocity = { 0, 0, turning } }
local left = sys:particle { name = "left", mass = m, position = { 0, L0, 0 }, velocity = leaning }
local right = sys:particle { name = "right", mass = m, position = { L, L0, 0 }, velocity = leaning }
sys:hinge { sys.ground, axis, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = "wheel" }
sys:drive_position { sys.ground, axis, at = { L, 0, 0 }, axis = { 0, 1, 0 },
                     motion = { amplitude = r, frequency = omega }, name = "road" }
sys:point_on_line { axis, left, at = { 0, L0, 0 }, axis = { 0, 1, 0 }, name = "guide" }
sys:distance { left, right, name = "chassis" }
sys:spring { sys.ground, left, at_a = { 0, 0, 0 }, stiffness = 1, length = L0, name = "left_spring" }
sys:spring { axis, right, at_a = { L, 0, 0 }, stiffness = 1, length = L0, name = "right_spring" }
sys:reference(scene.table_reference {
  [3] = { left = { 0.04934557842755629, 0.4969894602303324, 0 },
          right = { 1.041742524885400, 0.3739110272652214, 0 } },
})
-- Bounds: about twice the measured values; the first ones measure the accuracy of the digits of the test set.
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", error = 7e-13, drift = 2e-14,
             velocity_drift = 7e-14 }
sys:expect { solver = "taylor:order=12,stabilisation=projection", error = 7e-13, drift = 2e-14,
             velocity_drift = 7e-14 }
sys:expect { solver = "impulse-composed:order=8", error = 7e-13, drift = 2e-13, velocity_drift = 7e-14 }
sys:expect { solver = "ida:error_tolerance=1e-12", error = 1e-9, drift = 1e-12, velocity_drift = 1e-11 }
sys:expect { solver = "impulse-sle", error = 1.3e-3, drift = 2e-9, velocity_drift = 7e-14 }
sys:defaults { solver = "impulse-sle", step = 0.002, duration = 3 }
return sys
