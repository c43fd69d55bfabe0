#!/bin/sh
# modes.sh - equilibrium and modes: tables, JSON, drawings and animations, and refusals. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"

near() { # NAME MEASURED EXPECTED BOUND
  awk -v a="$2" -v b="$3" -v r="$4" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && d <= r) }'
  verdict "$1: $2, expected $3 to $4" $?
}
value() { # KEY N : prints the Nth number of that name in out
  sed -n "s/^ *\"$1\": \([-0-9.e+]*\),*\$/\1/p" out | sed -n "$2p"
}
narrow() { # NAME : no line of out is longer than 80
  [ "$(awk 'length > 80' out | wc -l)" -eq 0 ]; verdict "$1: lines of 80 columns" $?
}

# Two particles of 2 kg on rods of 0.5 m: w^2 = g / l (2 -+ sqrt 2), in two planes.
cat >two.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system {}
local a = sys:particle { name = "a", mass = 2, position = { 0.5, 0, 0 } }
local b = sys:particle { name = "b", mass = 2, position = { 1, 0, 0 } }
sys:distance { sys.ground, a, at_a = { 0, 0, 0 }, name = "upper" }
sys:distance { a, b, name = "lower" }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
LUA
cat >fall.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system {}
sys:particle { name = "a", mass = 2, position = { 0, 0, 0 } }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
LUA

echo "# equilibrium"
run equilibrium ./two.lua; exits "a hanging chain" 0; narrow "its table"
has "stable directions" out '^  stable  *4 '; has "force of the upper rod" out '^upper .*39.2400'
run equilibrium ./two.lua --json; exits "its JSON" 0
near "depth" "$(sed -n '/"position"/,/]/p' out | sed -n 6p | tr -d ' ,')" 0 1e-9
has "unique forces" out '"unique": true'
run equilibrium four_bars; has "redundant joints" out 'not unique'
run equilibrium ./fall.lua; exits "no equilibrium" 1; has "its words" err 'nothing balances the forces'
run equilibrium ./fall.lua --json; exits "the same in JSON" 1; has "not found" out '"found": false'

echo "# modes"
run modes ./two.lua --equilibrium --json; exits "modes" 0
near "first frequency, Hz" "$(value frequency 1)" 0.539559433 1e-8
near "third, Hz" "$(value frequency 3)" 1.302611700 1e-8
has "conservative" out '"conservative": true'
run modes ./two.lua --equilibrium; exits "their table" 0; narrow "their table"; has "a row" out '^ *1  *0.53955943 .* b$'
run modes ./two.lua; exits "at the start" 0; has "no equilibrium" out 'the state is no equilibrium'
run modes ./two.lua --at 0.1; exits "at a time" 0; has "its solver" out 'at t = 0.1 s, by impulse-sle'
run modes ./two.lua --at 0.5 --solver impulse-gs:iterations=1; exits "a run that fails" 1
run modes ./fall.lua --equilibrium; exits "without equilibrium" 1

echo "# drawings"
run modes ./two.lua --equilibrium --mode 2 --output mode.glb; exits "an animation" 0
[ "$(head -c 4 mode.glb)" = glTF ]; verdict "glTF" $?
if command -v gnuplot >/dev/null; then
  run modes ./two.lua --equilibrium --mode 3 --output mode.svg; exits "a drawing" 0; has "SVG" mode.svg '<svg'
  run equilibrium ./two.lua --output rest.svg; exits "a drawing of the equilibrium" 0; has "SVG" rest.svg '<svg'
fi

echo "# refusals"
refused "a mode that is none" "there are 4 modes" modes ./two.lua --mode 5
refused "no number of a mode" "mode" modes ./two.lua --mode 0
refused "a file of another type" "a figure is a" modes ./two.lua --output mode.txt
refused "too many bodies" "the maximum of this analysis" modes cubes1000
refused "a negative time" "must be a time of 0 or more" modes ./two.lua --at -1
finish
