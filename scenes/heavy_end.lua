-- heavy_end.lua: a heavy body at the end of a light chain (the record of contact laws: heavy body)
-- Stresses: joints with mass ratios up to 1e6, for which sweeps converge slowly: the chain is drawn out.
-- Source: Jolt issue 1390, PhysX issue 308.
-- No reference: runs of an exact chain.
local scene = require "holonom.scene"
local links = scene.param("links", 8, "of the chain")
local ratio = scene.param("ratio", 1000, "mass of the body over that of a link")
local angle = math.rad(scene.param("angle", 30, "initial angle to the vertical, degrees"))
local l, r = 0.25, 0.2
local sys = scene.system { gravity = { 0, 0, -9.81 } }
local function along(s) return { s * math.sin(angle), 0, -s * math.cos(angle) } end
local last = sys.ground
for i = 1, links do
  local link = sys:body { name = "link" .. i, mass = 1, shape = scene.capsule { radius = 0.02, height = l },
                          position = along(l * (i - 0.5)),
                          axis_angle = { -math.cos(angle), 0, -math.sin(angle), math.pi / 2 } }
  sys:ball { last, link, at = along(l * (i - 1)), name = "joint" .. i }
  last = link
end
local body = sys:body { name = "weight", mass = ratio, shape = scene.sphere { radius = r },
                        position = along(l * links + r) }
sys:ball { last, body, at = along(l * links), name = "hook" }
-- Bounds: ten times the tolerance of joints.
sys:expect { solver = "moreau", duration = 0.2, drift = 1e-8 }
sys:expect { solver = "impulse-sle", duration = 0.2, drift = 1e-8 }
sys:defaults { solver = "moreau", step = 0.002, duration = 1 }
return sys
