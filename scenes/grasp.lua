-- grasp.lua: n blocks squeezed between two pads (the record of contact laws: grasp)
-- Stresses: sticking through n + 1 faces in a row, and their moments: a row of blocks is a beam that only
-- pressure holds together.
-- Source: the comparison of engines for grasping in the wiki of PositronicsLab.
-- Reference: no block slips while 2 mu F >= n m g. The faces bear the bending moment n m g n side / 8 if
-- F side / 2 is larger.
local scene = require "holonom.scene"
local n = scene.param("n", 3, "number of blocks")
local mu = scene.param("mu", 0.2, "coefficient of friction")
local safety = scene.param("safety", 1.25, "force of the pad over n m g / (2 mu)")
local g, side, mass = 9.81, 0.1, 0.1
local squeeze = safety * n * mass * g / (2 * mu)
local sys = scene.system { gravity = { 0, 0, -g } }
local function block(name, x, more)
  local body = { name = name, mass = mass, shape = scene.box { side, side, side }, position = { x, 0, 0 },
                 material = "block" }
  for key, value in pairs(more or {}) do body[key] = value end
  return sys:body(body)
end
block("left", -side, { fixed = true })
for i = 1, n do block("block" .. i, (i - 1) * side) end
local pad = block("pad", n * side)
sys:slider { sys.ground, pad, at = { n * side, 0, 0 }, axis = { 1, 0, 0 }, name = "rail" }
sys:force { sys.ground, pad, at = { n * side, 0, 0 }, force = { -squeeze, 0, 0 } }
sys:material_pair { "block", "block", friction = mu }
sys:contact { margin = 0.02 }
-- Bounds: ten times the tolerance of the projection.
sys:expect { solver = "moreau", duration = 0.04, penetration = 1e-8 }
sys:expect { solver = "xpbd", duration = 0.04 }
sys:defaults { solver = "moreau", step = 0.002, duration = 2 }
return sys
