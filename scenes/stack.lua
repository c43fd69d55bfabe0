-- stack.lua: twenty boxes on top of each other
-- Stresses: chains of contacts, for which a solver that iterates over contacts is slow: with a limited number
-- of sweeps, the remaining error makes the stack sway until it falls. With an accurate solution it stands
-- forever.
-- Source: Gribel (2009), section 5.1: planar boxes of 0.5 m, 8 kg/m^2, mu = 0.25, e = 0.25, no restitution
-- below 1 m/s, h = 10 ms, ERP 0.4, 2 mm of allowed penetration. With 10 sweeps it falls soon; with 50 and 100
-- it stands longer.
-- Reference: it stays at rest, unless its top is pushed.
local scene = require "holonom.scene"
local boxes = scene.param("boxes", 20, "one on the other")
local planar = scene.param("planar", true, "in the plane; false: cubes")
local offset = scene.param("offset", 0.0, "by which boxes are put left and right in turn, m")
local push = scene.param("push", 0.0, "speed of the top box at the start, to the right, m/s")
local side = 0.5
local sys = scene.system { gravity = { 0, -9.81, 0 }, planar = planar }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, friction = 0.25, restitution = 0.25,
           shape = scene.plane { normal = { 0, 1, 0 } } }
local corners = { { -side / 2, -side / 2 }, { side / 2, -side / 2 }, { side / 2, side / 2 },
                  { -side / 2, side / 2 } }
local at = {}
for i = 1, boxes do
  local name = "box" .. i
  at[name] = { position = { i % 2 == 0 and offset or -offset, side * (i - 0.5), 0 }, velocity = { 0, 0, 0 } }
  sys:body { name = name, mass = 8 * side ^ 2, position = at[name].position,
             velocity = { i == boxes and push or 0, 0, 0 }, friction = 0.25, restitution = 0.25,
             shape = planar and scene.polygon(corners) or scene.box { side, side, side } }
end
sys:contact { margin = 0.02, threshold = 1.0 }
sys:defaults { solver = "moreau", step = 0.01, duration = 15 }
if push ~= 0.0 then return sys end
sys:reference(function() return at end)
-- Bounds: the solver's tolerance, summed over time.
sys:expect { solver = "moreau:contact=newton", error = 1e-6, penetration = 1e-9, duration = 60 }
sys:expect { solver = "moreau", error = 1e-6, penetration = 1e-9, duration = 15 }
return sys
