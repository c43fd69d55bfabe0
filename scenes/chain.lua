-- chain.lua: n boxes in a row on ball joints, one end fixed, released at rest from the horizontal
-- Stresses: a long serial chain: impulses must travel through all n joints, one joint per sweep with
-- Gauss-Seidel.
-- Source: our own.
-- No published trajectory: compare solvers with each other, or each with itself at smaller steps.
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
-- Bounds: the tolerance of the solver (1e-9 by default), or round-off: 1e-11 m/s.
sys:expect { solver = "impulse-sle", drift = 1e-9, velocity_drift = 1e-11 }
sys:expect { solver = "impulse-gs", drift = 1e-9, velocity_drift = 1e-9 }
sys:expect { solver = "lagrange:stabilisation=projection", drift = 1e-12, velocity_drift = 1e-11 }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
