-- record_grasp.lua: record of contact laws, grasp: blocks squeezed between two pads
local record = require "holonom.record"

return record {
  scene = "grasp",
  set = { n = { 1, 11 } },
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
  page = { title = "Grasp", text = { "x" } },
}
