#!/bin/sh
# outcomes.sh - what the command tells of runs whose figures mean nothing, of those that were cut short, and of what it
# will not try. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/..}" && pwd)/tests/lib.sh"

echo "# work and limits"
cat >spring.lua <<'LUA'
-- spring.lua: a mass on a spring
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 } }
local p = sys:particle { name = "p", position = { 1.5, 0, 0 }, mass = 1 }
sys:spring { sys.ground, p, at_a = { 0, 0, 0 }, at_b = { 1.5, 0, 0 }, stiffness = 10, length = 1, name = "spring" }
sys:defaults { solver = "lagrange", step = 0.01, duration = 0.1 }
return sys
LUA
run run ./spring.lua --json; has "work tells forces" out '^    "forces": [1-9]'
run run ./spring.lua; has "and so does the table" out '^forces  *12.00 '
timeout -s KILL 60 "$HOLONOM" run chain --set n=6000 --linear dense --duration 0.01 >out 2>err; status=$?
exits "a dense matrix of 18 000 rows" 1; has "is refused" err 'linear=dense takes at most 16384 rows'

finish
