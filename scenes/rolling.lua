-- rolling.lua: a sphere, a cylinder and a hoop roll down a slope of 30 degrees with different accelerations
-- Stresses: sticking friction at a contact point that moves over the body; curved surfaces; a body with
-- several shapes.
-- Source: classical.
-- Reference: closed form, a = g sin(slope) / (1 + J / (m r^2)); the body rolls while mu >= tan(slope) / (1 +
-- m r^2 / J). The inertia of the hoop, two thin rims without a hub, is given.
local scene = require "holonom.scene"
local slope = scene.param("slope", math.pi / 6, "angle of the plane, rad")
local mu = scene.param("friction", 0.6, "with the plane; the hoop needs tan(slope) / 2")
local g, r, m = 9.81, 0.25, 2.0
local sys = scene.system { gravity = { g * math.sin(slope), 0, -g * math.cos(slope) } } -- x down the slope
sys:body { name = "slope", fixed = true, position = { 0, 0, 0 }, friction = mu,
           shape = scene.plane { normal = { 0, 0, 1 } } }
local function J(share, across) return { across * m * r ^ 2, share * m * r ^ 2, across * m * r ^ 2 } end
local rolls = { sphere = 2 / 5, cylinder = 1 / 2, hoop = 1 }
sys:body { name = "sphere", mass = m, inertia = J(2 / 5, 2 / 5), friction = mu, position = { 0, -1, r },
           shape = scene.sphere { radius = r } }
sys:body { name = "cylinder", mass = m, inertia = J(1 / 2, 1 / 3), friction = mu, position = { 0, 0, r },
           shape = scene.cylinder { radius = r, height = 0.4 } }
local rim = scene.cylinder { radius = r, height = 0.02 }
sys:body { name = "hoop", mass = m, inertia = J(1, 2 / 3), friction = mu, position = { 0, 1, r },
           shapes = { { shape = rim, position = { 0, -0.19, 0 } },
                      { shape = rim, position = { 0, 0.19, 0 } } } }
sys:contact { margin = 0.02 }
sys:reference(function(t)
  local all = {}
  for name, share in pairs(rolls) do
    local a, y = g * math.sin(slope) / (1 + share), name == "sphere" and -1 or name == "hoop" and 1 or 0
    all[name] = { position = { a * t ^ 2 / 2, y, r }, velocity = { a * t, 0, 0 },
                  angular_velocity = { 0, a * t / r, 0 } }
  end
  return all
end)
-- Bounds: velocities have no truncation error; positions lead by a t h / 2 for theta = 1, and not at all for
-- theta = 0.5.
sys:expect { solver = "moreau:contact_tolerance=1e-12", error = 0.00351, penetration = 1e-9 }
sys:expect { solver = "moreau:contact=newton,theta=0.5,contact_tolerance=1e-12", error = 1e-8,
             penetration = 1e-9 }
sys:defaults { solver = "moreau", step = 0.002, duration = 1 }
return sys
