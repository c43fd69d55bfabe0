#!/bin/sh
# sensitivity.sh - derivatives of the end of a run by parameters, against closed forms. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"

# A mass on a guide with a spring, y = -1 - (m g / k) (1 - cos w t); a body that falls; a small pendulum.
cat >spring.lua <<'LUA'
local scene = require "holonom.scene"
local k, m = scene.param("k", 50.0, "stiffness"), scene.param("m", 2.0, "mass")
local g, l = scene.param("g", 10.0, "gravity"), scene.param("l", 0.5, "length")
local n = scene.param("n", 1, "whole")
local sys = scene.system { gravity = { 0, -g, 0 } }
local b = sys:particle { name = "b", mass = m, position = { 0, -1, 0 } }
sys:particle { name = "f", mass = m, position = { 3, 0, 0 } }
local p = sys:particle { name = "p", mass = m, position = { 1e-4 * l, -l * math.sqrt(1 - 1e-8), 0 } }
sys:point_on_line { sys.ground, b, at = { 0, -1, 0 }, axis = { 0, 1, 0 } }
sys:distance { sys.ground, p, at_a = { 0, 0, 0 } }
sys:spring { sys.ground, b, at_a = { 0, 0, 0 }, stiffness = k, length = 1 }
sys:defaults { solver = "taylor:order=16", step = 0.02, duration = 0.7 }
return sys
LUA

value() { # PARAMETER ROW COLUMN : the number in that row of the table of the parameter
  awk -v p="by $1 =" -v r="$2" -v c="$3" 'index($0, p) { on = 1 } /^$/ { on = 0 } on && index($0, r) == 1 { print $(c + 2) }' out
}
near() { # NAME MEASURED EXPECTED BOUND
  awk -v a="$2" -v b="$3" -v r="$4" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && d <= r) }'
  verdict "$1: $2, expected $3 to $4" $?
}

echo "# closed forms"
run sensitivity ./spring.lua --parameters k,m,g,l; exits "four parameters" 0
near "y by k" "$(value k 'b, position' 2)" 0.020402618686 1e-9
near "y by m" "$(value m 'b, position' 2)" -0.51006546715 1e-8
near "y by g" "$(value g 'b, position' 2)" -0.077458267492 1e-9
near "fall by g" "$(value g 'f, position' 2)" -0.245 1e-9
near "its velocity by g" "$(value g 'f, velocity' 2)" -0.7 1e-9
# Small pendulum x = 1e-4 l cos(w t), w = sqrt(g / l): dx/dl = 1e-4 (cos w t + w t sin(w t) / 2), to 1e-8 of it
near "small pendulum by its length" "$(value l 'p, position' 1)" "$(awk 'BEGIN { w = sqrt(20); t = 0.7; printf "%.12g", 1e-4 * (cos(w * t) + 0.5 * w * t * sin(w * t)) }')" 1e-11
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ]; verdict "lines of 80 columns" $?

echo "# by the steps of another solver"
run sensitivity ./spring.lua --parameters k --solver impulse-sle:tolerance=1e-13 --step 0.01; exits "impulse-sle" 0
near "its derivative has the error of order 2" "$(value k 'b, position' 2)" 0.0204026 1e-5
run sensitivity ./spring.lua --parameters l --solver lagrange --json; exits "JSON" 0; has "joint forces" out '"torque"'

echo "# refusals"
refused "no parameters" "parameters NAME" sensitivity ./spring.lua
refused "a parameter that is none" "has no parameter nothing" sensitivity ./spring.lua --parameters nothing
run sensitivity ./spring.lua --parameters n; exits "a whole number" 2; has "its words" err 'must be an integer'
run sensitivity pendulum --parameters length --solver impulse-gs:iterations=1 --step 0.5; exits "a run that fails" 1
finish
