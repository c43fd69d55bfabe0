-- kane_pendulum.lua: the end of a double pendulum strikes a rough floor and gains energy
-- Stresses: Newton's law of restitution combined with friction. It prescribes the normal velocity after the
-- impact, no matter how much normal velocity the friction impulse produced, so energy can increase. With e =
-- 0.5 and mu = 0.5 the end sticks and 59 % are gained; the summary of a run reports this as energy gained.
-- Source: Kane and Levinson (1985): two rods of 1 m and 1 kg, at 20 and 30 degrees from the vertical, with
-- -0.1 and -0.2 rad/s. No gravity: the impact alone.
-- Reference: closed form of the impact (tests/contact_scenes/test_contact_impacts.c).
local scene = require "holonom.scene"
local e = scene.param("restitution", 0.5, "with the floor", { live = true, low = 0, high = 1 })
local mu = scene.param("friction", 0.5, "with the floor", { live = true, low = 0, high = 1.5 })
local l, m, r = 1.0, 1.0, 1e-6
local angle, rate = { math.rad(20), math.rad(30) }, { -0.1, -0.2 }
local sys = scene.system { gravity = { 0, 0, 0 }, planar = true }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } },
           friction = mu, restitution = e }
local tip = { { shape = scene.circle { radius = r }, position = { 0, -l / 2, 0 } } }
local previous, top, speed = sys.ground, { 0, l * math.cos(angle[1]) + l * math.cos(angle[2]) + r, 0 },
  { 0, 0, 0 }
for i = 1, 2 do
  local s, c = math.sin(angle[i]), math.cos(angle[i])
  local along, across = { l * s, -l * c, 0 }, { l * c * rate[i], l * s * rate[i], 0 }
  local rod = sys:body { name = "rod" .. i, mass = m, inertia = m * l ^ 2 / 12,
                         position = scene.add(top, along, 0.5), velocity = scene.add(speed, across, 0.5),
                         angular_velocity = { 0, 0, rate[i] },
                         axis_angle = { 0, 0, 1, angle[i] }, friction = mu, restitution = e,
                         shapes = i == 2 and tip or nil }
  sys:hinge { previous, rod, at = top, axis = { 0, 0, 1 }, name = "hinge" .. i }
  previous, top, speed = rod, scene.add(top, along), scene.add(speed, across)
end
sys:contact { margin = 0.02 }
-- Bounds: the tolerance of the projection.
sys:expect { solver = "moreau", drift = 1e-9, penetration = 1e-9 }
sys:expect { solver = "moreau:contact=newton", drift = 1e-9, penetration = 1e-9 }
sys:expect { solver = "impulse-contact", drift = 1e-9, penetration = 1e-9 }
sys:expect { solver = "impulse-contact:restitution=newton", drift = 1e-9, penetration = 1e-9 }
sys:defaults { solver = "moreau", step = 0.0001, duration = 0.1 }
return sys
