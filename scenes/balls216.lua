-- balls216.lua: 6 x 6 x 6 balls, slightly displaced, fall on a smooth floor and spread
-- Stresses: many simultaneous impacts, chains of contacts, and the penetration that remains after the
-- solution.
-- Source: SimBenchmark "666" (Kang and Hwangbo 2018): radius 0.1, 10 kg, spacing 0.21, e = 0, mu = 0, h =
-- 1e-3. Published mean squared penetration: RaiSim 1.35e-4, ODE 1.5e-4, DART 2.8e-4, MuJoCo 0.095, Bullet
-- 0.38. With restitution = 1 and a threshold near zero, energy should be conserved ("elastic 666").
-- No reference: the initial displacements come from our own generator.
local scene = require "holonom.scene"
local side = scene.param("side", 6, "balls in a row")
local restitution = scene.param("restitution", 0.0, "between balls, and with the floor",
                                { live = true, low = 0, high = 1 })
local perturbed = scene.param("perturbed", 1e-3, "largest displacement at the start in each direction, m")
local height = scene.param("height", 0.21,
                           "of the lowest centres at the start, m; published: 0.101, elastic 1.101")
local threshold = scene.param("threshold", 0.01, "speed below which restitution is zero, m/s")
local r, spacing = 0.1, 0.21
local sys = scene.system { gravity = { 0, 0, -9.81 } }
local seed = 12345
local function random() -- -1 to 1, Park and Miller's minimal standard
  seed = seed * 16807 % 2147483647
  return 2 * seed / 2147483647 - 1
end
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } },
           restitution = restitution }
for i = 1, side do
  for j = 1, side do
    for k = 1, side do
      local middle = (side + 1) / 2
      local at = { spacing * (i - middle), spacing * (j - middle), spacing * k + (height - spacing) }
      for c = 1, 3 do at[c] = at[c] + perturbed * random() end
      sys:body { name = "ball" .. i .. "_" .. j .. "_" .. k, mass = 10, shape = scene.sphere { radius = r },
                 position = at, restitution = restitution }
    end
  end
end
sys:contact { margin = 0.02, threshold = threshold }
-- Bounds: the tolerance of the projection.
sys:expect { solver = "moreau", penetration = 1e-9, duration = 0.3 }
sys:expect { solver = "moreau:contact=newton", penetration = 1e-9, duration = 0.3 }
sys:defaults { solver = "moreau", step = 0.001, duration = 10 }
return sys
