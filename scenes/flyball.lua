-- flyball.lua: Watt's flyball governor with stiff spring-dampers for coupler rods (IFToMM A05)
-- Stresses: stiff forces beside constraints: 8e5 N/m and 4e4 N s/m on a slider of 3 kg decay within 0.1 ms,
-- while the governor oscillates for seconds. Explicit solvers need steps of that size.
-- Source: IFToMM benchmark A05. A shaft of 1 m rotates about the vertical, with a slider on it and two rods
-- of 1 m at its top, 30 degrees below the horizontal, with 5 kg at their ends. The springs connect the sides
-- of the slider with the middles of the rods and start at their free length of 0.5 m; 2 pi rad/s at the
-- start. Density 3000 kg/m^3.
-- Reference: own, from the reduced equations of the symmetric motion (height s of the slider, angle alpha of
-- the rods, rotation about the vertical from the angular momentum), integrated in extended precision with
-- three step sizes; all digits here agree.
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local omega = { 0, 2 * math.pi, 0 }
local alpha, side, top = math.pi / 6, 0.05, 1
local rod_mass, ball_mass = 0.3, 5
local shaft = sys:body { name = "shaft", shape = scene.box { 0.01, 1, 0.01 }, density = 3000,
                         position = { 0, 0.5, 0 }, angular_velocity = omega }
local slider = sys:body { name = "slider", shape = scene.box { 0.1, 0.1, 0.1 }, density = 3000,
                          position = { 0, 0.5, 0 }, angular_velocity = omega }
sys:hinge { sys.ground, shaft, at = { 0, 0, 0 }, axis = { 0, 1, 0 }, name = "bearing" }
sys:slider { shaft, slider, at = { 0, 0.5, 0 }, axis = { 0, 1, 0 }, name = "sleeve" }

-- Rod and ball as one body: centre of mass, and moments across and along, from the hinge.
local mass = rod_mass + ball_mass
local centre = (rod_mass / 2 + ball_mass) / mass
local across = rod_mass * (1 + 0.01 ^ 2) / 12 + rod_mass * (centre - 0.5) ^ 2 + ball_mass * (1 - centre) ^ 2
local along = rod_mass * 2 * 0.01 ^ 2 / 12
local function out(sign, angle, length) -- the point of a rod at this distance from its hinge
  return { sign * (side + length * math.cos(angle)), top - length * math.sin(angle), 0 }
end
for i, sign in ipairs { 1, -1 } do
  local at = out(sign, alpha, centre)
  local rod = sys:body { name = "rod" .. i, mass = mass, inertia = { along, across, across }, position = at,
                         axis_angle = { 0, 0, 1, -sign * alpha }, velocity = scene.cross(omega, at),
                         angular_velocity = omega }
  sys:hinge { shaft, rod, at = { sign * side, top, 0 }, axis = { 0, 0, 1 }, name = "top" .. i }
  sys:spring { slider, rod, at_a = { sign * side, 0.5, 0 }, at_b = out(sign, alpha, 0.5), stiffness = 8e5,
               damping = 4e4, length = 0.5, name = "coupler" .. i }
end

local function answer(s, angle, phi)
  local poses = { slider = { 0, s, 0 }, shaft = { 0, 0.5, 0 } }
  for i, sign in ipairs { 1, -1 } do
    poses["rod" .. i] = { position = scene.rotate(scene.turn(0, 1, 0, phi), out(sign, angle, centre)),
                          orientation = scene.compose(scene.turn(0, 1, 0, phi),
                                                      scene.turn(0, 0, 1, -sign * angle)) }
  end
  return poses
end
sys:reference(scene.table_reference {
  [0.1] = answer(0.52383647556957569, 0.49617386907590026, 0.62210668140268757),
  [1] = answer(0.50142092237956765, 0.52183330162554623, 5.586346965869005),
  [10] = answer(0.61962291706136566, 0.39007370184464508, 55.935409909102379),
})
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default). The dampers take energy.
sys:expect { solver = "ida:error_tolerance=1e-10", duration = 10, error = 7e-7, drift = 6e-12,
             velocity_drift = 7e-11 }
sys:expect { solver = "taylor:order=10,adaptive=true,stabilisation=projection", duration = 10, error = 1.1e-8,
             drift = 1e-12, velocity_drift = 4e-14 }
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", step = 2e-5, duration = 0.1,
             error = 3e-14, drift = 4e-14, velocity_drift = 4e-14 }
sys:expect { solver = "impulse-sle", step = 2e-5, duration = 0.1, error = 3e-9, drift = 2e-9,
             velocity_drift = 9e-13 }
sys:defaults { solver = "ida", step = 0.01, duration = 1 }
return sys
