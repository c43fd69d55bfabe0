-- lua_solvers.lua - two solvers written in Lua, on two boxes; the contract suite runs over them.
local scene = require "holonom.scene"

-- Returns two tables and a state that are reused, so that a step of rattle-lua allocates none.
local function scratch(sys, state)
  local memory = sys.memory
  if not memory.g then memory.g, memory.p, memory.trial = {}, {}, state:copy() end
  return memory.g, memory.p, memory.trial
end

local function factor_at(sys, state)
  sys:jacobian(state)
  return sys:factor()
end

-- Projects the velocities of STATE onto the joints, and reports the joint forces there.
local function finish(sys, state, v, p)
  local reason = factor_at(sys, state)
  if reason ~= "converged" then return reason end
  sys:velocity_residual(state, v)
  sys:apply(state, sys:solve(v, p), -1)
  sys:joint_forces(sys:solve(sys:acceleration_residual(state, p), p), -1)
  return "converged"
end

-- Explicit Euler step with joint forces, then projection: K lambda = -(G a + gamma), u += h W G' lambda,
-- flight.
local function explicit_euler(sys, state, h)
  local reason = factor_at(sys, state)
  if reason ~= "converged" then return reason end
  local p = sys:solve(sys:acceleration_residual(state))
  sys:kick(state, h)
  sys:apply(state, p, -h)
  state:assign(sys:flight(state, h))
  for iteration = 0, sys.iterations do
    local residual, norm = sys:residual(state)
    if norm <= sys.tolerance then return finish(sys, state, {}, {}), iteration end
    reason = factor_at(sys, state)
    if reason ~= "converged" then return reason, iteration, "projection" end
    sys:displace(state, sys:solve(residual), -1)
  end
  return "stalled", sys.iterations, "projection"
end

-- The step of impulse-sle: u += W G' p until the flight of h satisfies all joints, with one factor; then the
-- velocity correction.
local function rattle(sys, state, h)
  local g, p, trial = scratch(sys, state)
  local reason = factor_at(sys, state)
  if reason ~= "converged" then return reason, 0, "factorisation of K" end
  for iteration = 0, sys.iterations do
    sys:flight(state, h, trial)
    local _, norm = sys:residual(trial, g)
    if norm <= sys.tolerance then
      state:assign(trial)
      return finish(sys, state, g, p), iteration
    end
    if not (norm < 1e6) then break end
    sys:apply(state, sys:solve(g, p), -1 / h)
  end
  return "stalled", sys.iterations, "joint correction"
end

scene.solver { name = "euler-lua", order = 1, summary = "explicit Euler, projected, in Lua",
               joint_forces = true, forces = true, step = explicit_euler }
scene.solver { name = "rattle-lua", order = 2, summary = "impulse-sle, in Lua", joint_forces = true,
               step = rattle }

local sys = scene.system {}
local shape = scene.box { 1.0, 0.1, 0.1 }
sys:body { name = "box1", shape = shape, density = 1000, position = { 0.5, 0, 0 } }
sys:body { name = "box2", shape = shape, density = 1000, position = { 1.5, 0, 0 },
           angular_velocity = { 1, 0, 0 } }
sys:ball { sys.ground, "box1", at = { 0, 0, 0 } }
sys:ball { "box1", "box2", at = { 1, 0, 0 } }
sys:defaults { solver = "euler-lua", step = 0.01, duration = 1 }
return sys
