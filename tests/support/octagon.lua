-- octagon.lua: a wheel with eight corners rolls down a slope, corner by corner; in units of any length, with
-- the same times.
local scene = require "holonom.scene"
local unit = scene.param("length", 1.0, "factor of all lengths")
local corners, slope, rate, g = 8, 0.2, 2.0, 9.81 * unit
local alpha = math.pi / corners
local sys = scene.system { gravity = { g * math.sin(slope), -g * math.cos(slope), 0 }, planar = true }
sys:body { name = "slope", fixed = true, position = { 0, 0, 0 }, friction = 2,
           shape = scene.plane { normal = { 0, 1, 0 } } }
local points = {}
for i = 1, corners do
  local angle = (2 * i - 1) * alpha - math.pi / 2
  points[i] = { unit * math.cos(angle), unit * math.sin(angle) }
end
sys:body { name = "wheel", mass = 1, inertia = 0.5 * unit ^ 2, friction = 2, shape = scene.polygon(points),
           position = { 0, unit * math.cos(alpha), 0 },
           velocity = { rate * unit * math.cos(alpha), rate * unit * math.sin(alpha), 0 },
           angular_velocity = { 0, 0, -rate } }
sys:contact { margin = 0.05 * unit, threshold = 0.01 * unit }
sys:defaults { solver = "events", step = 0.01, duration = 2 }
return sys
