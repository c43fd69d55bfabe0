-- point_masses.lua: boxes on hinges and a ball, and a mass on a rod, as rigid bodies or as point masses
-- Stresses: the equivalence of rigid bodies and point masses (points = true). 18 rows of 6 joints become 73
-- rods of 27 points, without redundancy. The points at the boxes' centres have the boxes' names, so both can
-- be compared body by body.
-- Source: our own, for section 3 of Schmitt, Bender and Prautzsch (2005).
-- Reference: lagrange with rk8pd and projection on the bodies, h = 0.0005 and 0.001 s, which agree to 1e-14
-- m; so does the same solver on the points.
local scene = require "holonom.scene"
local points = scene.param("points", false, "replace the boxes by point masses")
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local axes = { { 0, 0, 1 }, { 0, 1, 0 }, { 0, 0.6, 0.8 } }
local previous = sys.ground
for i = 1, 4 do
  local link = sys:body { name = "link" .. i, shape = scene.box { 1, 0.3, 0.2 }, density = 600,
                          position = { i - 0.5, 0, 0 } }
  local at = { i - 1, 0, 0 }
  if i < 4 then
    sys:hinge { previous, link, at = at, axis = axes[i], name = "hinge" .. i }
  else
    sys:ball { previous, link, at = at, name = "ball" }
  end
  previous = link
end
local bob = sys:particle { name = "bob", mass = 1, position = { 4, -1, 0.5 } }
sys:distance { previous, bob, at_a = { 4, 0, 0 }, at_b = { 4, -1, 0.5 }, name = "rod" }
sys:reference(scene.table_reference {
  [0.5] = { link1 = { 0.40183670808572974, -0.29753530888757401, 6.8090509782907859e-21 },
             link2 = { 1.2021459716870062, -0.89011497908632364, 0.06456351414995351 },
             link3 = { 2.0807616229026369, -1.2850383720519687, 0.031726891301501227 },
             link4 = { 3.050225443045314, -1.2863377928085535, -0.036565017544155254 },
             bob = { 3.9809746203687819, -2.1097580125883666, 0.44537566662020511 } },
})
-- Bounds: about twice the measured value if truncation dominates, ten times if round-off does; the same for
-- bodies and points.
sys:expect { solver = "impulse-sle", error = 2e-4, drift = 2e-9, velocity_drift = 5e-14, energy_error = 0.2 }
sys:expect { solver = "impulse-gs:relaxation=1.5", error = 2e-4, drift = 2e-9, velocity_drift = 2e-9,
             energy_error = 0.2 }
sys:expect { solver = "lagrange:stepper=rk8pd,stabilisation=projection", error = 1e-13, drift = 3e-14,
             velocity_drift = 3e-14, energy_error = 7e-12 }
sys:expect { solver = "taylor:order=10", error = 1e-13, drift = 3e-14, velocity_drift = 3e-13,
             energy_error = 3e-11 }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 0.5 }
if points then return scene.point_mass_model(sys) end
return sys
