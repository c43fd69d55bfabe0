-- andrews.lua: Andrews' squeezer, seven bodies driven round by a torque in 30 ms (IFToMM A03)
-- Stresses: three loops, short times and large accelerations. In the plane 20 constraints leave one degree of
-- freedom; with hinges in space (planar = false) the same motion has 50 constraints, 9 of them redundant.
-- Source: Schiehlen's Multibody Systems Handbook and the IVP test set; lengths in m, masses in kg. A spring
-- connects D on K3 with the point C; a constant torque drives K1; there is no gravity.
-- Reference at 0.03 s: own integrations with at least 40 digits (the 16 digits of the test set are accurate
-- to 1e-10).
local scene = require "holonom.scene"
local planar = scene.param("planar", true, "a planar system; false: hinges in space, 9-fold redundant")
local sys = scene.system { gravity = { 0, 0, 0 }, planar = planar }
local A, B, C = { -0.06934, -0.00227 }, { -0.03635, 0.03273 }, { 0.014, 0.072 }
local d, da, e, ea, rr, ra, ss = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092, 0.035
local sa, sb, sc, sd, ta, tb = 0.01874, 0.01043, 0.018, 0.02, 0.02308, 0.00916
local u, ua, ub, zf, zt, fa = 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421

local masses = { 0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498 }
local inertias = { 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5 }
local centres = { { ra, 0 }, { -da, 0 }, { sb, -sa }, { 0, ea - e }, { ta, tb }, { zf - fa, 0 },
                  { -ub, -ua } }

-- Returns the point with coordinates p in axes rotated by an angle about the point o.
local function point(o, angle, p)
  local c, s = math.cos(angle), math.sin(angle)
  return { o[1] + c * p[1] - s * p[2], o[2] + s * p[1] + c * p[2] }
end
-- Returns the points E, F, G, H and D, and the origin and angle of the axes of each body.
local function place(beta, theta, gamma, phi, delta, omega, epsilon)
  local F = point({ 0, 0 }, beta, { rr, 0 })
  local G, H = point(A, delta, { zt, 0 }), point(A, epsilon, { 0, -u })
  return { E = point(B, gamma, { 0, -ss }), F = F, G = G, H = H, D = point(B, gamma, { sd, -sc }),
           origin = { { 0, 0 }, F, B, G, A, H, A },
           angle = { beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon } }
end
local function three(p) return { p[1], p[2], 0 } end

local phi0 = 0.222668390165885884674473185609
local start = place(-0.0617138900142764496358948458001, 0, 0.455279819163070380255912382449, phi0,
                    0.487364979543842550225598953530, -phi0, 1.23054744454982119249735015568)
local K = {}
for i = 1, 7 do
  K[i] = sys:body { name = "K" .. i, mass = masses[i], inertia = planar and inertias[i] or
                    { inertias[i], inertias[i], inertias[i] }, axis_angle = { 0, 0, 1, start.angle[i] },
                    position = three(point(start.origin[i], start.angle[i], centres[i])) }
end
local function hinge(name, a, b, at)
  sys:hinge { a, b, at = three(at), axis = { 0, 0, 1 }, name = name }
end
hinge("O", sys.ground, K[1], { 0, 0 })
hinge("F", K[1], K[2], start.F)
hinge("E3", K[2], K[3], start.E)
hinge("E4", K[2], K[4], start.E)
hinge("E6", K[2], K[6], start.E)
hinge("B", sys.ground, K[3], B)
hinge("A5", sys.ground, K[5], A)
hinge("A7", sys.ground, K[7], A)
hinge("G", K[5], K[4], start.G)
hinge("H", K[7], K[6], start.H)
sys:spring { K[3], sys.ground, at_a = three(start.D), at_b = three(C), stiffness = 4530, length = 0.07785,
             name = "spring" }
sys:torque { K[1], torque = { 0, 0, 0.033 }, name = "drive" }

-- The position of K6 follows from its two ends.
local finish = place(15.81077119515370709712, -15.75637105841183946973, 0.04082224011964580486,
                     -0.53473011634207959377, 0.52440996587995406937, 0, 1.04808074104193787307)
finish.angle[6] = math.atan(finish.E[2] - finish.H[2], finish.E[1] - finish.H[1])
local answer = {}
for i = 1, 7 do
  answer["K" .. i] = { position = three(point(finish.origin[i], finish.angle[i], centres[i])),
                       orientation = scene.turn(0, 0, 1, finish.angle[i]) }
end
sys:reference(scene.table_reference { [0.03] = answer })
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default). The torque feeds energy.
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", step = 3e-5, error = 8e-16,
             drift = 1.7e-15, velocity_drift = 3e-14 }
sys:expect { solver = "taylor:order=12,stabilisation=projection", step = 3e-5, error = 5e-15, drift = 1.6e-15,
             velocity_drift = 3e-14 }
sys:expect { solver = "impulse-composed:order=8", step = 1e-4, error = 7e-13, drift = 2e-13,
             velocity_drift = 4e-14 }
sys:expect { solver = "ida:error_tolerance=1e-12", step = 1e-4, error = 9e-11, drift = 4e-15,
             velocity_drift = 8e-12 }
sys:expect { solver = "impulse-sle", error = 5e-7, drift = 2e-9, velocity_drift = 4e-14 }
sys:defaults { solver = "impulse-sle", step = 1e-5, duration = 0.03 }
return sys
