-- contact_tray.lua: error against work of contact solvers: balls that roll on a tray which slides
-- Diagram:
--   holonom sweep contact_tray --output tray.csv --figure tray.pdf --x operations --by solver
-- Discussion of the crossings of its curves: doc/contact.md, section 9.
local study = require "holonom.study"

return study {
  scene = "ball_tray",
  solvers = { "moreau:contact=pgs", "moreau:contact=apgd", "moreau:contact=admm",
              "moreau:contact=newton",
              "impulse-contact", "events", "events:inner=impulse-sle", "events:inner=lagrange:stepper=rk8pd",
              "tgs-soft", "xpbd" },
  steps = study.log(0.1, 0.003, 6), duration = 1,
  show = { "solver", "step", "error", "operations", "reason" },
}
