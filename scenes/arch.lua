-- arch.lua: a half-circle of wedges stands by its own weight, without mortar
-- Stresses: contacts that support each other: all of them carry load, and most have two points that share a
-- thrust.
-- Source: the masonry arch (Couplet 1730; Milankovitch 1907: a continuous semicircle is stable from a
-- thickness of 0.1075 of its mean radius). Statics of this arch: the thrust H and its moment at one
-- springing, where by symmetry half of the weight acts, determine the force in every joint. Each force must
-- lie within the thickness and within the friction cone. These conditions are linear in both unknowns
-- (tests/contact_scenes/test_contact_scenes.c solves them). Nine wedges are stable from a thickness of
-- 0.1015, and with thickness 0.2 from a friction of 0.309.
-- Reference: it stays at rest.
local scene = require "holonom.scene"
local blocks = scene.param("blocks", 9, "wedges")
local thickness = scene.param("thickness", 0.2, "over the middle radius")
local mu = scene.param("friction", 0.6, "between all bodies", { live = true, low = 0, high = 1.5 })
local planar = scene.param("planar", true, "in the plane; false: in space, as deep as its radius")
local R, density = 1.0, 2000.0
local sys = scene.system { gravity = { 0, -9.81, 0 }, planar = planar }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, friction = mu,
           shape = scene.plane { normal = { 0, 1, 0 } } }
local function at(radius, angle) return { radius * math.cos(angle), radius * math.sin(angle) } end
local inner, outer, wedge = R * (1 - thickness / 2), R * (1 + thickness / 2), math.pi / blocks
-- Centre of mass and area of a wedge about the x axis: a trapezium between two radii.
local half, apart = math.tan(wedge / 2), (outer - inner) * math.cos(wedge / 2)
local a, b, near = 2 * inner * math.sin(wedge / 2), 2 * outer * math.sin(wedge / 2),
  inner * math.cos(wedge / 2)
local middle, area = near + apart * (a + 2 * b) / (3 * (a + b)), apart * (a + b) / 2
-- Its moment of inertia about the centre of mass: the difference of two triangles about their common corner,
-- shifted.
local function about_corner(r) -- of a triangle of height r: integral of x^2 + y^2
  return half * r ^ 4 / 2 + half ^ 3 * r ^ 4 / 6
end
local inertia = density * (about_corner(near + apart) - about_corner(near) - area * middle ^ 2)
local rests = {}
for i = 1, blocks do
  local angle = math.pi - wedge * (i - 0.5) -- from the left
  local corners = { at(inner, -wedge / 2), at(outer, -wedge / 2), at(outer, wedge / 2), at(inner, wedge / 2) }
  for _, corner in ipairs(corners) do corner[1] = corner[1] - middle end
  local place = at(middle, angle)
  local spec = { name = "wedge" .. i, position = { place[1], place[2], 0 }, axis_angle = { 0, 0, 1, angle },
                 friction = mu }
  if planar then
    spec.shape, spec.mass, spec.inertia = scene.polygon(corners), density * area, inertia
  else
    local points = {}
    for _, z in ipairs { -R / 2, R / 2 } do
      for _, corner in ipairs(corners) do points[#points + 1] = { corner[1], corner[2], z } end
    end
    spec.shape, spec.density = scene.convex(points), density
  end
  sys:body(spec)
  rests[spec.name] = { position = spec.position, velocity = { 0, 0, 0 } }
end
sys:contact { margin = 0.02, threshold = 0.01 }
sys:reference(function() return rests end)
-- Bounds: the solver's tolerance, summed over time.
sys:expect { solver = "moreau", error = 1e-6, penetration = 1e-9, duration = 2 }
sys:expect { solver = "moreau:contact=newton", error = 1e-6, penetration = 1e-9, duration = 2 }
sys:defaults { solver = "moreau", step = 0.005, duration = 10 }
return sys
