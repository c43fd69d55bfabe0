#!/bin/sh
# listings.sh - what lists, ranks, models, order studies and tables of sweeps say, against what is true of the scenes,
# and of other listings. Needs HOLONOM and python3.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
command -v python3 >/dev/null || without "python3 is missing"

cat >doors.lua <<'LUA'
-- doors.lua: two doors with hinges that are not quite in line
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
for i, off in ipairs { 1e-5, 1e-7 } do
  local d = sys:body { name = "door" .. i, mass = 8, inertia = { 0.5, 0.2, 0.7 }, position = { 0.4, 3 * i, 0 } }
  sys:hinge { sys.ground, d, at = { 0, 3 * i + 0.8, 0 }, axis = { 0, 1, 0 }, name = "upper" .. i }
  sys:hinge { sys.ground, d, at = { off, 3 * i - 0.8, 0 }, axis = { 0, 1, 0 }, name = "lower" .. i }
end
sys:defaults { solver = "lagrange", step = 0.01, duration = 0.1 }
return sys
LUA
cat >brick.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
sys:body { name = "brick", density = 500, shape = scene.box { 0.2, 0.3, 0.4 }, position = { 1, 2, 3 }, friction = 0.37,
           restitution = 0.12, velocity = { 0.5, 0.6, 0.7 }, angular_velocity = { 8, 9, 10 } }
sys:contact {}
sys:defaults { solver = "moreau", step = 0.01, duration = 0.2 }
return sys
LUA
cat >top.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 } }
local a = sys:body { name = "a", mass = 1, inertia = { 0.2, 0.3, 0.4 }, position = { 2.5, 0, 0 }, angular_velocity = { 0, 0, 11 } }
local b = sys:body { name = "b", mass = 1, inertia = { 0.2, 0.3, 0.4 }, position = { -2.5, 0, 0 }, angular_velocity = { 3, 48, 14 } }
sys:defaults { solver = "lagrange", step = 0.01, duration = 7 }
return sys
LUA
cat >lifted.lua <<'LUA'
-- lifted.lua: a stone
local scene = require "holonom.scene"
local lift = scene.param("lift", 0.25, "how high it starts")
local sys = scene.system { gravity = { 0, -9.81, 0 } }
sys:particle { name = "stone", mass = 1, position = { 0, lift, 0 } }
sys:defaults { solver = "lagrange", step = 0.01, duration = 0.1 }
return sys
LUA
cat >table.lua <<'LUA'
local study = require "holonom.study"
return study { scene = "pendulum", solvers = "impulse-sle", steps = { 0.02, 0.01 }, duration = 0.5,
               show = { "step", "error", "energy_error" } }
LUA

run list solvers; cp out solvers.txt; run list solvers --json; cp out solvers.json
for solver in impulse-gs lagrange xpbd moreau; do
  run list parameters $solver --json; cp out $solver.json
done
run list parameters ./lifted.lua --json; cp out lifted.json
run rank bricard; cp out bricard.txt; run rank bricard --json; cp out bricard.json
run run ./brick.lua --model brick.json --quiet; exits "a model" 0
run converge --all ./top.lua --solvers lagrange,taylor --output orders.csv --json; exits "orders" 0; cp out orders.json
run converge double_pendulum --solver impulse-sle --steps 0.02,0.01,0.005 --output converge.csv --json; exits "converge" 0
cp out converge.json
run sweep ./table.lua --output table.csv --quiet; exits "a study" 0
run sweep ./table.lua; exits "its table" 0; cp out table.txt
run run walking_ground --solver impulse-contact --duration 0.02 --json; cp out unknown.json # it reports no joint forces
run compare chain8 --duration 0.1 --solvers lagrange --budget 100 --json; cp out budget.json
run compare chain8 --duration 0.1 --solvers lagrange --output report --quiet; exits "a report" 0
python3 "$top/tests/cli/listings.py" >seen 2>err; counts "all listings were compared" $?

echo "# ranks, options, messages"
run rank ./doors.lua; has "a gap of 100 is not clear-cut" out '^gap .*(not clear-cut)$'
run rank bricard; hasnt "one of 1e14 is" out 'not clear-cut'
refused "a time before the start" "must be a time of 0 or more" compare brick.lua --at -0.1
run run "$(printf 'a\033[31mb\007')"; exits "a name with control characters" 2
[ "$(LC_ALL=C tr -d '\040-\176\n' <err | wc -c)" -eq 0 ]; verdict "they are not in the message" $?
hash_of() { run run chain8 --duration 0.05 --json "$@"; sed -n 's/^ *"hash": "\(.*\)",*$/\1/p' out; }
option=$(hash_of --solver impulse-sle --tolerance 1e-3) spec=$(hash_of --solver impulse-sle:tolerance=1e-3) plain=$(hash_of --solver impulse-sle)
[ -n "$option" ] && [ "$option" = "$spec" ] && [ "$option" != "$plain" ]; verdict "a parameter as an option reaches the solver" $? "$option $spec $plain"
cp brick.lua "it's.lua"
run compare "./it's.lua" --solvers moreau --output quoted --quiet; exits "a scene with a quote in its name" 0
has "its title is one text" quoted/energy.gp "^set title .*it''s"
finish
