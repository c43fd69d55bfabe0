-- billiard_cloth.lua: balls roll and spin to rest on a cloth, by rolling and torsional friction
-- Stresses: moments of friction at a contact, and the instants at which they stop a ball for good.
-- Source: our own.
-- Reference: closed form. A ball that rolls at v has m v' = -F and (2/5) m r v' = F r - mu_r m g, so that it
-- decelerates by a = g mu_r / (r (1 + 2/5)) and rests after v / a and v^2 / (2 a). Torsional friction stops a
-- spin w about the normal after w / b, b = mu_t g / ((2/5) r^2), whether the ball rolls or not.
local scene = require "holonom.scene"
local rolling = scene.param("rolling", 3e-4, "coefficient of rolling friction, m")
local torsion = scene.param("torsion", 6e-5, "coefficient of torsional friction, m")
local g, r, m = 9.81, 0.02625, 0.14
local sys = scene.system { gravity = { 0, 0, -g } }
sys:body { name = "cloth", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } },
           friction = 0.5, rolling_friction = rolling, torsional_friction = torsion }
local names = { "slow", "fast", "slanted", "spinning" }
local start = { slow = { 0.1, 0, 0 }, fast = { 0.2, 0, 0 }, slanted = { 0.12, 0.09, 6 },
                spinning = { 0, 0, 9 } }
for i, name in ipairs(names) do
  local vx, vy, w = table.unpack(start[name])
  sys:body { name = name, mass = m, shape = scene.sphere { radius = r }, position = { 0, 0.2 * i, r },
             velocity = { vx, vy, 0 }, angular_velocity = { -vy / r, vx / r, w }, friction = 0.5,
             rolling_friction = rolling, torsional_friction = torsion }
end
sys:contact { margin = 0.002 }
local a, b = g * rolling / (1.4 * r), torsion * g / (0.4 * r ^ 2)
sys:reference(function(t)
  local all = {}
  for i, name in ipairs(names) do
    local vx, vy, w = table.unpack(start[name])
    local v = math.sqrt(vx ^ 2 + vy ^ 2)
    local left, spin = math.max(v - a * t, 0), math.max(w - b * t, 0)
    local way, part = v > 0 and (v ^ 2 - left ^ 2) / (2 * a * v) or 0, v > 0 and left / v or 0
    all[name] = { position = { way * vx, 0.2 * i + way * vy, r }, velocity = { part * vx, part * vy, 0 },
                  angular_velocity = { -part * vy / r, part * vx / r, spin } }
  end
  return all
end)
-- Bounds: velocities have no truncation error but in the step of a stop; positions lead by v h / 2 = 2e-4 m
-- for theta = 1, and by at most a h^2 / 8 for theta = 0.5.
sys:expect { solver = "moreau:contact_tolerance=1e-12", error = 0.000201, penetration = 1e-12 }
sys:expect { solver = "moreau:contact=newton,theta=0.5,contact_tolerance=1e-12", error = 8e-8,
             penetration = 1e-12 }
sys:expect { solver = "moreau:contact=prox,theta=0.5,contact_tolerance=1e-12", error = 8e-8,
             penetration = 1e-12 }
sys:defaults { solver = "moreau", step = 0.002, duration = 4.5 }
return sys
