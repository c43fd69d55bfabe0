local scene = require 'holonom.scene'
local sys = scene.system { gravity = { 0, 0, -9.81 } }
sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, material = 'm0',
           shape = scene.plane { normal = { 0, 0, 1 } } }
sys:body { name = 'b1', mass = 2, position = { 0, 0, 0.10000000000000001 }, material = 'm1',
  shape = scene.box { 4, 4, 0.2 }, orientation = { 0.93937271284737889, 0, 0, 0.34289780745545134 } }
sys:material_pair { 'm0', 'm1', friction = 0.20000000000000001 }
sys:body { name = 'b2', mass = 1, position = { 0, 0, 0.30000000000000004 }, material = 'm2',
  shape = scene.box { 0.5, 0.5, 0.2 }, orientation = { 0.93937271284737889, 0, 0, 0.34289780745545134 } }
sys:material_pair { 'm1', 'm2', friction = 0.40000000000000002 }
sys:force { sys.ground, 'b1', at = { 0, 0, 0.1 }, force = { 30.593687491379541, 25.768707489507641, 0 } }
sys:contact { margin = 0.02 }
return sys