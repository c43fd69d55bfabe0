-- bender2005_chain.lua: passes over the joints per step of a closed chain of eight, beside Bender et al.
-- (2005)
-- Source: Bender, Finkenzeller and Schmitt, An impulse-based dynamic simulation system for VR applications,
-- Virtual Concept 2005: 50 to 581 "impulses" a step, mean 162, at h = 0.01 s and tolerances of 1e-12. These
-- are passes over all nine joints (bench/README.md explains why). Ours are impulses divided by nine. A pass
-- applies none at joints within their tolerance, so the mean of passes exceeds that of impulses. The paper
-- does not print the initial position; down = 2 comes nearest.
local study = require "holonom.study"
local joints = 9

return study {
  scene = "chain8",
  samples = { { down = 2, length = 0.5, section = 0.05, span = 2.92 },
              { down = 4, length = 1, section = 0.1, span = 6 } },
  solvers = "impulse-gs:tolerance=1e-12,velocity_tolerance=1e-12,flight=taylor,flight_order=5",
  steps = 0.01, duration = 10, reference = "none",
  results = {
    least = function(r) return r.impulses_least / joints end, paper_least = function() return 50 end,
    mean = function(r) return r.impulses / joints end,
    passes = function(r) return r.position_iterations + r.velocity_iterations end,
    paper_mean = function() return 162 end,
    most = function(r) return r.impulses_most / joints end, paper_most = function() return 581 end,
  },
  show = { "down", "span", "least", "paper_least", "mean", "passes", "paper_mean", "most", "paper_most",
           "drift", "reason" },
}
