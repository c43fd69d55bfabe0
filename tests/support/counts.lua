-- counts.lua - four rods, and a control with a state: its impulse depends on the number of calls.
local scene = require "holonom.scene"
local kick = scene.param("kick", 0.01) -- N s per call
local bob = scene.param("bob", 0) -- number of the call that adds a bob; 0: none
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local last = sys.ground
for i = 1, 4 do
  local rod = sys:body { name = "rod" .. i, shape = scene.box { 1, 0.1, 0.1 }, density = 500,
                         position = { i - 0.5, 0, 0 } }
  sys:hinge { last, rod, at = { i - 1, 0, 0 }, axis = { 0, 0, 1 } }
  last = rod
end
local calls = 0
sys:control(function(t, s)
  calls = calls + 1
  s:impulse { "rod4", impulse = { 0, kick * (calls % 97), 0 } }
  if calls == bob then sys:particle { name = "bob", mass = 1, position = { 9, 0, 0 } } end
end)
sys:defaults { solver = "impulse-sle", step = 0.01 }
return sys
