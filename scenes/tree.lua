-- tree.lua: a hanging binary tree of n boxes on ball joints that rotates about the vertical
-- Stresses: many bodies without loops: the cost of a direct solver must grow linearly with n. Masses differ
-- by 1.5^3 from level to level, which slows Gauss-Seidel down.
-- Source: the tree of Bender and Schmitt (2006): a complete binary tree, lengths 1.5^k from 1 m at the
-- leaves, square sections of a tenth of the length, density 600, children spread by +-0.1 rad in planes that
-- alternate by level; the whole rotates rigidly at 1 rad/s about the vertical through the root joint; h =
-- 1/30 s. In the paper a torque on the top body starts the motion: push = L starts after an angular impulse L
-- about z, where the root swings and moves the others through their joints, without rotation about the
-- vertical. The paper gives lengths and "equal densities", but no sections. The number of Gauss-Seidel sweeps
-- depends on the ratio of masses: 39 here, 276 with equal sections (section = 0.1), 518 in the paper.
-- No published trajectory.
local scene = require "holonom.scene"
local n = scene.param("n", 127, "number of bodies, 2^levels - 1")
local section = scene.param("section", 0.0,
                            "side of every body's square section, m; 0: a tenth of its own length")
local push = scene.param("push", 0.0,
                         "angular impulse on the top body about z at first, N m s; 0: all turn instead")
local sys = scene.system { gravity = { 0, -9.81, 0 }, consistent = push ~= 0 }
local nodes = scene.binary_tree(sys, {
  n = n, length = function(k) return 1.5 ^ k end, density = 600, spread = 0.1, spin = 1, push = push,
  section = function(length) return section > 0 and section or 0.1 * length end,
})
for i, node in ipairs(nodes) do
  sys:ball { node.parent and nodes[node.parent].body or sys.ground, node.body, at = node.top,
             name = "joint" .. i }
end
-- Bounds: the tolerance of the solver, or round-off: 1e-11 m/s.
sys:expect { solver = "impulse-sle:tolerance=1e-6", duration = 1, drift = 1e-6, velocity_drift = 1e-11 }
sys:expect { solver = "impulse-gs:tolerance=1e-6,velocity_tolerance=1e-6", duration = 1, drift = 1e-6,
             velocity_drift = 1e-6 }
sys:expect { solver = "lagrange:stabilisation=projection", duration = 1, drift = 1e-12,
             velocity_drift = 1e-11 }
sys:defaults { solver = "impulse-sle", step = 1 / 30, duration = 10 }
return sys
