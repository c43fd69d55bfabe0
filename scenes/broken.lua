-- broken.lua: a chain of boxes on ball joints that starts with every joint 10 cm apart
-- Stresses: repair. The initial violations exceed any tolerance. The impulse solvers close the joints within
-- the first step, by the impulses that they compute in every step. Solvers that constrain accelerations only
-- keep the gaps.
-- Source: the project page of Schmitt (2003), where broken chains close by themselves.
-- No published trajectory.
local scene = require "holonom.scene"
local n = scene.param("n", 5, "number of links")
local gap = scene.param("gap", 0.1, "distance between the two points of every joint at the start, m")
if n < 1 then error("n must be at least 1, not " .. n) end
local sys = scene.system { gravity = { 0, -9.81, 0 }, loose = true }
local along = { [0] = { gap, 0, 0 }, { 0, gap, 0 }, { 0, 0, gap } } -- of the gaps in turn
local previous, from = sys.ground, { 0, 0, 0 }
for i = 1, n do
  local to = scene.add(from, along[i % 3])
  local link = sys:body { name = "link" .. i, shape = scene.box { 1.0, 0.1, 0.1 }, density = 600,
                          position = scene.add(to, { 0.5, 0, 0 }) }
  sys:ball { previous, link, at_a = from, at_b = to, name = "joint" .. i }
  previous, from = link, scene.add(to, { 1, 0, 0 })
end
-- The largest joint error is the initial one; the energy is the work of the repair.
sys:expect { solver = "impulse-sle", drift = 0.1001, velocity_drift = 1e-13, energy_error = 800 }
sys:expect { solver = "impulse-gs", drift = 0.1001, velocity_drift = 2e-9, energy_error = 800 }
sys:expect { solver = "impulse-newton", drift = 0.1001, velocity_drift = 8e-14, energy_error = 800 }
sys:expect { solver = "lagrange", step = 0.005, drift = 0.1001, velocity_drift = 2e-5, energy_error = 6e-4 }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
