-- cubic_spring.lua: a mass on a spring with a cubic law, Duffing's oscillator, against elliptic functions
--
-- m x'' = -a x - b x^3, released at x = way:
--   x = way cn(w t | n),  w^2 = (a + b way^2) / m,  n = b way^2 / (2 m w^2)
local scene = require "holonom.scene"
local a   = scene.param("a", 4.0, "linear stiffness, N/m")
local b   = scene.param("b", 30.0, "stiffness of the cubic term, N/m^3")
local way = scene.param("way", 0.7, "amplitude, m")
local m = 1
local sys = scene.system { gravity = { 0, 0, 0 } }
local mass = sys:particle { name = "mass", position = { way, 0, 0 }, mass = m }
sys:axial_spring { sys.ground, mass, name = "spring", at_a = { 0, 0, 0 }, at_b = { way, 0, 0 },
                   axis = { 1, 0, 0 },
                   law = function(t, x) return -a * x - b * x ^ 3 end,
                   energy = function(x) return a * x ^ 2 / 2 + b * x ^ 4 / 4 end }
local w2 = (a + b * way ^ 2) / m
local n = b * way ^ 2 / (2 * m * w2)
sys:reference(function(t)
  local sn, cn, dn = scene.special.jacobi(math.sqrt(w2) * t, n)
  return { mass = { position = { way * cn, 0, 0 }, velocity = { -way * math.sqrt(w2) * sn * dn, 0, 0 } } }
end)
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 2 }
sys:expect { solver = "taylor", step = 0.02, duration = 2, error = 1e-13, energy_error = 1e-12 }
sys:expect { solver = "impulse-sle", step = 0.01, duration = 2, order = 2 }
return sys
