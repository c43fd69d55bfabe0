-- record.lua: the record of contact laws: eight scenes that users of engines have asked about
-- holonom sweep record --output DIR writes the page DIR/index.html and all tables (doc/record.md).
local study = require "holonom.study"

return study {
  studies = { "record_creep", "record_ski_jump", "record_capstan", "record_knife_edge", "record_cylinder",
              "record_ball", "record_chain", "record_grasp" },
  page = {
    title = "The record of contact laws",
    text = {
      "Eight scenes with closed forms. Each answers questions that users of physics engines have " ..
      "asked in public trackers. Every solver of Holonom, and every engine that is installed, is a " ..
      "row, failures included.",
      "The error of a row, value minus closed form, is the sum of three. Solver: the value with " ..
      "default settings at the step h, minus the value at h with inner iterations that have " ..
      "practically converged. Time: the converged value at h, minus its limit for small steps, " ..
      "extrapolated from h, h / 2 and h / 4. Model: that limit minus the closed form, which is what " ..
      "the law of the solver costs.",
      "The column order is the order that the three steps show. Without one the limit is the value " ..
      "at h / 4, and its uncertainty, in the column ±, is the change between the steps. Solvers " ..
      "without inner iterations have no error of the solver. A time or model error below the " ..
      "uncertainty is not measured.",
    },
  },
}
