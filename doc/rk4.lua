-- rk4.lua: the classical Runge-Kutta method of order 4 for mechanisms, as a solver written in Lua:
--   holonom run double_pendulum --solver-file doc/rk4.lua
--   holonom converge chain8 --solver-file doc/rk4.lua --expect declared
--
-- Joints are satisfied by accelerations, K lambda = -(G a + gamma), so positions and velocities drift at the
-- order of the solver. Orientations are integrated as the rotation vector r since the start of the step, with
-- r' = w + w x r / 2 + r x (r x w) / 12. The omitted terms are of the fourth order, too small to affect the
-- order of a step.
local scene = require "holonom.scene"

local function add(a, s, b) return { a[1] + s * b[1], a[2] + s * b[2], a[3] + s * b[3] } end

-- Returns r' at the angular velocity w.
local function rotation_rate(w, r)
  local c = scene.cross(w, r)
  return add(add(w, 1 / 2, c), 1 / 12, scene.cross(r, scene.cross(r, w)))
end

-- Returns the state after time S at the rates k, from START. The rates of body i are
-- k[i] = { v, r', acceleration, angular acceleration }.
local function advance(sys, start, s, k)
  local at = start:copy()
  at:set_time(start:time() + s)
  for i = 1, sys.bodies do
    local scaled = { add({ 0, 0, 0 }, s, k[i][1]), add({ 0, 0, 0 }, s, k[i][2]) }
    at:move(i, scaled[1], scaled[2])
    at:set_velocity(i, add(start:velocity(i), s, k[i][3]), add(start:angular_velocity(i), s, k[i][4]))
  end
  return at
end

-- Returns the rates at a stage, which is time S at the rates BEFORE after the start.
local function rates(sys, at, s, before)
  local a, reason = sys:acceleration(at)
  if not a then return nil, reason end
  local k = {}
  for i = 1, sys.bodies do
    local r = before and add({ 0, 0, 0 }, s, before[i][2]) or { 0, 0, 0 }
    k[i] = { at:velocity(i), rotation_rate(at:angular_velocity(i), r), a[i].v, a[i].w }
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
    if stage < 4 then at = advance(sys, state, s, k) end
  end
  state:assign(advance(sys, state, h, sum))
  return "converged"
end

scene.solver { name = "rk4-lua", order = 4, forces = true,
               summary = "classical Runge-Kutta on accelerations, in Lua", step = step }
