-- truck.lua: a tipper truck whose hydraulic ram lifts, holds and lowers its loaded bed
-- Stresses: a driver at 300 kN, with oil as stiff as steel beside soft suspensions; load that moves to the
-- rear axles.
-- Source: the truck with articulated bed and suspended wheels of Gribel (2009), figure 1.1; section 5.2 for
-- the ram; planar as there. No dimensions are given; these are ours. There is no road: the axles stand on
-- tyres that are springs to the ground, and a spring holds the truck in place.
-- No reference.
local scene = require "holonom.scene"
local load = scene.param("load", 8000.0, "mass of bed and load, kg")
local speed = scene.param("speed", 0.2, "of the ram, m/s")
local limit = scene.param("limit", 5e5, "largest force of the ram, N")
local sys = scene.system { gravity = { 0, -9.81, 0 }, planar = true }
local up, ahead, z = { 0, 1, 0 }, { 1, 0, 0 }, { 0, 0, 1 }

local function box_inertia(mass, length, height) return mass * (length ^ 2 + height ^ 2) / 12 end
local chassis = sys:body { name = "chassis", mass = 5000, inertia = box_inertia(5000, 8, 0.5),
                           position = { 0.5, 1, 0 } }
local cab = sys:body { name = "cab", mass = 1200, inertia = box_inertia(1200, 1.6, 2),
                       position = { 3.8, 2.3, 0 } }
sys:fixed { chassis, cab, at = { 3.8, 1.25, 0 }, name = "cab_mount" }

-- An axle: a hub that slides on the chassis against spring and damper, with the wheels and the tyre under
-- them.
local function add_axle(name, x)
  local at = { x, 0.5, 0 }
  local hub = sys:body { name = "hub_" .. name, mass = 400, inertia = 30, position = at }
  local wheel = sys:body { name = "wheel_" .. name, mass = 300, inertia = 35, position = at }
  sys:slider { chassis, hub, at = at, axis = up, name = "strut_" .. name }
  sys:axial_spring { chassis, hub, at = at, axis = up, stiffness = 8e5, damping = 4e4,
                     name = "spring_" .. name }
  sys:hinge { hub, wheel, at = at, axis = z, name = "axle_" .. name }
  sys:axial_spring { sys.ground, hub, at = at, axis = up, stiffness = 1.6e6, damping = 8e3,
                     name = "tyre_" .. name }
  sys:angular_spring { hub, wheel, axis = z, stiffness = 2e4, damping = 500, name = "brake_" .. name }
end
add_axle("front", 3.2)
add_axle("middle", -1.4)
add_axle("rear", -2.7)
sys:axial_spring { sys.ground, chassis, at = { 0.5, 1, 0 }, axis = ahead, stiffness = 1e6, damping = 5e4,
                   name = "stand" }

-- The bed is hinged at the rear end of the chassis; the ram pushes from the chassis against its underside.
local hinge = { -3.3, 1.25, 0 }
local bed = sys:body { name = "bed", mass = load, inertia = box_inertia(load, 6, 1.2),
                       position = scene.add(hinge, { 2.9, 0.7, 0 }) }
sys:hinge { chassis, bed, at = hinge, axis = z, name = "tilt" }
sys:driver { chassis, bed, at_a = scene.add(hinge, { 1.6, -0.45, 0 }),
             at_b = scene.add(hinge, { 3.6, 0.1, 0 }), speed = speed, limit = limit, shortest = 1.8,
             longest = 3.2, stiffness = 1e8, damping = 4e6, name = "ram" }
sys:control(function(t, s)
  s:set("ram", t < 1 and "hold" or t < 6 and "extend" or t < 8 and "hold" or t < 12 and "contract" or "hold")
end)
-- Bounds: the tolerance of the solver (1e-9 by default), or round-off: 1e-11 m/s. The tolerance of ida is
-- local.
sys:expect { solver = "impulse-sle", drift = 1e-9, velocity_drift = 1e-11 }
sys:expect { solver = "impulse-newton", drift = 1e-9, velocity_drift = 1e-11 }
sys:expect { solver = "ida", drift = 1e-8, velocity_drift = 1e-7 }
sys:expect { solver = "xpbd" }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 14 }
return sys
