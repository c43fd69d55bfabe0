-- record_grasp.lua: record of contact laws, grasp: blocks squeezed between two pads
local record = require "holonom.contact_record"

return record {
  scene = "grasp",
  set = { n = { 1, 11 } },
  -- With its own contact solver, newton, impulse-contact does not come back from some steps of this scene.
  without = { "impulse-contact" },
  more = { { "impulse-contact:contact=pgs",
             "impulse-contact:contact=pgs,tolerance=1e-13,contact_tolerance=1e-13" } },
  step = 0.002, duration = 0.04,
  measures = {
    slip = function(_, s, last)
      local most, i = last or 0, 1
      while true do
        local found, x = pcall(s.position, s, "block" .. i)
        if not found then return most end
        most, i = math.max(most, math.abs(x[3])), i + 1
      end
    end,
  },
  cases = { { measure = "slip", title = "slip in 0.04 s, m", exact = function() return 0 end } },
  page = { title = "Grasp", text = {
      "Seen: a row of n blocks is squeezed between two pads with 1.25 times the force that is " ..
      "needed, and some blocks slip.",
      "Why: all faces carry friction at once, and the weight must pass through all of them to the " ..
      "pads. Friction that creeps, or sweeps that do not pass the force on, let the blocks in the " ..
      "middle sink.",
      "Closed form: no block moves while 2 mu F is at least n m g, and the faces bear the bending " ..
      "moment. Asked in the wiki of PositronicsLab, which compares the time until a block slips for " ..
      "Bullet, ODE and DART.",
    } },
}
