-- seesaw.lua: two seesaws with a box on either side; one is balanced, the other tilts to the right
-- Stresses: boxes at rest on a rotating body, two corners each, held by friction; an unstable equilibrium,
-- since all weights are above the pivot: errors of a solver grow by about a factor e per second.
-- Source: classical. Balance: m_left d_left = m_right d_right.
-- Reference: closed form. While the boxes stick, each seesaw is one body with the moment I about the pivot: I
-- rate^2 / 2 is the weight times the descent of the centre of mass. This ends when a box slides, at
-- tan(angle) = friction, or when the plank reaches the floor.
local scene = require "holonom.scene"
local heavier = scene.param("heavier", 10.0, "by which the right one of the second seesaw is too heavy, kg")
local mu = scene.param("friction", 0.8, "of boxes on the plank", { live = true, low = 0, high = 1.5 })
local g, length, thick, side, high = 9.81, 4.0, 0.1, 0.3, 0.8
local boxes = { left = { m = 60, x = -1.0 }, right = { m = 40, x = 1.5 } }
local sys = scene.system { gravity = { 0, -g, 0 }, planar = true }
local function rectangle(a, b)
  return scene.polygon { { -a / 2, -b / 2 }, { a / 2, -b / 2 }, { a / 2, b / 2 }, { -a / 2, b / 2 } }
end
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } },
           friction = mu }
local seesaws = { { name = "even", at = -2.5, more = 0 }, { name = "uneven", at = 2.5, more = heavier } }
for _, s in ipairs(seesaws) do
  local pivot, M = { s.at, high, 0 }, 20
  s.parts = { { name = s.name .. "_plank", x = 0, y = 0, m = M, J = M * (length ^ 2 + thick ^ 2) / 12,
                shape = rectangle(length, thick) } }
  for _, where in ipairs { "left", "right" } do
    local m = boxes[where].m + (where == "right" and s.more or 0)
    s.parts[#s.parts + 1] = { name = s.name .. "_" .. where, x = boxes[where].x, y = (thick + side) / 2,
                              m = m, J = m * side ^ 2 / 6, shape = rectangle(side, side) }
  end
  s.moment_x, s.moment_y, s.I = 0, 0, 0 -- of mass, from the pivot; of inertia about it
  for _, part in ipairs(s.parts) do
    s.moment_x, s.moment_y = s.moment_x + part.m * part.x, s.moment_y + part.m * part.y
    s.I = s.I + part.J + part.m * (part.x ^ 2 + part.y ^ 2)
    sys:body { name = part.name, mass = part.m, inertia = part.J, shape = part.shape, friction = mu,
               position = scene.add(pivot, { part.x, part.y, 0 }) }
  end
  sys:hinge { sys.ground, s.parts[1].name, at = pivot, axis = { 0, 0, 1 }, name = s.name .. "_pivot" }
end
sys:contact { margin = 0.02 }
-- Rotated by s^2 clockwise from rest: the rate, and the time needed.
local function rate(s, turned)
  return math.sqrt(2 * g / s.I * (s.moment_x * math.sin(turned) + 2 * s.moment_y * math.sin(turned / 2) ^ 2))
end
local function time(s, root) return scene.integral(function(x) return 2 * x / rate(s, x ^ 2) end, 0, root) end
local down = math.min(math.asin((high - thick) / (length / 2)), 0.99 * math.atan(mu))
sys:reference(function(t)
  local all = {}
  for _, s in ipairs(seesaws) do
    local root, w = 0, 0
    if s.moment_x > 1e-9 and t > 0 then
      if t > time(s, math.sqrt(down)) then return nil end
      root = scene.zero(function(x) return time(s, x) - t end, 0, math.sqrt(down))
      w = rate(s, root ^ 2)
    end
    local turn = scene.turn(0, 0, 1, -root ^ 2)
    for _, part in ipairs(s.parts) do
      local arm = scene.rotate(turn, { part.x, part.y, 0 })
      all[part.name] = { position = scene.add({ s.at, high, 0 }, arm), orientation = turn,
                         velocity = scene.cross({ 0, 0, -w }, arm), angular_velocity = { 0, 0, -w } }
    end
  end
  return all
end)
-- Bounds: rounding, amplified by e.
sys:expect { solver = "events:inner=lagrange:stepper=rk8pd", error = 1e-11, drift = 1e-11,
             penetration = 1e-9 }
sys:expect { solver = "events:inner=taylor", error = 1e-11, drift = 1e-11, penetration = 1e-9 }
-- On the floor: contacts of boxes that stick on a plank at rest are redundant, and inconsistent by rounding.
sys:expect { solver = "events:inner=lagrange:stepper=rk8pd", duration = 2, drift = 1e-9, penetration = 1e-9 }
sys:expect { solver = "impulse-contact", step = 0.1, order = 2 }
sys:expect { solver = "moreau", step = 0.01, order = 1, penetration = 1e-9 }
sys:defaults { solver = "events:inner=lagrange:stepper=rk8pd", step = 0.02, duration = 0.8 }
return sys
