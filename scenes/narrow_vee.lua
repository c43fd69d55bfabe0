-- narrow_vee.lua: a mass on two rods that are almost parallel: regular, but hard for Gauss-Seidel
-- Stresses: a point-mass system of full rank whose two constraints are nearly dependent. With the angle e
-- between the rods, K = [1 cos e; cos e 1] / m, so a Gauss-Seidel sweep leaves cos^2 e of the error. A
-- correction needs over 10^4 sweeps for e = 0.02, compared with one factorisation and two solutions.
-- Over-relaxation by 2 / (1 + sin e) leaves (1 - sin e) / (1 + sin e).
-- Source: our own, for the remark at the end of section 4 of Schmitt, Bender and Prautzsch (2005) that such
-- systems exist.
-- Reference: closed form. The mass moves on a circle about the line through its two supports, a plane
-- pendulum.
local scene = require "holonom.scene"
local angle = scene.param("angle", 0.02, "between the rods, rad")
local amplitude = scene.param("amplitude", 1.0, "at which the mass is let go, from the vertical, rad")
if angle <= 0 or angle >= math.pi then error("angle must be above 0 and below pi, not " .. angle) end
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local half, height = math.sin(angle / 2), math.cos(angle / 2) -- rods of 1 m
local function place(s, c) return { 0, -height * c, height * s } end
local bob = sys:particle { name = "bob", mass = 1,
                           position = place(math.sin(amplitude), math.cos(amplitude)) }
sys:distance { sys.ground, bob, at_a = { -half, 0, 0 }, name = "left" }
sys:distance { sys.ground, bob, at_a = { half, 0, 0 }, name = "right" }
sys:reference(function(t)
  return { bob = { position = place(scene.pendulum(math.sqrt(9.81 / height), amplitude, t)) } }
end)
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "impulse-sle:iterations=2", error = 1.1e-4, drift = 2e-9, velocity_drift = 5e-15,
             energy_error = 2.8e-3 }
sys:expect { solver = "impulse-gs:iterations=10000", reason = "stalled" }
sys:expect { solver = "impulse-gs", error = 1.1e-4, drift = 2e-9, velocity_drift = 2e-9,
             energy_error = 2.8e-3 }
sys:expect { solver = "impulse-gs:iterations=600,relaxation=1.96", error = 1.1e-4, drift = 2e-9,
             velocity_drift = 2e-9, energy_error = 2.8e-3 }
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", error = 7e-15, drift = 3e-15,
             velocity_drift = 3e-15, energy_error = 6e-14 }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
