-- free_top.lua: an asymmetric body rotating freely about its unstable middle axis
-- Stresses: the free flight alone: no joint, no force. The body flips every 6.98 s; its angular momentum
-- (0.1, 4, 0.3) is constant in world axes.
-- Source: Euler; reference values from the closed form in Jacobi functions, with 40 digits.
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 } }
sys:body { name = "top", mass = 1, inertia = { 1, 2, 3 }, position = { 0, 0, 0 },
           angular_velocity = { 0.1, 2, 0.1 } }
-- The centre is at rest; the angular velocity is given in body axes.
local function turned(orientation, rate_b)
  return { top = { position = { 0, 0, 0 }, orientation = orientation, velocity = { 0, 0, 0 },
                   angular_velocity = scene.rotate(orientation, rate_b) } }
end
sys:reference(scene.table_reference {
  [1] = turned({ 0.53872150074183678229, 0.00443472088290130285, 0.84105419598627758202,
                 0.04886018116043051234 },
               { -0.07326330819569985780, 2.00115778680048662925, 0.09195562757435077530 }),
  [10] = turned({ -0.29796696110860477774, 0.94535729018642284072, 0.11484622844040650329,
                  -0.06576950503159263740 },
                { 1.10506663441741957677, -1.66997836318239678877, 0.64321387487694501938 }),
})
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "impulse-sle", error = 0, energy_error = 8e-12 }
sys:expect { solver = "impulse-gs", error = 0, energy_error = 8e-12 }
sys:expect { solver = "impulse-sle:flight=exact", step = 0.1, duration = 10, error = 0, energy_error = 3e-12 }
sys:expect { solver = "lagrange", step = 0.005, error = 0, energy_error = 2e-12 }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
