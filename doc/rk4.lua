-- rk4.lua: the classical Runge-Kutta method of order 4 for mechanisms, as a file of solvers:
--   holonom run double_pendulum --solver-file doc/rk4.lua
--   holonom converge chain8 --solver-file doc/rk4.lua --expect declared
--
-- Joints are kept in accelerations, K lambda = -(G a + gamma), so that both positions and velocities drift off them with
-- the order of the solver. Orientations are integrated as what turns the body from where the step began, a rotation vector
-- r with r' = w + w x r / 2 + r x (r x w) / 12 up to terms of the fourth order, which a step of this order does not see.
local scene = require "holonom.scene"

local function add(a, s, b) return { a[1] + s * b[1], a[2] + s * b[2], a[3] + s * b[3] } end

-- r' at the angular velocity w.
local function turning(w, r)
  local c = scene.cross(w, r)
  return add(add(w, 1 / 2, c), 1 / 12, scene.cross(r, scene.cross(r, w)))
end

-- The state after S of the rates k, from START: k[i] = { v, turning, acceleration, angular acceleration } of body i.
local function advanced(sys, start, s, k)
  local at = start:copy()
  at:set_time(start:time() + s)
  for i = 1, sys.bodies do
    local scaled = { add({ 0, 0, 0 }, s, k[i][1]), add({ 0, 0, 0 }, s, k[i][2]) }
    at:move(i, scaled[1], scaled[2])
    at:set_velocity(i, add(start:velocity(i), s, k[i][3]), add(start:angular_velocity(i), s, k[i][4]))
  end
  return at
end

-- The rates at a stage, which is S of the rates BEFORE after the start.
local function rates(sys, at, s, before)
  local a, reason = sys:acceleration(at)
  if not a then return nil, reason end
  local k = {}
  for i = 1, sys.bodies do
    local r = before and add({ 0, 0, 0 }, s, before[i][2]) or { 0, 0, 0 }
    k[i] = { at:velocity(i), turning(at:angular_velocity(i), r), a[i].v, a[i].w }
  end
  return k
end

local function step(sys, state, h)
  local at, s, before, sum = state, 0, nil, {}
  for stage, weight in ipairs { 1 / 6, 1 / 3, 1 / 3, 1 / 6 } do
    local k, reason = rates(sys, at, s, before)
    if not k then return reason, 0, "stage " .. stage end
    for i = 1, sys.bodies do
      sum[i] = sum[i] or { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }
      for part = 1, 4 do sum[i][part] = add(sum[i][part], weight, k[i][part]) end
    end
    s, before = stage < 3 and h / 2 or h, k
    if stage < 4 then at = advanced(sys, state, s, k) end
  end
  state:assign(advanced(sys, state, h, sum))
  return "converged"
end

scene.solver { name = "rk4-lua", order = 4, forces = true, summary = "classical Runge-Kutta on accelerations, in Lua", step = step }
