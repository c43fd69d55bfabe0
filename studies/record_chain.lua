-- record_chain.lua: record of contact laws, heavy body at the end of a light chain
local record = require "holonom.contact_record"

return record {
  scene = "heavy_end",
  set = { ratio = { 1, 1e3, 1e6 } },
  more = { { "impulse-sle", "impulse-sle:tolerance=1e-14" },
           { "lagrange:stepper=rk8pd,stabilisation=projection", false }, { "articulated", false } },
  step = 0.002, duration = 0.04, compared = true,
  cases = {
    { measure = "drift", title = "largest stretch of a joint in 0.04 s, m", exact = function() return 0 end },
    { measure = "error", title = "distance from the exact chain after 0.04 s, m",
      exact = function() return 0 end, only = function(r) return r.ratio < 1e6 end },
  },
  page = { title = "Heavy body at the end of a light chain", text = {
      "Seen: a body of 1 to 1e6 times the mass of a link hangs at the end of a chain of eight links " ..
      "and swings from 30 degrees. The chain is drawn out, or breaks into vibration.",
      "Why: sweeps over the joints carry the force of one joint to its neighbour in a sweep, and " ..
      "converge ever more slowly with the ratio of masses. With a ratio of 1e6 the links vibrate " ..
      "across the chain at 1e4 rad/s, which explicit methods with h = 2 ms do not resolve: they " ..
      "diverge.",
      "Closed form: the stretch is 0. The distance from the exact chain is that of the worst body " ..
      "from a reference made by runs, for ratios at which the steps resolve the vibration.",
    },
           asked = { "jrouwe/JoltPhysics#1390", "NVIDIAGameWorks/PhysX#308" } },
}
