-- cubes1000.lua: a thousand cubes in 10 x 10 columns of ten fall a short way and come to rest
-- Stresses: many contacts, 4000 at rest, all of which must hold; contact detection in linear time.
-- Source: Bender (2005), figure 10; cubes of 1 m with gaps of 0.2 m between the columns, mu = 0.5.
-- Reference: the positions at rest. The cubes start 10 mm above each other.
local scene = require "holonom.scene"
local side = scene.param("side", 10, "columns in a row of the square")
local high = scene.param("high", 10, "cubes in a column")
local gap = scene.param("gap", 0.01, "under each cube at the start, m")
local sys = scene.system { gravity = { 0, 0, -9.81 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, friction = 0.5,
           shape = scene.plane { normal = { 0, 0, 1 } } }
local rests = {}
for i = 1, side do
  for j = 1, side do
    for k = 1, high do
      local name, x, y = "cube" .. i .. "_" .. j .. "_" .. k, 1.2 * (i - 1), 1.2 * (j - 1)
      sys:body { name = name, density = 100, shape = scene.box { 1, 1, 1 }, friction = 0.5,
                 position = { x, y, k - 0.5 + gap * k } }
      rests[name] = { position = { x, y, k - 0.5 }, velocity = { 0, 0, 0 } }
    end
  end
end
sys:contact { margin = 0.02 }
local landed = math.sqrt(2 * gap * high / 9.81) + 0.1 -- the last cubes, with a little time to come to rest
sys:reference(function(t) return t > landed and rests or nil end)
-- Bounds: the solver's tolerance, summed over time; restitution is zero. A budget of 20 sweeps is common in
-- engines.
sys:expect { solver = "moreau:contact_tolerance=1e-6", error = 1e-6, penetration = 1e-9, duration = 0.4 }
sys:expect { solver = "moreau:contact=pgs,contact_tolerance=0,sweeps=20,stabilisation=baumgarte",
             duration = 0.2 }
sys:defaults { solver = "moreau:contact_tolerance=1e-6", step = 0.01, duration = 1 }
return sys
