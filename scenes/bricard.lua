-- bricard.lua: Bricard's mechanism, five rods and six hinges in a closed loop that moves although it should not
-- (IFToMM A04)
-- Stresses: 30 constraints for 30 coordinates, but their rank is 29 at every instant: one constraint follows from the
-- others, another one at each moment, and only where the positions are exact. A method that lets the joints be violated
-- a little sees full rank and locks.
-- Source: IFToMM benchmark A04: rods 1 x 0.1 x 0.1 m of 1 kg, let go at rest. Reference: own integrations at 40 digits
-- and more; the motion is periodic with 4.991711513688723872 s, and stretched at half of that.
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local points = { [0] = { 0, 0, 0 }, { 1, 0, 0 }, { 1, -1, 0 }, { 1, -1, 1 }, { 0, -1, 1 }, { 0, 0, 1 } }
local axes = { [0] = { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } }

local function edges(from, to) -- of a rod between two points that differ along one axis
  local size = {}
  for i = 1, 3 do size[i] = from[i] == to[i] and 0.1 or 1.0 end
  return size
end
local previous = sys.ground
for i = 1, 5 do
  local from, to = points[i - 1], points[i]
  local rod = sys:body { name = "rod" .. i, shape = scene.box(edges(from, to)), density = 100,
                         position = scene.add(scene.add({ 0, 0, 0 }, from, 0.5), to, 0.5) }
  sys:hinge { previous, rod, at = from, axis = axes[i - 1], name = "P" .. i - 1 }
  previous = rod
end
sys:hinge { previous, sys.ground, at = points[5], axis = axes[5], name = "P5" }
-- P2 and P3, the ends of rod 3.
local P2, P3 = { 0.274481319264623, -0.886707938734672, -0.462330002687376 },
  { 0.51050146118721973592, -1.64916759939480630808, 0.14012311455318582826 }
sys:reference(scene.table_reference {
  [0] = { rod3 = { 1, -1, 0.5 } },
  [1] = { rod3 = scene.add(scene.add({ 0, 0, 0 }, P2, 0.5), P3, 0.5) },
})
sys:defaults { solver = "impulse-gs", step = 0.001, duration = 1 }
return sys
