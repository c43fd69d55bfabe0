-- terrain.lua: bodies of six shapes roll and tumble down a hillside of 48 x 48 cells into a bowl
-- Stresses: contact with the triangles of a height field. Bodies roll over flat and concave edges, bounce on
-- ridges, and come to rest on several faces at once.
-- No reference: the motion is chaotic. Contact must not let bodies sink in, and takes energy.
local scene = require "holonom.scene"
local mu = scene.param("friction", 0.4, "of all bodies", { live = true, low = 0, high = 1.5 })
local rough = scene.param("rough", 0.25, "height of the waves, m")
local points = scene.param("points", 49, "of the grid along each side")
local sys = scene.system {}
local function height(x, z)
  local bowl = 0.06 * (x * x + z * z)
  local waves = math.sin(1.7 * x + 0.6) * math.cos(1.3 * z) + 0.4 * math.sin(3.1 * z + 2.3 * x)
  return bowl + rough * waves
end
sys:body { name = "hillside", fixed = true, position = { 0, 0, 0 }, friction = mu,
           shape = scene.height_field { size = { 12, 12 }, points = { points, points }, heights = height } }
local wedge = {}
for _, x in ipairs { -0.3, 0.3 } do
  for _, z in ipairs { -0.2, 0.2 } do wedge[#wedge + 1] = { x, -0.2, z } end
end
wedge[5], wedge[6] = { -0.3, 0.25, -0.2 }, { -0.3, 0.25, 0.2 }
local shapes = {
  { "ball", scene.sphere { radius = 0.25 } },
  { "box", scene.box { 0.5, 0.3, 0.4 } },
  { "log", scene.cylinder { radius = 0.18, height = 0.7 } },
  { "pebble", scene.ellipsoid { 0.35, 0.2, 0.25 } },
  { "stick", scene.capsule { radius = 0.13, height = 0.6 } },
  { "wedge", scene.convex(wedge) },
}
for i, kind in ipairs(shapes) do
  local angle = 2 * math.pi * i / #shapes
  local x, z = 4 * math.cos(angle), 4 * math.sin(angle)
  sys:body { name = kind[1], density = 800, shape = kind[2], friction = mu,
             position = { x, height(x, z) + 0.8, z }, axis_angle = { 1, 2, 3, i } }
end
sys:contact {}
-- Bounds: the tolerance of the projection; of event location; and what the others leave.
sys:expect { solver = "moreau", penetration = 5e-9 }
sys:expect { solver = "impulse-contact", penetration = 5e-9, duration = 2 }
sys:expect { solver = "xpbd", penetration = 1e-4, duration = 2 }
sys:expect { solver = "tgs-soft", penetration = 1e-3, duration = 2 }
sys:defaults { solver = "moreau", step = 0.002, duration = 5 }
return sys
