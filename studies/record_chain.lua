-- record_chain.lua: record of contact laws, heavy body at the end of a light chain
local record = require "holonom.record"

return record {
  scene = "heavy_end",
  set = { ratio = { 1, 1e3, 1e6 } },
  more = { { "impulse-sle", "impulse-sle:tolerance=1e-14" },
           { "lagrange:stepper=rk8pd,stabilisation=projection", false }, { "articulated", false } },
  step = 0.002, duration = 0.04, compared = true,
  cases = {
    { measure = "drift", title = "largest stretch of a joint in 0.04 s, m", exact = function() return 0 end },
    { measure = "error", title = "distance from the exact chain after 0.04 s, m", exact = function() return 0 end,
      only = function(r) return r.ratio < 1e6 end },
  },
  page = { title = "Heavy body at the end of a light chain", text = { "x" },
           asked = { "jrouwe/JoltPhysics#1390", "NVIDIA-Omniverse/PhysX#308" } },
}
