-- pyramid.lua: boxes in rows, each row one box shorter than the row below
-- Stresses: contacts that share their loads in many ways, more than in a stack.
-- Source: a standard demonstration of physics engines.
-- Reference: it stays at rest.
local scene = require "holonom.scene"
local rows = scene.param("rows", 8, "of boxes, the last is one box")
local mu = scene.param("friction", 0.5, "between all bodies", { live = true, low = 0, high = 1.5 })
local side, gap = 0.5, 0.05
local sys = scene.system { gravity = { 0, 0, -9.81 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, friction = mu,
           shape = scene.plane { normal = { 0, 0, 1 } } }
local at = {}
for row = 1, rows do
  for i = 1, rows - row + 1 do
    local name = "box" .. row .. "_" .. i
    at[name] = { position = { (side + gap) * (i + (row - rows - 2) / 2), 0, side * (row - 0.5) },
                 velocity = { 0, 0, 0 } }
    sys:body { name = name, mass = 10, shape = scene.box { side, side, side }, position = at[name].position,
               friction = mu }
  end
end
sys:contact { margin = 0.02 }
sys:reference(function() return at end)
-- Bounds: the solver's tolerance, summed over time.
sys:expect { solver = "moreau:contact=newton", error = 1e-6, penetration = 1e-9 }
sys:expect { solver = "moreau", error = 1e-6, penetration = 1e-9, duration = 1 }
sys:defaults { solver = "moreau", step = 0.01, duration = 5 }
return sys
