-- chain.lua: n boxes in a row on ball joints, one end fixed, let go at rest from the horizontal
-- Stresses: a long serial chain: impulses must travel through all n joints, one joint a sweep under Gauss-Seidel.
-- Source: ours. No published trajectory: compare methods with each other, or each with itself at smaller steps.
local scene = require "holonom.scene"
local n = scene.param("n", 10, "number of boxes")
if n < 1 then error("n must be at least 1, not " .. n) end
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local previous = sys.ground
for i = 1, n do
  local link = sys:body { name = "link" .. i, shape = scene.box { 1.0, 0.1, 0.1 }, density = 600,
                          position = { i - 0.5, 0, 0 } }
  sys:ball { previous, link, at = { i - 1, 0, 0 } }
  previous = link
end
-- Bounds: about twice what was measured where truncation decides, ten times where round-off does; the drift of impulse
-- methods is held by their tolerance (1e-9 unless given).
sys:expect { solver = "impulse-sle", drift = 2e-9, velocity_drift = 4e-14, energy_error = 0.2 }
sys:expect { solver = "impulse-gs", drift = 2e-9, velocity_drift = 2e-9, energy_error = 0.2 }
sys:expect { solver = "lagrange", step = 0.005, drift = 6e-8, velocity_drift = 6e-7, energy_error = 4e-5 }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
