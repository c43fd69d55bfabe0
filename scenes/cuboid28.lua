-- cuboid28.lua: eight point masses at the corners of a cube, a rigid body made of all 28 rods
-- Stresses: redundant constraints: the 28 rows have rank 18 (24 coordinates minus 6 of a rigid body). A
-- solver that factors the constraint matrix must report that it is singular or apply a policy
-- (redundancy=...); Gauss-Seidel runs without. Every rod has a force that is not unique (holonom rank
-- cuboid28).
-- Source: Schmitt, Bender and Prautzsch (2005), on systems without full rank.
-- Reference: closed form. The centre of mass follows a parabola. A cube has the inertia of a ball, so the
-- corners rotate uniformly about it.
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local centre, velocity, spin = { 0, 0, 0 }, { 1, 5, 0 }, { 0.5, 1, 0.25 }
local corners, at = {}, {}
for x = 0, 1 do
  for y = 0, 1 do
    for z = 0, 1 do
      local i = #corners + 1
      at[i] = { x - 0.5, y - 0.5, z - 0.5 }
      corners[i] = sys:particle { name = "corner" .. i, mass = 1, position = scene.add(centre, at[i]),
                                  velocity = scene.add(velocity, scene.cross(spin, at[i])) }
    end
  end
end
for i = 1, 8 do
  for j = i + 1, 8 do sys:distance { corners[i], corners[j], name = "rod" .. i .. "-" .. j } end
end
local rate = math.sqrt(spin[1] ^ 2 + spin[2] ^ 2 + spin[3] ^ 2)
sys:reference(function(t)
  local q = scene.turn(spin[1], spin[2], spin[3], rate * t)
  local middle = scene.add(scene.add(centre, velocity, t), { 0, -9.81, 0 }, t * t / 2)
  local answer = {}
  for i = 1, 8 do answer["corner" .. i] = { position = scene.add(middle, scene.rotate(q, at[i])) } end
  return answer
end)
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "impulse-gs", error = 5e-5, drift = 2e-9, velocity_drift = 2e-9, energy_error = 1e-9 }
sys:expect { solver = "impulse-gs", step = 0.001, error = 5e-7, drift = 2e-9, velocity_drift = 2e-9,
             energy_error = 1e-9 }
sys:expect { solver = "impulse-sle", reason = "singular" }
sys:expect { solver = "lagrange", reason = "singular" }
for _, policy in ipairs { "remove", "min-norm", "loop-split" } do
  local with = ":redundancy=" .. policy
  sys:expect { solver = "impulse-sle" .. with, error = 5e-5, drift = 2e-11, velocity_drift = 4e-14,
               energy_error = 2e-11 }
  sys:expect { solver = "lagrange" .. with, step = 0.005, error = 2e-11, drift = 2e-12,
               velocity_drift = 4e-12, energy_error = 3e-12 }
  sys:expect { solver = "taylor" .. with, error = 1.5e-12, drift = 2e-12, velocity_drift = 4e-12,
               energy_error = 5e-13 }
  sys:expect { solver = "generalised-alpha" .. with, error = 2.5e-5, drift = 2e-14, velocity_drift = 8e-7,
               energy_error = 2e-7 }
  sys:expect { solver = "half-explicit" .. with, error = 1.5e-10, drift = 2e-12, velocity_drift = 3e-14,
               energy_error = 7e-12 }
  sys:expect { solver = "ida" .. with, error = 2.5e-8, drift = 1e-9, velocity_drift = 2e-10,
               energy_error = 1.5e-6 }
end
sys:expect { solver = "impulse-newton:redundancy=remove", reason = "unsupported" }
sys:defaults { solver = "impulse-gs", step = 0.01, duration = 1 }
return sys
