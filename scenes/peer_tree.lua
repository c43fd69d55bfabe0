-- peer_tree.lua: a hanging binary tree of n equal boxes, for comparisons with other engines
-- Stresses: speed, on a scene that other engines can run as well: wide angles, equal masses, small steps.
-- Source: our own. Boxes 1 x 0.1 x 0.1 m, density 600, joints at the ends, children at +-30 degrees about the
-- parent's local y on odd levels and z on even ones (the root is level 0). The whole rotates rigidly at 1
-- rad/s about the vertical through the root joint; h = 1/240 s.
local scene = require "holonom.scene"
local n = scene.param("n", 127, "number of bodies, 2^levels - 1")
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local nodes = scene.binary_tree(sys, {
  n = n, length = function() return 1 end, section = function() return 0.1 end, density = 600,
  spread = math.pi / 6, spin = 1,
})
for i, node in ipairs(nodes) do
  sys:ball { node.parent and nodes[node.parent].body or sys.ground, node.body, at = node.top,
             name = "joint" .. i }
end
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does. The drift of
-- impulse solvers is bounded by their tolerance (1e-9 by default).
sys:expect { solver = "impulse-sle:tolerance=1e-6", duration = 1, drift = 1e-6, velocity_drift = 4e-14,
             energy_error = 0.36 }
sys:expect { solver = "impulse-gs:tolerance=1e-6,velocity_tolerance=1e-6", duration = 0.05, drift = 1e-6,
             velocity_drift = 1e-6, energy_error = 3e-2 }
sys:expect { solver = "lagrange", step = 1 / 480, duration = 0.25, drift = 8e-11, velocity_drift = 4e-10,
             energy_error = 2e-7 }
sys:defaults { solver = "impulse-sle", step = 1 / 240, duration = 10 }
return sys
