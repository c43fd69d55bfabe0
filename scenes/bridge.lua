-- bridge.lua: planks hinged to each other hang between two supports, with a box on the middle one
-- Stresses: joints that close a loop, redundant in space, and contacts with friction, in one problem.
-- Source: a standard demonstration of physics engines.
-- Reference: the initial equilibrium. With the horizontal force H, plank j from the middle is inclined by
-- tan(a) = (V + m g / 2) / H, where V = (m + M) g / 2 + (j - 1) m g is the load on its upper end. H is such
-- that the ends meet the supports, which carry H and half of the weight.
local scene = require "holonom.scene"
local planks = scene.param("planks", 9, "an odd number")
local load = scene.param("load", 20.0, "of the box, kg")
local slack = scene.param("slack", 0.95, "distance of the supports over the length of all planks")
local drop = scene.param("drop", 0.0, "height from which the box falls, m; not at rest then")
local g, l, wide, thick, density, side, mu = 9.81, 0.5, 0.8, 0.05, 500.0, 0.3, 0.6
local m, half = density * l * wide * thick, (planks - 1) // 2
local span = slack * planks * l
local sys = scene.system { gravity = { 0, 0, -g } }
local function lean(j, H) return math.atan(((m + load) / 2 + (j - 0.5) * m) * g / H) end
local function reach(H)
  local sum = l
  for j = 1, half do sum = sum + 2 * l * math.cos(lean(j, H)) end
  return sum - span
end
local H = scene.zero(reach, 1, 1e6)
-- Corners of the chain, from the left support to the middle, and mirrored.
local x, z, rests, previous = -span / 2, 0, {}, sys.ground
local function at_rest(name, place) rests[name] = { position = place, velocity = { 0, 0, 0 } } end
for i = 1, planks do
  local j = half + 1 - i -- counted from the middle, negative to the right of it
  local down = j == 0 and 0 or (j > 0 and lean(j, H) or -lean(-j, H))
  local dx, dz, name = l * math.cos(down), -l * math.sin(down), "plank" .. i
  local place = { x + dx / 2, 0, z + dz / 2 }
  local plank = sys:body { name = name, density = density, shape = scene.box { l, wide, thick },
                           position = place, axis_angle = { 0, 1, 0, down }, friction = mu }
  sys:hinge { previous, plank, at = { x, 0, z }, axis = { 0, 1, 0 }, name = "hinge" .. i }
  at_rest(name, place)
  previous, x, z = plank, x + dx, z + dz
  if j == 0 then
    local on = { 0, 0, z + thick / 2 + side / 2 + drop }
    sys:body { name = "box", mass = load, shape = scene.box { side, side, side }, position = on,
               friction = mu }
    at_rest("box", on)
  end
end
sys:hinge { previous, sys.ground, at = { x, 0, z }, axis = { 0, 1, 0 }, name = "hinge" .. planks + 1 }
sys:contact { margin = 0.02 }
sys:reference(function(t) return (drop == 0 or t == 0) and rests or nil end)
-- Bounds: the solver's tolerance, summed over time.
sys:expect { solver = "moreau", error = 1e-6, drift = 1e-9, penetration = 1e-9 }
sys:expect { solver = "moreau:contact=newton", error = 1e-6, drift = 1e-9, penetration = 1e-9,
             duration = 0.5 }
sys:defaults { solver = "moreau", step = 0.005, duration = 2 }
return sys
