-- four_bars.lua: n four-bar linkages side by side that pass a singular position together (IFToMM A02)
-- Stresses: redundant constraints everywhere (15 n + 5 rows of rank 12 n + 5, one degree of freedom), and a
-- singular position at every passage through the horizontal: all rods in line, n + 1 degrees of freedom for
-- an instant.
-- Source: IFToMM benchmark A02. 2 n + 1 uniform rods of 1 m and 1 kg: n + 1 upright cranks and n couplers
-- between their ends; the couplers start at 1 m/s.
-- Reference: closed form. While the linkage is a parallelogram, every crank has the angle psi from the
-- upright, psi'' = W sin psi, psi'(0) = 1. With psi = pi + 2 eta, eta = am(Omega t - K, m), Omega^2 = W +
-- 1/4, m = W / Omega^2.
local scene = require "holonom.scene"
local n = scene.param("n", 2, "number of four-bars")
if n < 1 then error("n must be at least 1, not " .. n) end
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local axis = { 0, 0, 1 }

-- A thin rod along its x axis, about which it does not rotate here.
local function rod(name, centre, angle, velocity, rate)
  return sys:body { name = name, mass = 1, inertia = { 1 / 600, 1 / 12, 1 / 12 }, position = centre,
                    axis_angle = { 0, 0, 1, angle }, velocity = velocity, angular_velocity = { 0, 0, rate } }
end
local previous
for i = 0, n do
  local crank = rod("crank" .. i, { i, 0.5, 0 }, math.pi / 2, { 0.5, 0, 0 }, -1)
  sys:hinge { sys.ground, crank, at = { i, 0, 0 }, axis = axis, name = "A" .. i }
  if previous then
    local coupler = rod("coupler" .. i, { i - 0.5, 1, 0 }, 0, { 1, 0, 0 }, 0)
    sys:hinge { previous, coupler, at = { i - 1, 1, 0 }, axis = axis, name = "B" .. i - 1 .. "-" .. i }
    sys:hinge { crank, coupler, at = { i, 1, 0 }, axis = axis, name = "B" .. i }
  end
  previous = crank
end
local W = 9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
local Omega = math.sqrt(W + 0.25)
local m = W / (W + 0.25)
local K = scene.special.ellipK(m)
sys:reference(function(t)
  local u = Omega * t - K
  local sn, cn, dn = scene.special.jacobi(u - 2 * K * math.floor(u / (2 * K) + 0.5), m)
  local s, c = -2 * sn * cn, 2 * sn * sn - 1
  local rate = 2 * Omega * dn
  local answer = {}
  for i = 0, n do
    answer["crank" .. i] = { position = { i + 0.5 * s, 0.5 * c, 0 },
                             velocity = { 0.5 * c * rate, -0.5 * s * rate, 0 },
                             angular_velocity = { 0, 0, -rate } }
    if i > 0 then
      answer["coupler" .. i] = { position = { i - 0.5 + s, c, 0 }, orientation = { 1, 0, 0, 0 },
                                 velocity = { c * rate, -s * rate, 0 }, angular_velocity = { 0, 0, 0 } }
    end
  end
  return answer
end)
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "impulse-sle:redundancy=remove", duration = 10, error = 4e-5, drift = 2e-9,
             velocity_drift = 3e-14, energy_error = 8e-4 }
sys:expect { solver = "generalised-alpha:redundancy=min-norm", duration = 10, error = 1e-4, drift = 1e-14,
             velocity_drift = 3e-5, energy_error = 3e-3 }
sys:expect { solver = "ida:error_tolerance=1e-8,redundancy=remove", step = 0.01, duration = 10, error = 5e-5,
             drift = 1.3e-9, velocity_drift = 2e-8, energy_error = 8e-5 }
sys:expect { solver = "impulse-gs", duration = 0.6, error = 3e-6, drift = 2e-9, velocity_drift = 2e-9,
             energy_error = 3e-5 }
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection,redundancy=min-norm", step = 0.002,
             duration = 0.6, error = 1.8e-14, drift = 3e-14, velocity_drift = 9e-15, energy_error = 5e-13 }
sys:expect { solver = "impulse-sle", reason = "singular" }
sys:defaults { solver = "impulse-sle", redundancy = "remove", step = 0.001, duration = 1 }
return sys
