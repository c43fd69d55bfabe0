-- star.lua: the bodies of the tree, all joined to the root
-- Stresses: one body in all joints: K is full, unless the root stays an unknown (linear=ldl).
-- Source: the second model of Bender and Schmitt (2006), with all joints on the root. The bodies are placed
-- as in tree.lua, and each is joined to the root at its own upper end, wherever that is: a ball joint can use
-- any point fixed in the root.
-- No published trajectory.
local scene = require "holonom.scene"
local n = scene.param("n", 127, "number of bodies, 2^levels - 1")
local section = scene.param("section", 0.0,
                            "side of every body's square section, m; 0: a tenth of its own length")
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local nodes = scene.binary_tree(sys, {
  n = n, length = function(k) return 1.5 ^ k end, density = 600, spread = 0.1, spin = 1,
  section = function(length) return section > 0 and section or 0.1 * length end,
})
for i, node in ipairs(nodes) do
  sys:ball { i == 1 and sys.ground or nodes[1].body, node.body, at = node.top, name = "joint" .. i }
end
-- Bounds: the tolerance of the solver (1e-9 by default), or round-off: 1e-11 m/s.
sys:expect { solver = "impulse-sle", duration = 0.5, drift = 1e-9, velocity_drift = 1e-11 }
sys:expect { solver = "impulse-gs", duration = 0.5, drift = 1e-9, velocity_drift = 1e-9 }
sys:expect { solver = "lagrange:stabilisation=projection", duration = 0.1, drift = 1e-12,
             velocity_drift = 1e-11 }
sys:defaults { solver = "impulse-sle", step = 1 / 30, duration = 10 }
return sys
