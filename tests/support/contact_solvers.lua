-- contact_solvers.lua - for tests: a contact solver written in Lua, on boxes that slide, spin and lean.
local scene = require "holonom.scene"

-- Projected Gauss-Seidel, block by block. Contacts: p := P(p - w / s), w the velocities with De Saxce's
-- shift. Other blocks: p_r := p_r - v_r / K_rr, row by row, then P.
local v, D, q, change = {}, {}, {}, {}
local function relax(problem, k, n)
  problem:block_velocity(k, v)
  if problem:set(k) == "cone" then
    local s = n * problem:scale(k) -- no eigenvalue of the block is larger
    problem:shift(k, v, v)
    for r = 1, n do q[r] = q[r] - v[r] / s end
  else
    problem:diagonal(k, D)
    for r = 1, n do
      local step = v[r] / D[(r - 1) * n + r]
      q[r] = q[r] - step
      for i = r, n do v[i] = v[i] - D[(i - 1) * n + r] * step end
    end
  end
  problem:project(k, q, q)
end

local function gauss_seidel(problem, p)
  for _ = 1, problem.iterations do
    for k = 1, problem.blocks do
      local row, n = problem:range(k)
      for r = 1, n do q[r] = p[row + r - 1] end
      relax(problem, k, n)
      for r = 1, n do change[r], p[row + r - 1] = q[r] - p[row + r - 1], q[r] end
      problem:block_apply(k, change)
    end
    local error = problem:error(p)
    problem:note(error)
    if error <= problem.tolerance then return "converged" end
  end
  return "budget"
end

scene.contact_solver { name = "gauss-seidel-lua", summary = "projected Gauss-Seidel, in Lua",
                       solve = gauss_seidel }

local balls = scene.param("balls", false, "instead of boxes; their impulses are unique")
local sys = scene.system { gravity = { 0, 0, -9.81 } }
local function shape(size) return balls and scene.sphere { radius = size[3] / 2 } or scene.box(size) end
local above = balls and 0.25 + math.sqrt(0.45 ^ 2 - 0.02) or 0.7
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, friction = 0.5,
           shape = scene.plane { normal = { 0, 0, 1 } } }
local lower = sys:body { name = "lower", mass = 2, friction = 0.5, shape = shape { 1, 1, 0.5 },
                         velocity = { 2, 1, 0 }, position = { 0, 0, 0.25 } }
sys:body { name = "upper", mass = 1, friction = 0.5, shape = shape { 0.4, 0.4, 0.4 }, velocity = { 2, 0, 0 },
           position = { 0.1, 0.1, above } }
local arm = sys:body { name = "arm", mass = 1, shape = scene.box { 1, 0.1, 0.1 }, position = { 1, 0, 0.25 },
                       velocity = { 2, 2.5, 0 }, angular_velocity = { 0, 0, 3 } }
sys:hinge { lower, arm, at = { 0.5, 0, 0.25 }, axis = { 0, 0, 1 }, friction = 0.3, lower = -0.5, upper = 0.5 }
sys:contact {}
sys:defaults { solver = "moreau:contact=gauss-seidel-lua", step = 0.01, duration = 0.3 }
return sys
