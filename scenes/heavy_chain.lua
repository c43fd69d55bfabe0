-- heavy_chain.lua: a ball of 1000 times the mass of a link, at the end of a chain, swings into light boxes
-- Stresses: joints and contacts with mass ratios of 1000, for which sweeps over the constraints converge
-- slowly.
-- Source: our own, after demonstrations of game physics solvers.
-- No reference.
local scene = require "holonom.scene"
local links = scene.param("links", 8, "of the chain")
local ratio = scene.param("ratio", 1000, "mass of the ball over that of a link")
local boxes = scene.param("boxes", 3, "in the stack it hits")
local l, r = 0.25, 0.3
local sys = scene.system { gravity = { 0, 0, -9.81 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } },
           friction = 0.4 }
local top = links * l + 2 * r
local last = sys.ground
for i = 1, links do
  local link = sys:body { name = "link" .. i, mass = 0.1, shape = scene.capsule { radius = 0.02, height = l },
                          axis_angle = { 0, 0, 1, math.pi / 2 }, position = { -l * (i - 0.5), 0, top },
                          collides = false }
  sys:ball { last, link, at = { -l * (i - 1), 0, top }, name = "joint" .. i }
  last = link
end
local ball = sys:body { name = "ball", mass = 0.1 * ratio, shape = scene.sphere { radius = r },
                        friction = 0.4, position = { -l * links - r, 0, top } }
sys:ball { last, ball, at = { -l * links, 0, top }, name = "hook" }
for i = 1, boxes do
  sys:body { name = "box" .. i, mass = 1, shape = scene.box { 0.3, 0.3, 0.3 }, friction = 0.4,
             position = { r + 0.2, 0, 0.3 * (i - 0.5) } }
end
sys:contact { margin = 0.02 }
-- Bounds: the tolerance of the projection. Gauss-Seidel sweeps stall at the first step.
sys:expect { solver = "moreau", drift = 1e-9 }
sys:expect { solver = "moreau:contact=newton", drift = 1e-9 }
sys:expect { solver = "moreau:contact=pgs", reason = "stalled", duration = 0.1 }
sys:defaults { solver = "moreau", step = 0.002, duration = 1.5 }
return sys
