-- methods.lua: two methods written in Lua on two boxes, for the tests: the contract suite runs over them
local scene = require "holonom.scene"

-- K p = b at STATE. Returns p, or nil and why not.
local function solve_at(sys, state, b)
  sys:jacobian(state)
  local reason = sys:factor()
  if reason ~= "converged" then return nil, reason end
  return sys:solve(b())
end

-- Takes the velocities that break the joints out of STATE, whose Jacobian is factored in doing so.
local function correct_velocities(sys, state)
  local p, reason = solve_at(sys, state, function() return (sys:velocity_residual(state)) end)
  if p then sys:apply(state, p, -1) end
  return reason
end

-- Joint forces by explicit Euler steps, then projection: K lambda = -(G a + gamma), u += h W G' lambda, flight.
local function explicit_euler(sys, state, h)
  local lambda, reason = solve_at(sys, state, function() return sys:acceleration_residual(state) end)
  if not lambda then return reason end
  sys:apply(state, lambda, -h)
  state:assign(sys:flight(state, h))
  for iteration = 0, sys.iterations do
    local g, norm = sys:residual(state)
    if norm <= sys.tolerance then return correct_velocities(sys, state), iteration end
    local p, why = solve_at(sys, state, function() return g end)
    if not p then return why, iteration, "projection" end
    sys:displace(state, p, -1)
  end
  return "stalled", sys.iterations, "projection"
end

-- The step of impulse-sle: u += W G' p until the flight of h meets all joints, with one factor; then the velocities.
local function rattle(sys, state, h)
  sys:jacobian(state)
  local reason = sys:factor()
  if reason ~= "converged" then return reason, 0, "factorisation of K" end
  for iteration = 0, sys.iterations do
    local trial = sys:flight(state, h)
    local g, norm = sys:residual(trial)
    if norm <= sys.tolerance then
      state:assign(trial)
      return correct_velocities(sys, state), iteration
    end
    if not (norm < 1e6) then break end
    sys:apply(state, sys:solve(g), -1 / h)
  end
  return "stalled", sys.iterations, "joint correction"
end

scene.method { name = "euler-lua", order = 1, summary = "explicit Euler, projected, in Lua", step = explicit_euler }
scene.method { name = "rattle-lua", order = 2, summary = "impulse-sle, in Lua", step = rattle }

local sys = scene.system {}
local shape = scene.box { 1.0, 0.1, 0.1 }
sys:body { name = "box1", shape = shape, density = 1000, position = { 0.5, 0, 0 } }
sys:body { name = "box2", shape = shape, density = 1000, position = { 1.5, 0, 0 }, angular_velocity = { 1, 0, 0 } }
sys:ball { sys.ground, "box1", at = { 0, 0, 0 } }
sys:ball { "box1", "box2", at = { 1, 0, 0 } }
sys:defaults { solver = "euler-lua", step = 0.01, duration = 1 }
return sys
