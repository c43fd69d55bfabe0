-- holonom.scene: the module for scenes. The C side (core) reads tables and builds the model; this module
-- names its functions and adds helpers for geometry and for references.
local core = ...
local sqrt, sin, cos, abs = math.sqrt, math.sin, math.cos, math.abs

-- Returns a read-only proxy of a table. Reading an unknown key is an error that suggests the nearest known
-- one.
local function strict(name, fields)
  local known = {}
  for key in pairs(fields) do known[#known + 1] = key end
  setmetatable(fields, { __index = function(_, key) core.unknown(name, "name", tostring(key), known) end })
  return setmetatable({}, {
    __index = fields,
    __newindex = function(_, key) core.fail(name .. ": cannot set " .. tostring(key)) end,
    __pairs = function() return pairs(fields) end,
    __metatable = false,
  })
end

-- ---- Vectors {x, y, z} and quaternions {w, x, y, z} -------------------------------------------------------

local function cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end

-- a + s b
local function add(a, b, s)
  s = s or 1
  return { a[1] + s * b[1], a[2] + s * b[2], a[3] + s * b[3] }
end

-- Returns the quaternion of a rotation by ANGLE about the axis (x, y, z).
local function turn(x, y, z, angle)
  local scale = sin(angle / 2) / sqrt(x * x + y * y + z * z)
  return { cos(angle / 2), scale * x, scale * y, scale * z }
end

-- Returns the rotation by b followed by a.
local function compose(a, b)
  return {
    a[1] * b[1] - a[2] * b[2] - a[3] * b[3] - a[4] * b[4],
    a[1] * b[2] + a[2] * b[1] + a[3] * b[4] - a[4] * b[3],
    a[1] * b[3] - a[2] * b[4] + a[3] * b[1] + a[4] * b[2],
    a[1] * b[4] + a[2] * b[3] - a[3] * b[2] + a[4] * b[1],
  }
end

-- Returns the vector v rotated by the unit quaternion q.
local function rotate(q, v)
  local n = { q[2], q[3], q[4] }
  local c = cross(n, v)
  return add(add(v, c, 2 * q[1]), cross(n, c), 2)
end

-- ---- References -------------------------------------------------------------------------------------------

-- Returns sine and cosine of the angle from the downward vertical, at time t, of a pendulum released at rest
-- at AMPLITUDE, theta'' = -omega^2 sin theta:
--   sin(theta / 2) = k cd(omega t, k),  k = sin(amplitude / 2)
local function pendulum(omega, amplitude, t)
  local k = sin(amplitude / 2)
  local period = 4 * core.special.ellipK(k * k)
  local u = omega * t
  local _, cn, dn = core.special.jacobi(u - period * (u // period), k * k)
  local s = k * cn / dn
  return 2 * s * sqrt(1 - s * s), 1 - 2 * s * s
end

-- Returns nodes and weights of the 20-point Gauss rule on [-1, 1], by Newton's method on the Legendre
-- polynomial.
local function gauss_rule()
  local n, rule = 20, {}
  for i = 1, n do
    local x, slope = cos(math.pi * (i - 0.25) / (n + 0.5)), 1
    for _ = 1, 8 do
      local p, before = x, 1
      for k = 2, n do p, before = ((2 * k - 1) * x * p - (k - 1) * before) / k, p end
      slope = n * (x * p - before) / (x * x - 1)
      x = x - p / slope
    end
    rule[i] = { x = x, weight = 2 / ((1 - x * x) * slope * slope) }
  end
  return rule
end
local rule

-- Returns the integral of f from a to b, exact for polynomials up to degree 39.
local function integral(f, a, b)
  rule = rule or gauss_rule()
  local sum, middle, half = 0, (a + b) / 2, (b - a) / 2
  for _, node in ipairs(rule) do sum = sum + node.weight * f(middle + half * node.x) end
  return half * sum
end

-- Returns the zero of the increasing function f between a and b, to the last bit, by bisection. A zero at 0
-- is tried first: bisection would approach it through a thousand powers of two.
local function zero(f, a, b)
  if a == 0 and f(a) >= 0 then return a end
  while true do
    local middle = a + (b - a) / 2
    if middle <= a or middle >= b then return middle end
    if f(middle) < 0 then a = middle else b = middle end
  end
end

-- Returns a reference known at single times: { [t] = { body = {x, y, z} or { position =, velocity =, ... } }
-- }.
local function table_reference(rows)
  if type(rows) ~= "table" then
    core.fail("table_reference takes a table { [t] = { body = { x, y, z } } }")
  end
  local answers = {}
  for t, row in pairs(rows) do
    if type(t) ~= "number" or type(row) ~= "table" then
      core.fail("table_reference: each entry is a time and a table: [1.0] = { body = { x, y, z } }")
    end
    local poses = {}
    for name, pose in pairs(row) do
      if type(pose) ~= "table" then
        core.fail("table_reference: body " .. tostring(name) .. ": must be a table")
      end
      poses[name] = pose.position and pose or { position = pose }
    end
    answers[#answers + 1] = { t = t, poses = poses }
  end
  return function(t)
    for _, answer in ipairs(answers) do
      if abs(t - answer.t) <= 1e-9 then return answer.poses end
    end
  end
end

-- ---- Trees ------------------------------------------------------------------------------------------------

local down = turn(0, 0, 1, -math.pi / 2) -- turns the body's x axis downwards (-y)

-- Adds a complete binary tree of n = 2^levels - 1 boxes that hangs down from the origin. Every child starts
-- at the lower end of its parent, rotated against it by +-spread about the parent's local y at odd levels and
-- z at even ones; the root is level 0.
--
-- A box k levels above the leaves has the length `length(k)` along its local x and a square section of side
-- `section(length)`. The tree rotates rigidly at `spin` rad/s about the vertical through the origin. If
-- `push` (N m s) is given, only the root moves: it has the angular velocity of a free body after this angular
-- impulse about z. A consistent start then projects it onto the joints.
--
-- Returns a list of { body =, top = point, parent = index or nil }, parents first. Adds no joints.
local function binary_tree(sys, spec)
  local n, levels = spec.n, 0
  while 2 ^ levels - 1 < n do levels = levels + 1 end
  if n < 1 or 2 ^ levels - 1 ~= n then
    core.fail("the number of bodies of a complete binary tree is 1, 3, 7, ..., 2^levels - 1, not " .. n)
  end
  local push = spec.push or 0
  local spin, nodes, level = { 0, push == 0 and spec.spin or 0, 0 }, {}, 0
  for i = 1, n do
    local parent = nodes[i // 2]
    if i >= 1 << level + 1 then level = level + 1 end
    local q, top = down, { 0, 0, 0 }
    if parent then
      local angle = i % 2 == 0 and spec.spread or -spec.spread
      q = compose(parent.q, level % 2 == 1 and turn(0, 1, 0, angle) or turn(0, 0, 1, angle))
      top = parent.bottom
    end
    local length = spec.length(levels - 1 - level)
    local side = spec.section(length)
    local along = rotate(q, { length, 0, 0 })
    local centre = add(top, along, 0.5)
    local own = spin
    if not parent and push ~= 0 then
      own = { 0, 0, push / (spec.density * length * side ^ 2 * (length ^ 2 + side ^ 2) / 12) }
    end
    nodes[i] = { q = q, top = top, bottom = add(top, along), parent = parent and i // 2 }
    nodes[i].body = sys:body {
      name = "body" .. i, density = spec.density,
      shape = core.box { length, side, side },
      position = centre, orientation = q, velocity = cross(spin, centre), angular_velocity = own,
    }
  end
  return nodes
end

return strict("scene", {
  system = core.system, param = core.param, solver = core.solver, contact_solver = core.contact_solver,
  box = core.box, sphere = core.sphere, cylinder = core.cylinder, capsule = core.capsule, plane = core.plane,
  ellipsoid = core.ellipsoid, height_field = core.height_field,
  convex = core.convex, circle = core.circle, polygon = core.polygon,
  special = strict("special", core.special),
  cross = cross, add = add, turn = turn, compose = compose, rotate = rotate,
  point_mass_model = core.point_mass_model,
  pendulum = pendulum, integral = integral, zero = zero, table_reference = table_reference,
  binary_tree = binary_tree,
})
