-- capstan.lua: a chain of n beads held around a turning drum (the record of contact laws: capstan)
-- Stresses: n sliding contacts in a row, each of which multiplies the tension: an error of the law, or of the
-- sweeps, in one bead is multiplied by all beads after it.
-- Source: MuJoCo issue 454; Euler (1769), Eytelwein (1808).
-- Reference: statics. The rods between the beads are chords of a circle, each turned by delta = wrap / n
-- against the one before. A sliding bead is in balance if
-- (T2 - T1) cos(delta / 2) = mu (T1 + T2) sin(delta / 2). Hence, for all beads,
-- T2 / T1 = ((1 + mu tan(delta / 2)) / (1 - mu tan(delta / 2)))^n, in the limit e^(mu wrap). The drum
-- turns freely: friction reduces its angular velocity by (T2 - T1) cos(delta / 2) radius t / inertia.
local scene = require "holonom.scene"
local n = scene.param("n", 8, "number of beads")
local wrap = scene.param("wrap", math.pi, "angle around which the chain goes, rad")
local mu = scene.param("mu", 0.3, "coefficient of friction")
local pull = scene.param("pull", 10, "tension of the free end, N")
local radius, bead, inertia, omega = 0.5, 0.01, 10, 4 -- m, m, kg m^2, rad/s
local delta, ring = wrap / n, radius + bead
local sys = scene.system { gravity = { 0, 0, 0 } }
local drum = sys:body { name = "drum", mass = 100, inertia = { inertia, inertia, inertia },
                        position = { 0, 0, 0 }, axis_angle = { 1, 0, 0, math.pi / 2 },
                        angular_velocity = { 0, 0, omega },
                        shape = scene.cylinder { radius = radius, height = 0.2 }, material = "drum" }
sys:hinge { sys.ground, drum, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = "axle" }
local function vertex(i) return ring * math.cos(i * delta), ring * math.sin(i * delta) end
local last, x, y = sys.ground, vertex(0)
for i = 1, n do
  local nx, ny = vertex(i)
  local cx, cy = (x + nx) / 2, (y + ny) / 2
  local rod = sys:body { name = "rod" .. i, mass = 0.01, inertia = { 1e-4, 1e-4, 1e-4 },
                         position = { cx, cy, 0 } }
  sys:ball { last, rod, at = { x, y, 0 }, name = "joint" .. (2 * i - 1) }
  -- The large inertia keeps the bead from rolling: it slides throughout.
  local ball = sys:body { name = "bead" .. i, mass = 0.01, inertia = { 1, 1, 1 }, position = { nx, ny, 0 },
                          shape = scene.sphere { radius = bead }, material = "bead" }
  sys:ball { rod, ball, at = { nx, ny, 0 }, name = "joint" .. (2 * i) }
  last, x, y = ball, nx, ny
end
local ex, ey = vertex(n + 1)
local length = math.sqrt((ex - x) ^ 2 + (ey - y) ^ 2)
sys:force { sys.ground, last, at = { x, y, 0 },
            force = { pull * (ex - x) / length, pull * (ey - y) / length, 0 } }
sys:material_pair { "drum", "bead", friction = mu }
sys:contact { margin = 0.01 }
-- Bounds: ten times the tolerance of the projection.
sys:expect { solver = "moreau", duration = 0.02, drift = 1e-8, penetration = 1e-8 }
sys:expect { solver = "xpbd", duration = 0.02 }
sys:defaults { solver = "moreau", step = 0.001, duration = 0.1 }
return sys
