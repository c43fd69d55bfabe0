-- record_capstan.lua: record of contact laws, capstan: a chain around a turning drum
local record = require "holonom.contact_record"
local wrap, mu, pull, radius, inertia = math.pi, 0.3, 10, 0.5, 10 -- of the scene

-- Returns the ratio of the tensions of the chain of n beads.
local function discrete(n)
  local t = mu * math.tan(wrap / n / 2)
  return ((1 + t) / (1 - t)) ^ n
end

-- The friction on the drum is (T2 - T1) cos(wrap / n / 2) radius; it is measured over the second half, when
-- an engine that lets the chain settle has done so.
local begun, omega
local duration = 0.04
local measures = {
  ratio = function(t, s, last)
    local w = s:angular_velocity "drum"[3]
    if not begun or t <= duration / 2 * (1 + 1e-9) then begun, omega = t, w end
    if t == begun then return last or 0 end
    return (omega - w) / (t - begun) * inertia / radius / pull -- cos(wrap / n / 2) (T2 / T1 - 1)
  end,
}

return record {
  scene = "capstan",
  set = { n = { 4, 12 } },
  step = 0.001, duration = duration,
  measures = measures,
  results = {
    tension = function(r) return 1 + r.ratio / math.cos(wrap / r.n / 2) end,
  },
  cases = {
    { measure = "tension", title = "ratio of tensions, chain", exact = function(r) return discrete(r.n) end },
  },
  page = { title = "Capstan", text = {
      "Seen: a chain of n beads lies around half a drum that turns under it. One end is pulled with " ..
      "T1 = 10 N, the other is anchored; the tension T2 at the anchor is wrong, usually too low.",
      "Why: each bead multiplies the tension. An error of the law in one of them, or sweeps that " ..
      "have not carried the pull from bead to bead, is multiplied by all others.",
      "Closed form: with the angle delta = pi / n between neighbouring rods a sliding bead is in " ..
      "balance if T2 / T1 = (1 + mu tan(delta / 2)) / (1 - mu tan(delta / 2)); the chain has the " ..
      "n-th power of that. Its limit for many beads is e^(mu pi) = 2.5663; the discrete value is " ..
      "what a solver has to reach. The tension is measured from the angular velocity that the drum " ..
      "loses.",
    }, asked = { "google-deepmind/mujoco#454" } },
}
