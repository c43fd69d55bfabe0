-- quadcopter.lua: four rotors that push along an axis of their frame, flown by control or by a programme
--
-- Each rotor is a force in body axes: the thrust set by control (u) plus a programme of time, less the drag
-- of the rotor. --set pilot=control flies to `target` and stays; --set pilot=programme uses smooth functions
-- of time, so that every solver shows its order.
local scene = require "holonom.scene"
local pilot  = scene.param("pilot", "control", "source of the thrusts: control or programme")
local height = scene.param("height", 1.5, "of the target, m")
local mass, arm, yaw_per_thrust, g = 0.8, 0.2, 0.02, 9.81
local start, target = { 0, 0, 0 }, { 1, height, -0.5 }

local sys = scene.system { gravity = { 0, -g, 0 } }
local frame = sys:body { name = "frame", position = start, mass = mass, inertia = { 0.008, 0.014, 0.007 } }

-- Returns the thrust (N) of rotor i at time t without control: hover, with a small variation.
local function programme(i, t)
  if pilot ~= "programme" then return 0 end
  return mass * g / 4 * (1 + 0.02 * i * math.sin(2 * t + i) * math.exp(-t / 4))
end

local places = { { arm, 0, 0 }, { -arm, 0, 0 }, { 0, 0, arm }, { 0, 0, -arm } }
for i, place in ipairs(places) do
  sys:body_force { frame, name = "rotor" .. i, at = place,
    law = function(t, _, v, u) return -0.02 * v[1], programme(i, t) + u - 0.05 * v[2], -0.02 * v[3] end }
end
-- Torque of the rotors' drag about y of the frame, set together with the thrusts.
sys:body_torque { frame, name = "yaw", torque = { 0, 1, 0 }, motion = 0 }
-- Drag of the frame, which grows faster than its speed.
sys:body_force { frame, name = "air", at = start, law = function(_, _, v)
  local speed = math.sqrt(1 + v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2)
  return { -0.1 * speed * v[1], -0.1 * speed * v[2], -0.1 * speed * v[3] }
end }

local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end

-- Controls the flight; called before every step. Computes the desired acceleration towards the target, the
-- thrust along y of the frame for it, and torques that turn y towards it.
local function fly(_, s)
  local x, v, q, w = s:position(frame), s:velocity(frame), s:orientation(frame), s:angular_velocity(frame)
  local desired = { 0, g, 0 }
  for i = 1, 3 do desired[i] = desired[i] + 1.2 * (target[i] - x[i]) - 2.0 * v[i] end
  local up, ahead = scene.rotate(q, { 0, 1, 0 }), scene.rotate(q, { 1, 0, 0 })
  local lean = scene.cross(up, desired)
  local torque = {}
  for i = 1, 3 do torque[i] = 0.12 * lean[i] / math.sqrt(dot(desired, desired)) - 0.05 * w[i] end
  torque = scene.rotate({ q[1], -q[2], -q[3], -q[4] }, torque) -- in the frame's axes
  torque[2] = torque[2] + 0.02 * ahead[3]
  local thrust = mass * dot(desired, up)
  local yaw = math.max(-0.05, math.min(0.05, torque[2]))
  local pair = { thrust / 2 + yaw / (2 * yaw_per_thrust), thrust / 2 - yaw / (2 * yaw_per_thrust) }
  local rotor = { pair[1] / 2 + torque[3] / (2 * arm), pair[1] / 2 - torque[3] / (2 * arm),
                  pair[2] / 2 - torque[1] / (2 * arm), pair[2] / 2 + torque[1] / (2 * arm) }
  for i = 1, 4 do s:set("rotor" .. i, math.max(0, math.min(6, rotor[i]))) end
  s:set("yaw", yaw)
end

if pilot == "control" then
  sys:control(fly)
  sys:reference(function(t) return t > 9 and { frame = { position = target } } or nil end)
  sys:expect { solver = "impulse-sle", step = 0.01, duration = 12, error = 0.01 }
  sys:expect { solver = "taylor", step = 0.01, duration = 12, error = 0.01 }
elseif pilot ~= "programme" then
  error("pilot must be control or programme")
end
sys:defaults { solver = "impulse-sle", step = 0.01, duration = pilot == "control" and 12 or 2 }
return sys
