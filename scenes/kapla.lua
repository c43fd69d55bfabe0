-- kapla.lua: a tower of planks in storeys, upright planks with others laid across them
-- Stresses: contacts, 872 for six storeys, of planks that overlap by half. Residual errors of a solver make
-- the planks creep until the tower falls.
-- Source: SimBenchmark "kapla" (Kang and Hwangbo 2018): six storeys (--set floors=6), 102 planks of 10 kg, h
-- = 0.01, 600 s. Published times until it falls with at most 1000 iterations: without error reduction RaiSim
-- stands, ODE 1.2 s, Bullet 1.5 s, DART 0.2 s; with it RaiSim 548 s, Bullet 551 s, ODE 65 s, MuJoCo's solvers
-- up to 33 s. The friction is not published; 0.8 is an
-- assumption.
-- Reference: it stays at rest.
local scene = require "holonom.scene"
local floors = scene.param("floors", 2, "storeys; six are published")
local base = scene.param("base", 8, "upright planks in a storey, even")
local mu = scene.param("friction", 0.8, "between all bodies", { live = true, low = 0, high = 1.5 })
local thick, long, high = 0.05, 0.2, 0.1
local sys = scene.system { gravity = { 0, 0, -9.81 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, friction = mu,
           shape = scene.plane { normal = { 0, 0, 1 } } }
local rests = {}
local function plank(name, lengths, place)
  sys:body { name = name, mass = 10, shape = scene.box(lengths), position = place, friction = mu }
  rests[name] = { position = place, velocity = { 0, 0, 0 } }
end
for i = 1, floors do
  local z, count = 2 * high * (i - 1), 0
  for j = 1, base do plank("base" .. i .. "_" .. j, { thick, long + 0.05, high },
                           { (j - 1) * long, 0, z + 0.05 }) end
  local function wall(x, y)
    count = count + 1
    plank("wall" .. i .. "_" .. count, { long, thick, high }, { x, y, z + 0.15 })
  end
  for j = 1, base // 2 do wall(2 * long * (j - 1) + 0.1, -long / 2) end
  for j = 1, base // 2 - 1 do wall(2 * long * (j - 1) + 0.3, long / 2) end
  wall(0.1, long / 2)
  wall(2 * long * (base // 2 - 1) + 0.1, long / 2)
end
sys:contact { margin = 0.01, capacity = 4000 } -- as it falls
sys:reference(function() return rests end)
-- Bounds: the solver's tolerance, summed over time.
sys:expect { solver = "moreau", error = 1e-6, penetration = 1e-9, duration = 0.2 }
sys:expect { solver = "moreau:theta=0.5", error = 1e-6, penetration = 1e-9, duration = 0.2 }
sys:defaults { solver = "moreau", step = 0.01, duration = 600 }
return sys
