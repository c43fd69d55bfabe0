#!/bin/sh
# outcomes.sh - output of the command for diverged, interrupted and refused runs. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"

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
run run ./spring.lua --json; has "the table of work has forces" out '^    "forces": [1-9]'
run run ./spring.lua; has "the printed table has forces" out '^forces  *[1-9][0-9.]*  *[1-9]'
timeout -s KILL 60 "$HOLONOM" run chain --set n=6000 --linear dense --duration 0.01 >out 2>err; status=$?
exits "a dense matrix of 18 000 rows" 1; has "it is refused" err 'linear=dense takes at most 16384 rows'

echo "# runs that diverge"
diverges() { # NAME WHY ARGUMENTS... : a run that diverges with explanation WHY, and its record
  name=$1; why=$2; shift 2
  run run "$@" --output diverged.csv --json; exits "$name" 1
  has "the reason is diverged" out '"reason": "diverged"'; has "the explanation is printed" err ": diverged: $why"
  steps=$(sed -n 's/^  "steps": \(.*\),$/\1/p' out)
  [ "$(wc -l <diverged.csv)" -eq $((steps + 2)) ]; verdict "its $steps steps are recorded" $?
}
diverges "a cart of 1 mg" "the energy is off by" \
  cart_pole --set M=1e-6 --duration 1 --step 0.001 --solver lagrange:stepper=rk4
diverges "one step of 1000 s" "the energy is off" pendulum --solver taylor --step 1000 --duration 1000
diverges "steps of 10 s" "the energy is off" pendulum --solver lagrange --step 10 --duration 100
cat >spun.lua <<'LUA'
-- spun.lua: a free body that turns at 1e6 rad/s about no principal axis
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 } }
sys:body { name = "b", position = { 1, 0, 0 }, mass = 1, inertia = { 0.5, 1, 0.8 }, angular_velocity = { 1e6, 1e6, 1e6 } }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
LUA
diverges "a body at 1e6 rad/s by rk4" "the energy is off" ./spun.lua --flight rk4
run run ./spun.lua --flight exact --json; has "diverged by an exact flight" out '"reason": "converged"'
cat >driven.lua <<'LUA'
-- driven.lua: a pendulum that a force tears off where the solver is too coarse; its energy is not conserved
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local b = sys:particle { name = "b", position = { 1, 0, 0 }, mass = 1 }
sys:distance { sys.ground, b, name = "rod" }
sys:force { b, at = { 1, 0, 0 }, force = { 1, 0, 0 } }
sys:defaults { solver = "lagrange", step = 10, duration = 100 }
return sys
LUA
diverges "a driven pendulum, by its joint" 'joint "rod" is off by .* m, more than the size of the mechanism' ./driven.lua
diverges "a ram of oil far stiffer than the step of an explicit method can see" 'joint ".*" is off by .* m, more than' \
  truck --solver taylor --duration 1.2
run run broken --solver xpbd --duration 0.1; exits "violated joints at the start" 0
echo "# joint errors after steps: that of the start, 0.1 m, is not among them"
for solver in impulse-sle impulse-gs xpbd; do
  run run broken --solver $solver --duration 0.1 --output apart.csv --json; cp out apart.json
  awk -F, -v json="$(sed -n 's/.*"position_max": \([^,]*\),*/\1/p' apart.json | head -n 1)" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "position_error") column = i }
    NR == 2 { start = $column }  NR > 2 && $column > most { most = $column }
    END { printf "#   start %s m, largest after a step %s m, reported %s m\n", start, most, json
          exit !(start > 0.0999 && json + 0 == most + 0 && most < 0.05) }' apart.csv
  verdict "$solver: the largest after any step, in JSON" $?
done
run run broken --solver impulse-sle --duration 0.1; has "and in the summary" out '^joint error  *[0-9.]*e-1[0-9]  *m, rad'

run run free_top --duration 1 --json; has "a free flight does not diverge" out '"reason": "converged"'

echo "# warnings"
run run four_bars --set n=1 --duration 5 --step 0.015 --json \
  --solver lagrange:stepper=rk8pd,stabilisation=projection,redundancy=remove; cp out jumped.json
has "a singular position passed on another branch: the reason" jumped.json '"reason": "singular"'
has "and the explanation" jumped.json 'at a singular position (joints nearly dependent: .*) the energy jumps by 0.0057 J'
run run four_bars --set n=1 --duration 5 --step 0.01 --json \
  --solver lagrange:stepper=rk8pd,stabilisation=projection,redundancy=remove
has "the right branch does not diverge" out '"warnings": \[\]'
cat >fast.lua <<'EOF'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
sys:body { name = "floor", fixed = true, position = { 0, -500, 0 }, shape = scene.box { 1000, 1000, 1000 } }
sys:body { name = "ball", position = { 0, 0.5, 0 }, velocity = { 0, -1e5, 0 }, density = 500,
           shape = scene.sphere { radius = 0.1 } }
sys:contact {}
sys:defaults { solver = "impulse-gs", step = 0.01, duration = 0.05 }
return sys
EOF
cat >spun.lua <<'EOF'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } },
           friction = 0.2 }
sys:body { name = "box", position = { 0, 0.01, 0 }, angular_velocity = { 0, 500, 0 }, density = 500,
           shape = scene.box { 0.2, 0.02, 0.2 }, friction = 0.2 }
sys:contact {}
sys:defaults { solver = "tgs-soft", step = 0.04, duration = 0.4 }
return sys
EOF
run run fast.lua; exits "a ball faster than its size in a step" 0
has "a warning about its penetration" out '^warning: shapes penetrate each other by up to 0.6 m, more than the radius'
run run fast.lua --step 1e-6 --duration 1e-5
hasnt "none at a small step" out '^warning: shapes penetrate'
run run spun.lua; has "a warning about energy out of nothing" out '^warning: the energy rises by .* J, .* times the energies'
run run spun.lua --step 1e-4 --duration 0.01; hasnt "none if the spin is resolved" out '^warning: the energy rises'
run run pendulum --duration 1.2 --step 0.5 --solver lagrange; exits "large steps" 0
has "a warning about their drift" out '^warning: joints are off by up to 2[0-9] % of the size of the mechanism, 1 m'
has "a warning about their error" out '^warning: the error is [23][0-9] % of the size of the mechanism, or of the way'
has "a warning about their energy" out '^warning: the energy error is 2[0-9] % of the energies in play'
cat >against.lua <<'LUA'
local scene = require "holonom.scene"
local sys, o, x = scene.system {}, { 0, 0, 0 }, { 1, 0, 0 }
local b = sys:body { mass = 2, inertia = { 1, 1, 1 }, position = o }
sys:slider { sys.ground, b, at = o, axis = x, upper = 1 }
sys:motor_position { sys.ground, b, at = o, axis = x, motion = 1 }
return sys
LUA
run run ./against.lua --solver xpbd --step 0.01 --duration 1.5; exits "a motor against a stop, by sweeps" 0
has "a warning about the motor" out '^warning: the rates of joints are off by [23][0-9] % of what the mechanism has moved'
run run ./against.lua --solver xpbd --step 0.01 --duration 4; exits "it finally diverges" 1
run compare pendulum --duration 10 --step 0.5 --solvers tgs-soft,taylor; has "compare lists the warning" out '^- warning: tgs-soft: the energy error is'
hasnt "no other warning" out 'warning: taylor'

echo "# numbers"
run run pendulum --duration 0.1 --tolerance 1e-6 --json
has "the shortest spelling in JSON" out '"tolerance": 1e-06,'; hasnt "no other spelling" out '99999999\|00000000'
run run ./spring.lua --step 1e-6 --duration 3e-6; has "the spelling in a summary" out '^3 steps of 1e-06 s to t = 3e-06 s'

echo "# --quiet"
run compare pendulum --duration 0.1 --solvers lagrange,impulse-sle --quiet; exits "compare --quiet" 0
has "compare --quiet prints its tables" out '^lagrange  *converged'; [ "$(wc -l <out)" -eq 7 ]; verdict "compare --quiet prints nothing else" $?
run converge pendulum --duration 1 --steps 0.1,0.05 --quiet; [ "$(wc -l <out)" -eq 3 ]; verdict "converge --quiet" $?
run rank chain8 --quiet; [ "$(wc -l <out)" -eq 5 ]; verdict "rank --quiet" $?

echo "# a second report into a directory"
mkdir report; echo mine >report/mine.txt; echo mine >report/errors_mine.csv
run compare pendulum --duration 0.1 --solvers lagrange,impulse-sle,taylor --norm max --output report
[ -s report/errors.csv ] && [ -s report/errors.svg ]; verdict "the first report has errors over time" $?
[ "$(cut -d, -f1 report/series.csv | sort -u | wc -l)" -eq 4 ]; verdict "the first report has three solvers" $?
run compare pendulum --duration 0.1 --solvers impulse-gs --output report; exits "the second report" 0
[ ! -e report/errors.csv ] && [ ! -e report/errors.svg ]; verdict "no figure of the first report remains" $?
cat report/*.csv >list; hasnt "no solver of the first report remains" list 'lagrange\|taylor\|impulse-sle'
has "the second report has its figures" report/series.csv '^impulse-gs,'
[ -s report/mine.txt ] && [ -s report/errors_mine.csv ]; verdict "other files remain" $?
echo mine >>report/report.md
run compare pendulum --duration 0.1 --solvers taylor --output report; exits "a report that would overwrite a file that was edited" 2
has "the message names both" err 'report/report.md was not made by a report, or has changed since: it is kept, and the new report is in report.part'
[ "$(tail -n 1 report/report.md)" = mine ] && [ -s report.part/report.md ] && [ -s report/series.csv ]; verdict "both reports remain" $?
mkdir thesis; echo mine >thesis/thesis.tex; echo thesis.tex >thesis/files.txt
run compare pendulum --duration 0.1 --solvers taylor --output thesis; exits "a files.txt of another origin" 2
[ "$(ls thesis | tr '\n' ' ')" = "files.txt thesis.tex " ] && [ ! -e thesis.part ]; verdict "nothing there was touched" $?

echo "# an interrupted comparison"
interrupted() { # ARGUMENTS... : runs the command and interrupts it after a second
  "$HOLONOM" "$@" >out 2>err &
  pid=$!
  sleep 1
  stops $pid
}
solvers=impulse-gs:tolerance=1e-3,lagrange,taylor,xpbd,impulse-sle,tgs-soft
interrupted compare chain8 --duration 1e5 --step 0.01 --steps 0.01,0.005 --solvers $solvers; exits "compare" 1
hasnt "no rows of solvers that were not run" out '^tgs-soft'; has "the number of finished runs is printed" err 'interrupted: [0-5] of 6 solvers were run'
interrupted compare chain8 --duration 1e5 --step 0.01 --solvers $solvers --json; exits "compare --json" 1
hasnt "none in JSON" out '"spec": "tgs-soft"'
interrupted converge chain8 --duration 1e5 --steps 0.01,0.005,0.0025 --reference self; exits "converge" 1
[ "$(grep -c interrupted out)" -le 1 ]; verdict "at most one row of the interrupted run" $?

finish
