-- record_creep.lua: record of contact laws, creep: a cube that friction holds on a slope
local record = require "holonom.contact_record"

return record {
  scene = "creep",
  step = 0.002, duration = 10,
  measures = {
    slip = function(_, s)
      local x = s:position "cube"
      return math.sqrt(x[1] ^ 2 + x[2] ^ 2)
    end,
  },
  cases = { { measure = "slip", title = "slip after 10 s, m", exact = function() return 0 end } },
  page = {
    title = "Creep",
    text = {
      "Seen: a cube of 0.1 m and 1 kg with friction 0.5 stands on a slope of 10 degrees. In several " ..
      "engines it moves downhill at a constant speed, for ever.",
      "Why: friction that is regularised (a force proportional to a slip speed below some " ..
      "threshold), softened, or left unconverged by a fixed number of sweeps balances the weight " ..
      "only at a slip speed other than 0.",
      "Closed form: tan 10 degrees = 0.176 is below the friction, so the cube stays where it is; " ..
      "its slip is 0. The slip after 10 s over 10 s is the speed of the creep.",
    },
    asked = { "google-deepmind/mujoco#3328", "google-deepmind/mujoco#3349", "newton-physics/newton#3943" },
  },
}
