-- contact_rimless.lua: error against work of contact solvers: a rimless wheel, six steps of it
-- Diagram:
--   holonom sweep contact_rimless --output rimless.csv --figure rimless.pdf --x operations --by solver
-- Discussion of the crossings of its curves: doc/contact.md, section 9.
local study = require "holonom.study"

return study {
  scene = "rimless_wheel",
  solvers = { "moreau:contact=pgs", "moreau:contact=apgd", "moreau:contact=admm",
              "moreau:contact=newton", "moreau:contact=lemke",
              "impulse-contact", "events", "events:inner=impulse-sle", "events:inner=lagrange:stepper=rk8pd",
              "tgs-soft", "xpbd" },
  steps = study.log(0.02, 0.0005, 6), duration = 5,
  show = { "solver", "step", "error", "operations", "reason" },
}
