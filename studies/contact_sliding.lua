-- contact_sliding.lua: error against work of contact solvers: ten cubes that slide and stop
-- Diagram:
--   holonom sweep contact_sliding --output sliding.csv --figure sliding.pdf --x operations --by solver
-- Discussion of the crossings of its curves: doc/contact.md, section 9.
local study = require "holonom.study"

return study {
  scene = "sliding_cubes",
  solvers = { "moreau:contact=pgs", "moreau:contact=apgd", "moreau:contact=admm",
              "moreau:contact=newton",
              "impulse-contact", "events", "events:inner=impulse-sle", "events:inner=lagrange:stepper=rk8pd",
              "tgs-soft", "xpbd" },
  steps = study.log(0.1, 0.003, 6), duration = 8,
  show = { "solver", "step", "error", "operations", "reason" },
}
