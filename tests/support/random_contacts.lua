-- random_contacts.lua: boxes, balls and capsules that fall, slide, spin and collide on a plane, with random
-- friction and restitution.
local scene = require "holonom.scene"
local seed = scene.param("seed", 1, "number of the scene")
local length = scene.param("length", 1.0, "factor of all lengths; times grow by its root")
local mass = scene.param("mass", 1.0, "factor of all masses")
local most = scene.param("bodies", 4, "largest number of bodies")

math.randomseed(seed)
local function between(a, b) return a + (b - a) * math.random() end
local function scaled(v, factor) return { v[1] * factor, v[2] * factor, v[3] * factor } end
local function vector(size) return { between(-size, size), between(-size, size), between(-size, size) } end

local time = math.sqrt(length)
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local function surface()
  return math.random() < 0.2 and 0 or between(0.05, 1), math.random() < 0.4 and 0 or between(0, 0.9)
end
local mu = surface()
local tilt = math.random() < 0.3 and between(-0.3, 0.3) or 0
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, friction = mu,
           shape = scene.plane { normal = { math.sin(tilt), math.cos(tilt), 0 } } }
local x, height = 0, 0
for i = 1, math.random(1, most) do
  local kind, shape, reach = math.random(3), nil, 0
  local flat = math.random() < 0.4
  if kind == 1 then
    local a, b, c = between(0.2, 0.8), between(0.2, 0.8), between(0.2, 0.8)
    shape = scene.box { a * length, b * length, c * length }
    reach = flat and b / 2 or math.sqrt(a * a + b * b + c * c) / 2
  elseif kind == 2 then
    local r = between(0.1, 0.4)
    shape, reach = scene.sphere { radius = r * length }, r
  else
    local r, h = between(0.1, 0.3), between(0.2, 0.6)
    shape, reach = scene.capsule { radius = r * length, height = h * length }, flat and h / 2 + r or h / 2 + r
  end
  local friction, restitution = surface()
  local resting = math.random() < 0.4
  local beside = math.random() < 0.5
  if beside then x, height = x + 1.2, 0 end
  local gap = resting and 0 or between(0, 0.1)
  local up = height + reach + gap - math.min(0, x * math.tan(-tilt)) + math.abs(x * math.tan(tilt))
  height = up + reach
  local d = vector(1)
  sys:body { name = "b" .. i, shape = shape, density = mass * between(100, 1000) / length ^ 3,
             friction = friction, restitution = restitution,
             position = { x * length, up * length, between(-0.1, 0.1) * length },
             axis_angle = flat and { 0, 1, 0, between(0, 3) } or { d[1], d[2] + 1.1, d[3], between(0, 3) },
             velocity = scaled(vector(2), length / time), angular_velocity = scaled(vector(6), 1 / time) }
end
sys:contact { margin = 0.02 * length, threshold = 0.01 * length / time }
sys:defaults { solver = "events", step = 0.01 * time, duration = 0.5 * time }
return sys
