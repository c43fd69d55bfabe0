-- slope.lua: a block initially at rest on a slope, for the study friction.lua
local scene = require "holonom.scene"
local angle = scene.param("angle", 30, "angle of the slope, degrees")
local mu = scene.param("mu", 0.5, "coefficient of friction")
local g, a = 9.81, math.rad(angle)
local sys = scene.system { gravity = { g * math.sin(a), 0, -g * math.cos(a) } } -- x down the slope
sys:body { name = "slope", fixed = true, position = { 0, 0, 0 },
           shape = scene.plane { normal = { 0, 0, 1 } }, friction = mu }
sys:body { name = "block", mass = 1, shape = scene.box { 1, 1, 0.2 }, position = { 0, 0, 0.1 },
           friction = mu }
sys:contact { margin = 0.05 }
sys:defaults { solver = "moreau:theta=0.5", step = 0.01, duration = 1 }
return sys
