-- contact_bouncing.lua: error against work of contact solvers: a bouncing ball, twelve impacts of e = 0.8
-- Diagram:
--   holonom sweep contact_bouncing --output bouncing.csv --figure bouncing.pdf --x operations --by solver
-- Discussion of the crossings of its curves: doc/contact.md, section 9.
local study = require "holonom.study"

return study {
  scene = "bouncing_balls",
  set = { restitution = 0.8 },
  solvers = { "moreau:contact=pgs", "moreau:contact=apgd", "moreau:contact=admm",
              "moreau:contact=newton", "moreau:contact=lemke",
              "impulse-contact", "events", "events:inner=impulse-sle", "events:inner=lagrange:stepper=rk8pd",
              "tgs-soft", "xpbd" },
  steps = study.log(0.1, 0.002, 6), duration = 3.2,
  show = { "solver", "step", "error", "operations", "reason" },
}
