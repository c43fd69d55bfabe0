-- random_mechanism.lua: a tree of random bodies and joints, the same motion for all values of `order`,
-- `turn`, `length` and `mass`. Positions and velocities at the start are consistent.
local scene = require "holonom.scene"
local seed = scene.param("seed", 1, "number of the mechanism")
local order = scene.param("order", 0, "order of the joints: 0 as created, others permuted")
local turn = scene.param("turn", 0, "rotation of the whole scene, rad")
local length = scene.param("length", 1.0, "factor of all lengths; times grow by its root")
local mass = scene.param("mass", 1.0, "factor of all masses")
local loops = scene.param("loops", 0, "joints that close loops, beyond those of the tree")
local ratio = scene.param("ratio", 100, "largest ratio of masses, and about that of lengths over widths")
local floor = scene.param("floor", false, "a floor far below, which nothing reaches")
local aligned = scene.param("aligned", false,
  "axes and bodies along x, y and z: singular and redundant joints")

math.randomseed(seed)
local function between(a, b) return a + (b - a) * math.random() end
local function decades(a, b) return a * (b / a) ^ math.random() end
local function direction()
  if aligned then
    local v = { 0, 0, 0 }
    v[math.random(3)] = math.random() < 0.5 and -1 or 1
    return v
  end
  while true do
    local x, y, z = between(-1, 1), between(-1, 1), between(-1, 1)
    local r = math.sqrt(x * x + y * y + z * z)
    if r > 0.1 and r < 1 then return { x / r, y / r, z / r } end
  end
end

-- The scene turns about an axis without symmetry: Rodrigues' formula.
local axis = { 2 / 7, 3 / 7, 6 / 7 }
local function turned(v)
  local c, s = math.cos(turn), math.sin(turn)
  local along = (axis[1] * v[1] + axis[2] * v[2] + axis[3] * v[3]) * (1 - c)
  return { c * v[1] + s * (axis[2] * v[3] - axis[3] * v[2]) + along * axis[1],
           c * v[2] + s * (axis[3] * v[1] - axis[1] * v[3]) + along * axis[2],
           c * v[3] + s * (axis[1] * v[2] - axis[2] * v[1]) + along * axis[3] }
end
local function scaled(v, factor) return { v[1] * factor, v[2] * factor, v[3] * factor } end
local function quaternion(a, angle)
  local s = math.sin(angle / 2)
  return { math.cos(angle / 2), a[1] * s, a[2] * s, a[3] * s }
end
local function product(p, q)
  return { p[1] * q[1] - p[2] * q[2] - p[3] * q[3] - p[4] * q[4],
           p[1] * q[2] + p[2] * q[1] + p[3] * q[4] - p[4] * q[3],
           p[1] * q[3] - p[2] * q[4] + p[3] * q[1] + p[4] * q[2],
           p[1] * q[4] + p[2] * q[3] - p[3] * q[2] + p[4] * q[1] }
end

local sys = scene.system { gravity = turned { 0, -9.81, 0 }, consistent = true }
local time = math.sqrt(length)
local count = math.random(2, 6)
local thin = math.random() < 0.5
local bodies, centre, joints = {}, { [0] = { 0, 0, 0 } }, {}
local types = { "ball", "hinge", "universal", "slider", "cylindrical", "fixed" }
for i = 1, count do
  local parent = math.random() < 0.7 and i - 1 or math.random(0, i - 1)
  local at, m, d = direction(), decades(1, ratio), direction()
  local reach = between(0.2, 1)
  centre[i] = { centre[parent][1] + reach * at[1], centre[parent][2] + reach * at[2],
                centre[parent][3] + reach * at[3] }
  local short = thin and decades(1 / (0.5 * ratio), 0.3) or between(0.2, 0.6)
  local a, b, c = between(0.3, 1), short, short * between(0.5, 1)
  local v, w = scaled(direction(), between(0, 2)), scaled(direction(), between(0, 4))
  local q = quaternion(d, between(0, 3))
  bodies[i] = sys:body {
    name = "b" .. i, mass = mass * m, position = turned(scaled(centre[i], length)),
    inertia = scaled({ m * (b * b + c * c) / 12, m * (a * a + c * c) / 12, m * (a * a + b * b) / 12 },
                       mass * length ^ 2),
    orientation = product(quaternion(axis, turn), q), collides = { "floor" },
    shapes = floor and { { shape = scene.sphere { radius = 0.1 * length }, massless = true } } or nil,
    velocity = turned(scaled(v, length / time)), angular_velocity = turned(scaled(w, 1 / time)) }
  joints[i] = { type = types[math.random(#types)], a = parent, b = i,
                at = { centre[parent][1] + 0.5 * reach * at[1] + between(-0.2, 0.2),
                       centre[parent][2] + 0.5 * reach * at[2],
                       centre[parent][3] + 0.5 * reach * at[3] + between(-0.2, 0.2) },
                axis = direction() }
end
for i = 1, loops do
  local b = math.random(1, count)
  local a = math.random(0, b - 1)
  joints[#joints + 1] = { type = types[math.random(2)], a = a, b = b,
                          at = scaled(centre[b], 0.9), axis = direction() }
end
local function other(v, w)
  local c = { v[2] * w[3] - v[3] * w[2], v[3] * w[1] - v[1] * w[3], v[1] * w[2] - v[2] * w[1] }
  local r = math.sqrt(c[1] ^ 2 + c[2] ^ 2 + c[3] ^ 2)
  return { c[1] / r, c[2] / r, c[3] / r }
end
if order ~= 0 then
  math.randomseed(order)
  for i = #joints, 2, -1 do
    local j = math.random(i)
    joints[i], joints[j] = joints[j], joints[i]
  end
end
for _, j in ipairs(joints) do
  local spec = { bodies[j.a] or sys.ground, bodies[j.b], at = turned(scaled(j.at, length)) }
  if j.type == "universal" then
    spec.axis_a = turned(j.axis)
    spec.axis_b = turned(other(j.axis, { axis[2], axis[1], axis[3] }))
  elseif j.type ~= "ball" and j.type ~= "fixed" then
    spec.axis = turned(j.axis)
  end
  sys[j.type](sys, spec)
end
if floor then
  sys:body { name = "floor", group = "floor", fixed = true, position = { 0, -1000 * length, 0 },
             shape = scene.plane { normal = { 0, 1, 0 } } }
  sys:contact { margin = 0.01 * length }
end
sys:defaults { solver = "impulse-gs", step = 0.01 * time, duration = time }
return sys
