local scene = require 'holonom.scene'
local sys = scene.system { gravity = { 0, 0, -9.81 } }
local platform = sys:body { name = 'platform', mass = 50, inertia = { 10, 10, 20 },
  position = { 0, 0, -0.05 }, shape = scene.box { 4, 4, 0.1 }, friction = 0.3 }
sys:hinge { sys.ground, platform, at = { 0, 0, -0.05 }, axis = { 0, 0, 1 } }
sys:torque { platform, torque = { 0, 0, 40 } }
sys:body { name = 'coin', mass = 0.1, position = { 0.3, 0, 0.01 }, friction = 0.3,
           shape = scene.box { 0.04, 0.04, 0.02 } }
sys:contact { margin = 0.01 }
return sys