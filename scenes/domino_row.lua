-- domino_row.lua: dominoes in a row, felled by a pendulum, with friction between them
-- Stresses: faces that become level as dominoes come to lean on each other; redundant contacts with friction
-- in impacts and in slides; a row in space, whose motion is in a plane by symmetry.
-- Source: the domino effect with friction; van Leeuwen (2010), The domino effect, has none.
-- Reference: the pendulum, by closed form, until it strikes the first domino at its lowest point. Afterwards
-- tests/event/test_domino_rows.c checks energy, symmetry, and the times at which the dominoes fall.
local scene = require "holonom.scene"
local count = scene.param("count", 3, "dominoes")
local gap = scene.param("gap", 0.04, "between dominoes, m")
local mu = scene.param("friction", 0.4, "of dominoes; on the floor the geometric mean with 0.5")
local e = scene.param("restitution", 0.1, "of dominoes and floor")
local raised = scene.param("raised", 1.0, "angle of the pendulum at the start, rad")
local g, l, r = 9.81, 0.4, 0.03
local thickness, height, width = 0.02, 0.12, 0.06
local sys = scene.system { gravity = { 0, -g, 0 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } },
           friction = 0.5, restitution = e }
for i = 1, count do
  sys:body { name = "domino" .. i, shape = scene.box { thickness, height, width }, density = 700,
             position = { (i - 1) * (gap + thickness), height / 2, 0 }, friction = mu, restitution = e }
end
local top = { -thickness / 2 - r, 0.1 + l, 0 }
local function place(angle) return { top[1] + l * math.sin(angle), top[2] - l * math.cos(angle), 0 } end
local bob = sys:body { name = "bob", shape = scene.sphere { radius = r }, density = 3000, friction = 0.2,
                       position = place(-raised), restitution = 0.3 }
sys:distance { sys.ground, bob, at_a = top, at_b = place(-raised), name = "string" }
sys:contact {}
local omega = math.sqrt(g / l)
local strikes = scene.special.ellipK(math.sin(raised / 2) ^ 2) / omega
sys:reference(function(t)
  if t >= strikes then return nil end
  local sn, cn = scene.pendulum(omega, raised, t)
  local angle, rate = -math.atan(sn, cn), omega * math.sqrt(2 * math.max(cn - math.cos(raised), 0))
  return { bob = { position = place(angle),
                   velocity = { l * rate * math.cos(angle), l * rate * math.sin(angle), 0 } } }
end)
-- Bounds: the order of the inner solver on the pendulum; the tolerances of projection and of gaps; a step at
-- 1 m/s for moreau, which does not locate the strikes.
sys:expect { solver = "events", step = 0.002, duration = 0.33, error = 1e-10 }
sys:expect { solver = "events", step = 0.002, duration = 2, drift = 1e-11, penetration = 1e-9 }
sys:expect { solver = "moreau", step = 0.0005, duration = 2, penetration = 1e-3 }
sys:defaults { solver = "events", step = 0.002, duration = 2 }
return sys
