-- bricard.lua: Bricard's mechanism, a loop of six hinges that moves although it should not (IFToMM A04)
-- Stresses: 30 constraints for 30 coordinates, of rank 29 in every position: one constraint depends on the
-- others, a different one at each moment, and only if the positions are exact. A solver that tolerates small
-- violations of the joints sees full rank and locks.
-- Source: IFToMM benchmark A04: rods 1 x 0.1 x 0.1 m of 1 kg, released at rest.
-- Reference: own integrations with at least 40 digits. The motion is periodic with 4.991711513688723872 s,
-- and stretched at half of the period.
-- Parameter misfit > 0 tilts the axis of P3 by that angle about the preceding rod. The mechanism then is a
-- structure, with 30 constraints of rank 30, and stands still.
local scene = require "holonom.scene"
local misfit = scene.param("misfit", 0.0, "tilt of the hinge axis at P3, rad")
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local points = { [0] = { 0, 0, 0 }, { 1, 0, 0 }, { 1, -1, 0 }, { 1, -1, 1 }, { 0, -1, 1 }, { 0, 0, 1 } }
local axes = { [0] = { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } }
axes[3] = { math.sin(misfit), math.cos(misfit), 0 }

local function edges(from, to) -- of a rod between two points that differ along one axis
  local size = {}
  for i = 1, 3 do size[i] = from[i] == to[i] and 0.1 or 1.0 end
  return size
end
local previous = sys.ground
for i = 1, 5 do
  local from, to = points[i - 1], points[i]
  local rod = sys:body { name = "rod" .. i, shape = scene.box(edges(from, to)), density = 100,
                         position = scene.add(scene.add({ 0, 0, 0 }, from, 0.5), to, 0.5) }
  sys:hinge { previous, rod, at = from, axis = axes[i - 1], name = "P" .. i - 1 }
  previous = rod
end
sys:hinge { previous, sys.ground, at = points[5], axis = axes[5], name = "P5" }
-- P2 and P3, the ends of rod 3.
local P2, P3 = { 0.274481319264623, -0.886707938734672, -0.462330002687376 },
  { 0.51050146118721973592, -1.64916759939480630808, 0.14012311455318582826 }
local known = scene.table_reference { [1] = { rod3 = scene.add(scene.add({ 0, 0, 0 }, P2, 0.5), P3, 0.5) } }
sys:reference(function(t) return misfit == 0 and known(t) or nil end)
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection,redundancy=min-norm", error = 1.7e-14,
             drift = 1.6e-14, velocity_drift = 1.2e-14, energy_error = 3e-13 }
sys:expect { solver = "taylor:order=12,stabilisation=projection,redundancy=remove", error = 1.1e-14,
             drift = 1.9e-14, velocity_drift = 1.9e-14, energy_error = 1.8e-13 }
sys:expect { solver = "impulse-composed:order=8,redundancy=min-norm", error = 1.5e-13, drift = 2e-13,
             velocity_drift = 1.2e-13, energy_error = 3e-12 }
sys:expect { solver = "impulse-sle:redundancy=remove", error = 1.6e-5, drift = 2e-9, velocity_drift = 1.4e-9,
             energy_error = 1.5e-4 }
sys:expect { solver = "generalised-alpha:redundancy=min-norm", error = 4e-5, drift = 3e-13,
             velocity_drift = 5e-5, energy_error = 3e-4 }
sys:expect { solver = "impulse-sle", reason = "singular" }
sys:defaults { solver = "impulse-sle", redundancy = "min-norm", step = 0.005, duration = 1 }
return sys
