-- table.lua: a table on four legs, with an eccentric load, slides and stops
-- Stresses: four contacts whose forces are not unique, although the motion is. Solvers may find different
-- forces.
-- Source: classical.
-- Reference: closed form of a sliding block: v0^2 / (2 mu g), then rest. The table does not rotate, since the
-- friction of all legs has the same direction and the load is on the line of motion, in front.
local scene = require "holonom.scene"
local v0 = scene.param("speed", 1.0, "at the start, m/s")
local mu = scene.param("friction", 0.3, "of the legs on the floor", { live = true, low = 0, high = 1.5 })
local load = scene.param("load", 5.0, "on the table, 0.2 m in front of its middle, kg")
local g = 9.81
local sys = scene.system { gravity = { 0, 0, -g } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, friction = mu,
           shape = scene.plane { normal = { 0, 0, 1 } } }
local leg = scene.box { 0.05, 0.05, 0.7 }
local shapes = { { shape = scene.box { 1.2, 0.8, 0.05 }, position = { 0, 0, 0.725 }, density = 600 },
                 { shape = scene.box { 0.1, 0.1, 0.1 }, position = { 0.2, 0, 0.8 }, density = load / 1e-3 } }
for i = 1, 4 do
  local x, y = i <= 2 and 0.55 or -0.55, i % 2 == 0 and 0.35 or -0.35
  shapes[#shapes + 1] = { shape = leg, position = { x, y, 0.35 }, density = 600 }
end
sys:body { name = "table", density = 600, position = { 0, 0, 0 }, velocity = { v0, 0, 0 }, shapes = shapes,
           friction = mu }
-- Its centre of mass, from the parts above.
local mass, moment, height = 600 * 1.2 * 0.8 * 0.05, 0, 600 * 1.2 * 0.8 * 0.05 * 0.725
mass, moment, height = mass + load, 0.2 * load, height + 0.8 * load
local leg_mass = 600 * 0.05 * 0.05 * 0.7
mass, height = mass + 4 * leg_mass, height + 4 * leg_mass * 0.35
sys:reference(function(t)
  local slid = math.min(t, v0 / (mu * g))
  return { table = { position = { moment / mass + v0 * slid - mu * g * slid ^ 2 / 2, 0, height / mass },
                     velocity = { v0 - mu * g * slid, 0, 0 }, angular_velocity = { 0, 0, 0 } } }
end)
sys:contact { margin = 0.02 }
-- Bounds: v0 h / 2 with theta = 1.
sys:expect { solver = "moreau", error = 1.01e-3, penetration = 1e-9 }
sys:expect { solver = "moreau:contact=newton", error = 1.01e-3, penetration = 1e-9 }
sys:expect { solver = "moreau:contact=pgs", error = 1.01e-3, penetration = 1e-9 }
sys:defaults { solver = "moreau", step = 0.002, duration = 1 }
return sys
