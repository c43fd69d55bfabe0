-- creep.lua: a cube at rest on a slope that friction holds (the record of contact laws: creep)
-- Stresses: sticking. Regularised friction and unconverged sweeps let the cube creep downhill for ever.
-- Source: MuJoCo issues 3328 and 3349, Newton issue 3943.
-- Reference: the cube rests, since mu > tan(slope).
local scene = require "holonom.scene"
local slope = scene.param("slope", 10, "angle of the slope, degrees")
local mu = scene.param("mu", 0.5, "coefficient of friction")
local g, side, angle = 9.81, 0.1, math.rad(slope)
local sys = scene.system { gravity = { g * math.sin(angle), 0, -g * math.cos(angle) } } -- x down the slope
sys:body { name = "slope", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } },
           material = "slope" }
sys:body { name = "cube", mass = 1, shape = scene.box { side, side, side }, position = { 0, 0, side / 2 },
           material = "cube" }
sys:material_pair { "slope", "cube", friction = mu }
sys:contact { margin = 0.02 }
sys:reference(function()
  if mu < math.tan(angle) then return nil end
  return { cube = { position = { 0, 0, side / 2 }, orientation = { 1, 0, 0, 0 }, velocity = { 0, 0, 0 },
                    angular_velocity = { 0, 0, 0 } } }
end)
sys:expect { solver = "moreau", error = 1e-9, penetration = 1e-9 }
sys:expect { solver = "events", error = 1e-9, penetration = 1e-9 }
sys:defaults { solver = "moreau", step = 0.002, duration = 10 }
return sys
