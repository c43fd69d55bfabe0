-- sliding_cubes.lua: ten cubes with different friction slide down a slope of 22.5 degrees and stop
-- Stresses: Coulomb friction at four corners of each cube, the transition from sliding to rest, and staying
-- at rest.
-- Source: Bender (2005), table 1, h = 0.01: its largest error of a stopping distance is 5.7 mm. Initial
-- speeds follow from the computed distances of the table. With level = true there is one block on the level:
-- v0 = 5 m/s, mu = 0.5.
-- Reference: closed form, s = v0 t - a t^2 / 2 until t = v0 / a, with a = g (mu cos slope - sin slope).
local scene = require "holonom.scene"
local level = scene.param("level", false, "one block of mu = 0.5 on the level; false: the ten of the table")
local slope = scene.param("slope", level and 0.0 or math.pi / 8, "angle of the plane, rad")
local g, side = 9.81, 0.5
local table_1 = { { 0.535, 25.70234 }, { 0.57, 19.37792 }, { 0.605, 15.71905 }, { 0.64, 13.11542 },
                  { 0.675, 11.11587 }, { 0.71, 10.37604 }, { 0.745, 9.54379 }, { 0.78, 8.78449 },
                  { 0.815, 7.55506 },
                  { 0.85, 6.48689 } }
if level then table_1 = { { 0.5, 12.5 / (0.5 * g) } } end
local sys = scene.system { gravity = { g * math.sin(slope), 0, -g * math.cos(slope) } } -- x down the slope
sys:body { name = "slope", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } },
           material = "slope" }
local cubes = {}
for i, row in ipairs(table_1) do
  local mu, distance = row[1], row[2]
  local name, a = "cube" .. i, g * (mu * math.cos(slope) - math.sin(slope))
  local v0, y = math.sqrt(2 * a * distance), i - 1
  sys:body { name = name, mass = 1, shape = scene.box { side, side, side }, position = { 0, y, side / 2 },
             velocity = { v0, 0, 0 }, material = name }
  sys:material_pair { "slope", name, friction = mu }
  cubes[i] = { name = name, v0 = v0, a = a, y = y }
end
sys:contact { margin = 0.05 }
sys:reference(function(t)
  local all = {}
  for _, cube in ipairs(cubes) do
    local slid = math.min(t, cube.v0 / cube.a)
    all[cube.name] = { position = { cube.v0 * slid - cube.a * slid ^ 2 / 2, cube.y, side / 2 },
                       velocity = { cube.v0 - cube.a * slid, 0, 0 }, orientation = { 1, 0, 0, 0 },
                       angular_velocity = { 0, 0, 0 } }
  end
  return all
end)
-- Bounds: while a cube slides, its velocity at the end of a step is exact, so positions lag by v0 h / 2, here
-- 0.0382 m, and by no more when it stops. With theta = 0.5 the error is a h^2 / 8, of the step in which it
-- stops.
sys:expect { solver = "moreau", error = 0.0382, penetration = 1e-9 }
sys:expect { solver = "moreau", step = 0.001, error = 0.00382, penetration = 1e-9 }
sys:expect { solver = "moreau:contact=newton", error = 0.0382, penetration = 1e-9 }
sys:expect { solver = "moreau:theta=0.5", error = 6e-5, penetration = 1e-9 }
sys:expect { solver = "moreau", step = 0.04, order = 1 }
sys:defaults { solver = "moreau", step = 0.01, duration = 8 }
return sys
