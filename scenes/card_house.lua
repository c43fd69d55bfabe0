-- card_house.lua: pairs of cards that lean on each other, with a card across, and further pairs on top
-- Stresses: thin boxes that stand by friction alone: with sufficient friction all stays at rest, otherwise
-- all falls.
-- Source: a standard demonstration of contact solvers. Statics of one pair: at the top, by symmetry, the
-- cards push each other horizontally. There the edge of one card touches the face of the other, whose normal
-- is inclined by the lean. The pair stands while mu > tan(lean) = 0.268; the feet need less, (tan(lean) -
-- thickness / length) / 2.
local scene = require "holonom.scene"
local lean = scene.param("lean", math.rad(15), "of a card from the vertical, rad")
local mu = scene.param("friction", 0.5, "between all bodies", { live = true, low = 0, high = 1.5 })
local storeys = scene.param("storeys", 2, "one pair less each")
local l, width, thick = 0.1, 0.07, 0.002
local sys = scene.system { gravity = { 0, 0, -9.81 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, friction = mu,
           shape = scene.plane { normal = { 0, 0, 1 } } }
local card = scene.box { thick, width, l }
local s, c = math.sin(lean), math.cos(lean)
local foot = (l * s + thick * c) / 2 -- from the middle of a card to where it is lowest, sideways, and upwards
local up = (l * c + thick * s) / 2
local pitch = 4 * foot
local z = 0
for storey = 1, storeys do
  local pairs_here = storeys - storey + 1
  for i = 1, pairs_here do
    local x = pitch * (i - (pairs_here + 1) / 2)
    for _, sign in ipairs { -1, 1 } do -- the left one leans to the right
      sys:body { name = "card" .. storey .. "_" .. i .. (sign < 0 and "l" or "r"), density = 1000,
                 shape = card, friction = mu, position = { x + sign * foot, 0, z + up },
                 axis_angle = { 0, 1, 0, -sign * lean } }
    end
  end
  z = z + 2 * up
  if pairs_here > 1 then
    sys:body { name = "floor" .. storey, density = 1000, friction = mu, position = { 0, 0, z + thick / 2 },
               shape = scene.box { pitch * pairs_here, width, thick } }
    z = z + thick
  end
end
sys:contact { margin = 0.002, threshold = 0.01 }
-- Bounds: the tolerance of the projection.
sys:expect { solver = "moreau:contact=newton", penetration = 1e-9, duration = 0.5 }
sys:expect { solver = "moreau", penetration = 1e-9, duration = 0.5 }
sys:defaults { solver = "moreau", step = 0.002, duration = 5 }
return sys
