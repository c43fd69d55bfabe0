-- record.lua: the record of contact laws
local study = require "holonom.study"

return study {
  studies = { "record_creep", "record_ski_jump", "record_capstan", "record_knife_edge", "record_cylinder",
              "record_ball", "record_chain", "record_grasp" },
  page = { title = "The record of contact laws", text = { "text" } },
}
