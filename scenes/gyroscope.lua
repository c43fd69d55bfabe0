-- gyroscope.lua: a fast rotor in two gimbals, its centre of mass beside the pivot, in steady precession
-- Stresses: hinges with moving axes, a large angular momentum, bodies that interact by gyroscopic torques
-- alone. The axes of the hinges intersect in one point and are perpendicular.
-- Source: classical.
-- Reference: closed form. With the rotor's axis horizontal and perpendicular to the inner gimbal's, the
-- moment m g d of the weight turns the angular momentum J_x s of the rotor about the vertical at the constant
-- rate Omega = m g d / (J_x s). With push = 0 the outer gimbal starts at rest instead, and the rotor nutates.
local scene = require "holonom.scene"
local spin = scene.param("spin", 200.0, "angular velocity of the rotor against the inner gimbal, rad/s")
local push = scene.param("push", 1.0, "precession at the start, as a fraction of the steady one")
local g, d, mass, J = 9.81, 0.05, 1.0, { 2e-3, 1.2e-3, 1.2e-3 } -- of the rotor, its axis along x
local sys = scene.system { gravity = { 0, -g, 0 } }
local steady = mass * g * d / (J[1] * spin)
local Omega = push * steady
local turning = { 0, Omega, 0 }
local outer = sys:body { name = "outer", mass = 0.5, inertia = { 2e-3, 1e-3, 1e-3 }, position = { 0, 0, 0 },
                         angular_velocity = turning }
local inner = sys:body { name = "inner", mass = 0.3, inertia = { 5e-4, 6e-4, 9e-4 }, position = { 0, 0, 0 },
                         angular_velocity = turning }
local rotor = sys:body { name = "rotor", mass = mass, inertia = J, position = { d, 0, 0 },
                         velocity = { 0, 0, -Omega * d }, angular_velocity = { spin, Omega, 0 } }
sys:hinge { sys.ground, outer, at = { 0, 0, 0 }, axis = { 0, 1, 0 }, name = "vertical" }
sys:hinge { outer, inner, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = "tilt" }
sys:hinge { inner, rotor, at = { 0, 0, 0 }, axis = { 1, 0, 0 }, name = "spin" }
sys:reference(function(t)
  if push ~= 1 then return nil end
  local about = scene.turn(0, 1, 0, Omega * t)
  local along = scene.rotate(about, { 1, 0, 0 })
  local gimbal = { position = { 0, 0, 0 }, orientation = about, velocity = { 0, 0, 0 },
                   angular_velocity = turning }
  return {
    outer = gimbal, inner = gimbal,
    rotor = { position = scene.add({ 0, 0, 0 }, along, d),
              orientation = scene.compose(about, scene.turn(1, 0, 0, spin * t)),
              velocity = scene.cross(turning, scene.add({ 0, 0, 0 }, along, d)),
              angular_velocity = scene.add(turning, along, spin) },
  }
end)
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", error = 8e-15, drift = 1.6e-13,
             velocity_drift = 6e-13, energy_error = 1.8e-12 }
sys:expect { solver = "taylor:order=12,stabilisation=projection", error = 4e-14, drift = 1.2e-13,
             velocity_drift = 5e-13, energy_error = 1e-10 }
sys:expect { solver = "impulse-sle", error = 9e-7, drift = 2e-9, velocity_drift = 6e-13, energy_error = 4e-7 }
sys:expect { solver = "impulse-gs", error = 9e-7, drift = 2e-9, velocity_drift = 2e-9, energy_error = 4e-7 }
sys:defaults { solver = "impulse-sle", step = 0.001, duration = 1 }
return sys
