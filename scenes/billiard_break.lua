-- billiard_break.lua: the cue ball breaks a triangle of fifteen touching balls
-- Stresses: simultaneous impacts of many bodies, whose solution is not unique; friction of balls that slide
-- until they roll; symmetry, which the order of contacts must not break.
-- Source: classical; balls of 57.15 mm and 0.17 kg, restitution and friction as measured on tables.
-- No reference. Invariants: the momentum of the break, energy that never increases, and symmetry about the
-- line of the stroke.
local scene = require "holonom.scene"
local speed = scene.param("speed", 8.0, "of the white ball, m/s")
local e = scene.param("restitution", 0.95, "between balls", { live = true, low = 0, high = 1 })
local mu = scene.param("friction", 0.2, "of balls and cloth", { live = true, low = 0, high = 1.5 })
local rub = scene.param("rub", 0.0, "friction between balls")
local off = scene.param("off", 0.0, "by which the white ball strikes beside the middle, m")
local gap = scene.param("gap", 0.0, "between balls at the start, m")
local r, m, length, width = 0.028575, 0.17, 2.54, 1.27
local sys = scene.system { gravity = { 0, 0, -9.81 } }
sys:body { name = "cloth", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } },
           material = "cloth" }
for i, side in ipairs { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } } do
  local long = side[1] ~= 0
  sys:body { name = "cushion" .. i, fixed = true, material = "cushion",
             position = { side[1] * (length / 2 + 0.02), side[2] * (width / 2 + 0.02), 0.02 },
             shape = long and scene.box { 0.04, width, 0.04 } or scene.box { length + 0.08, 0.04, 0.04 } }
end
local ball = scene.sphere { radius = r }
sys:body { name = "white", mass = m, shape = ball, material = "ball", position = { -length / 4, off, r },
           velocity = { speed, 0, 0 } }
-- Rows behind each other, the apex at a quarter of the table.
local across, behind = 2 * r + gap, math.sqrt(3) * (r + gap / 2)
for row = 0, 4 do
  for i = 0, row do
    sys:body { name = "ball" .. row + 1 .. "_" .. i + 1, mass = m, shape = ball, material = "ball",
               position = { length / 4 + row * behind, (i - row / 2) * across, r } }
  end
end
sys:material_pair { "cloth", "ball", friction = mu }
sys:material_pair { "ball", "ball", friction = rub, restitution = e }
sys:material_pair { "cushion", "ball", friction = 0.2, restitution = 0.75 }
sys:contact { margin = 0.005 }
-- Bounds: the accuracy of a gap.
sys:expect { solver = "impulse-contact", penetration = 1e-9 }
sys:expect { solver = "moreau", penetration = 1e-9 }
sys:defaults { solver = "impulse-contact", step = 0.002, duration = 1.5 }
return sys
