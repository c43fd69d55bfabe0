-- pile.lua: side^3 bodies of three shapes fall into a bin: spheres, boxes and capsules in turn
-- Stresses: detection and contact of many bodies that touch several others.
-- Source: a standard demonstration of physics engines.
-- No reference.
local scene = require "holonom.scene"
local side = scene.param("side", 6, "bodies along each edge of the block that falls")
local sys = scene.system { gravity = { 0, -9.81, 0 } }
sys:contact { capacity = 12 * side ^ 3 + 1000 }

local half = 0.65 * side + 0.2
local function wall(name, place, normal)
  local plane = scene.plane { normal = normal }
  sys:body { name = name, fixed = true, position = place, friction = 0.5, shape = plane }
end
wall("floor", { 0, 0, 0 }, { 0, 1, 0 })
wall("left", { -half, 0, 0 }, { 1, 0, 0 })
wall("right", { half, 0, 0 }, { -1, 0, 0 })
wall("back", { 0, 0, -half }, { 0, 0, 1 })
wall("front", { 0, 0, half }, { 0, 0, -1 })

local shapes = {
  scene.sphere { radius = 0.5 },
  scene.box { 1, 0.8, 0.7 },
  scene.capsule { radius = 0.3, height = 0.6 },
}
-- displacements that repeat no pattern of the block
local function shift(number, factor) return 0.2 * (number * factor % 1000 / 1000 - 0.5) end
local number = 0
for layer = 0, side - 1 do
  for row = 0, side - 1 do
    for place = 0, side - 1 do
      local x, z = 1.3 * (row - (side - 1) / 2), 1.3 * (place - (side - 1) / 2)
      sys:body {
        density = 1000, friction = 0.5, shape = shapes[number % 3 + 1],
        position = { x + shift(number, 7919), 0.7 + 1.3 * layer, z + shift(number, 6007) },
      }
      number = number + 1
    end
  end
end
-- Bounds: the tolerance of the projection, 1e-9, summed over the points of a body.
sys:expect { solver = "moreau", duration = 0.5, penetration = 1e-8 }
sys:expect { solver = "tgs-soft", duration = 0.3 }
sys:defaults { solver = "moreau", step = 0.01, duration = 3 }
return sys
