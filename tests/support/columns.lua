-- Columns of five cubes with a sphere on top, at rest on a floor, 3.5 contacts a body; or, with a gap,
-- floating without contacts and without gravity.
local scene = require "holonom.scene"
local columns = scene.param("columns", 100, "number of columns")
local gap = scene.param("gap", 0.0, "distance between bodies, m")
local sys = scene.system { gravity = { 0, gap == 0 and -9.81 or 0, 0 } }
sys:contact { capacity = math.tointeger(72 * columns) + 8 } -- 12 a body
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, friction = 0.5,
           shape = scene.plane { normal = { 0, 1, 0 } } }
local width = math.ceil(math.sqrt(columns))
for i = 0, columns - 1 do
  local x, z = 1.5 * (i % width), 1.5 * (i // width)
  for k = 0, 5 do
    sys:body { density = 1000, friction = 0.5, position = { x, gap + 0.5 + (1 + gap) * k, z },
               shape = k < 5 and scene.box { 1, 1, 1 } or scene.sphere { radius = 0.5 } }
  end
end
sys:defaults { solver = "moreau:contact=pgs,contact_tolerance=1e-4", step = 0.01, duration = 0.02 }
return sys
