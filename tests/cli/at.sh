#!/bin/sh
# at.sh - run --at: states between the steps in the table, the JSON and the record; the run does not change. Needs HOLONOM,
# the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"

column() { # NAME FILE : prints the values of a column
  awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name || $i == "\"" name "\"") c = i; next } { print $c }' "$2"
}
near() { # NAME MEASURED EXPECTED BOUND
  awk -v a="$2" -v b="$3" -v r="$4" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && d <= r) }'
  verdict "$1: $2, expected $3 to $4" $?
}

# A mass on a vertical guide falls: x = -g t^2 / 2 between the steps too, whatever the step.
cat >fall.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -10, 0 } }
sys:body { name = "b", position = { 0, 0, 0 }, mass = 1, inertia = { 1, 1, 1 } }
sys:defaults { solver = "impulse-sle", step = 0.1, duration = 1 }
return sys
LUA

echo "# the run does not change"
for solver in impulse-sle lagrange:stepper=rk8pd,stabilisation=projection taylor generalised-alpha ida; do
  run run double_pendulum --solver $solver --duration 0.5 --json --output plain.csv
  grep '"hash"' out >plain; cp out plain.json
  run run double_pendulum --solver $solver --duration 0.5 --at 0.1234,0.2,0.4567 --json --output at.csv
  exits "$solver" 0
  grep '"hash"' out >hash; cmp -s plain hash; verdict "$solver: the same hash" $?
  grep -v '^,' at.csv | cmp -s - plain.csv; verdict "$solver: the same rows of the steps" $?
  [ "$(grep -c '^,' at.csv)" -eq 2 ]; verdict "$solver: two rows between the steps" $?
done

echo "# times and values"
run run ./fall.lua --at 0,0.05,0.25,1 --output fall.csv --every 4 --json; exits "a fall" 0
[ "$(column time fall.csv | tr '\n' ' ')" = "0 0.05 0.25 0.4 0.8 1 " ]; verdict "rows of the record" $? "$(column time fall.csv | tr '\n' ' ')"
[ "$(column step fall.csv | tr '\n' ' ')" = "0   4 8 10 " ]; verdict "rows between steps have no number" $?
near "height at 0.25 s" "$(column b.y fall.csv | sed -n 3p)" -0.3125 1e-14
near "velocity at 0.25 s" "$(column b.vy fall.csv | sed -n 3p)" -2.5 1e-14
run run ./fall.lua --at 0.3 --every 4 --output end.csv --quiet
[ "$(column time end.csv | tr '\n' ' ')" = "0 0.30000000000000004 0.4 0.8 1 " ]; verdict "a time at the end of a step" $? "$(column time end.csv | tr '\n' ' ')"
run run ./fall.lua --at 0.1:0.9:5; exits "a range" 0; has "its table" out '^0.3 b  *0.*-0.45'
[ "$(sed -n '/^t, s; body/,/^centre/p' out | awk 'length > 80' | wc -l)" -eq 0 ]; verdict "lines of 80 columns" $?
run run double_pendulum --solver lagrange --at 0.123 --json; has "joint forces" out '"multipliers"'

echo "# refusals"
refused "a negative time" "must be a time of 0 or more" run ./fall.lua --at -0.1
refused "no number" "must be a time of 0 or more" run ./fall.lua --at nan
refused "no list" "at" run ./fall.lua --at 0.1,,0.2
refused "a time beyond the end" "the run ends at 1 s" run ./fall.lua --at 0.5,1.5
refused "the same time twice" "must ascend, but 0.2 follows 0.2" run ./fall.lua --at 0.2,0.2
refused "times that descend" "must ascend, but 0.1 follows 0.2" run ./fall.lua --at 0.2,0.1
refused "too many times" "the maximum is 10000" run ./fall.lua --at 0.1:0.9:10001
refused "checkpoints" "cannot be combined" run ./fall.lua --at 0.2 --checkpoint 1 --output c.csv
finish
