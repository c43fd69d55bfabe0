#!/bin/sh
# page_data.sh - the numbers of a page, decoded by a second program and compared with records: motion, joint forces,
# contacts, the reference, errors over time, places of shapes. On a scene in which no two numbers are equal and no axis is
# special. Needs HOLONOM and python3; skipped if the page was not built.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
command -v python3 >/dev/null || without "python3 is missing"
[ -e "$top/web/dist/report.html" ] || without "the page of reports was not built (npm, scripts/setup)"

cat >motion.lua <<'LUA'
-- motion.lua: a stone whose flight is known, a dart whose flight is not, an arm on a ball joint, a brick on a leaning floor
local scene = require "holonom.scene"
local g = { 1.3, -8.7, 2.9 }
local sys = scene.system { gravity = g, consistent = true }
local from, with = { 2.7, 1.9, -3.1 }, { -1.7, 2.3, 0.9 }
sys:particle { name = "stone", mass = 0.7, position = from, velocity = with }
sys:body { name = "dart", density = 700, position = { -4.3, 5.2, 1.1 }, angular_velocity = { 0.8, -1.3, 2.1 },
           shapes = { { shape = scene.box { 0.11, 0.23, 0.31 }, position = { 0.31, -0.22, 0.13 }, axis_angle = { 0.6, -0.48, 0.64, 0.7 } },
                      { shape = scene.sphere { radius = 0.09 }, position = { -0.17, 0.29, 0.41 } } } }
local a = sys:body { name = "arm", mass = 2.3, inertia = { 0.21, 0.34, 0.27 }, position = { 0.4, -0.7, 0.9 },
                     axis_angle = { 0.6, -0.48, 0.64, 0.7 } }
sys:ball { sys.ground, a, at = { 0.1, 0.2, 1.3 }, name = "shoulder" }
sys:body { name = "floor", fixed = true, position = { 1.9, -2.6, 0.3 }, shape = scene.plane { normal = { -0.132, 0.988, -0.0804 } }, friction = 0.31 }
sys:body { name = "brick", density = 640, shape = scene.box { 0.33, 0.19, 0.27 }, position = { 3.1, -1.97, 0.7 },
           velocity = { 0.9, -0.4, 0.6 }, angular_velocity = { 1.1, 0.7, -0.9 }, friction = 0.62, restitution = 0.2 }
sys:contact {}
sys:reference(function(t)
  local x, v = {}, {}
  for k = 1, 3 do x[k], v[k] = from[k] + with[k] * t + 0.5 * g[k] * t * t, with[k] + g[k] * t end
  return { stone = { position = x, velocity = v } }
end)
sys:defaults { solver = "impulse-contact", step = 2 ^ -12, duration = 2100 / 2 ^ 12 }
return sys
LUA

solvers="moreau tgs-soft impulse-contact"
for solver in $solvers; do
  run run ./motion.lua --solver $solver --output $solver.csv --record-joints --record-contacts --quiet; exits "$solver: a record" 0
done
run compare ./motion.lua --solvers "$(echo $solvers | tr ' ' ,)" --output motion.html --quiet; exits "a page" 0
number=0
for solver in $solvers; do
  echo "# $solver"
  python3 "$top/tests/cli/page_data.py" motion.html $number $solver >seen 2>err; counts "$solver: all arrays were compared" $?
  number=$((number + 1))
done
finish
