-- friction.lua: a study of the angle at which a block begins to slide, and of its distance after a second
--
--     holonom sweep doc/friction.lua --output friction.csv
--     holonom plot friction.csv --x angle --y slid --by mu --width 85 --output friction.pdf
local study = require "holonom.study"

-- Coulomb's law: it slides where tan(angle) > mu, with the acceleration g (sin(angle) - mu cos(angle)).
local function distance(angle, mu, t)
  local a = math.rad(angle)
  return math.max(0, 9.81 * (math.sin(a) - mu * math.cos(a))) * t ^ 2 / 2
end

return study {
  scene = "slope.lua",
  set = { angle = study.range(0, 40, 41), mu = { 0.2, 0.4, 0.6 } },
  measures = {
    slid = function(t, s) return s:position("block")[1] end,
    fastest = function(t, s, last) return math.max(last or 0, s:velocity("block")[1]) end,
  },
  results = {
    off = function(r) return r.slid - distance(r.angle, r.mu, r.time) end,
  },
  reference = "none",
}
