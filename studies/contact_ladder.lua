-- contact_ladder.lua: error against work of contact solvers: a ladder slides down a wall and leaves it
-- Diagram:
--   holonom sweep contact_ladder --output ladder.csv --figure ladder.pdf --x operations --by solver
-- Discussion of the crossings of its curves: doc/contact.md, section 9.
local study = require "holonom.study"

return study {
  scene = "ladder",
  solvers = { "moreau:contact=pgs", "moreau:contact=apgd", "moreau:contact=admm",
              "moreau:contact=newton", "moreau:contact=lemke",
              "impulse-contact", "events", "events:inner=impulse-sle", "events:inner=lagrange:stepper=rk8pd",
              "tgs-soft", "xpbd" },
  steps = study.log(0.03, 0.0005, 6), duration = 0.4,
  show = { "solver", "step", "error", "operations", "reason" },
}
