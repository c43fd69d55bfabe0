#!/bin/sh
# cli.sh - the command `holonom` for its users: exit statuses, errors, JSON, files. Needs HOLONOM, the command. JSON is
# validated by the command itself: `converge --reference FILE` parses FILE with Jansson, with different messages for a
# syntax error (FILE:line) and for a value that is not a run.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
sources=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$sources/tests/support/lib.sh"
is_json() { # NAME FILE
  "$HOLONOM" converge pendulum --duration 1 --reference "$2" >/dev/null 2>syntax
  ! grep -q -e "$2:[0-9]" syntax; verdict "$1 is JSON" $? "$(cat syntax)"
}
keys_in_order() { # NAME FILE KEY... : the top-level keys (indented by two), in this order
  name=$1; file=$2; shift 2
  found=$(sed -n 's/^  "\([a-z_]*\)":.*/\1/p' "$file" | tr '\n' ' ')
  [ "$found" = "$* " ]; verdict "$name" $? "keys are: $found"
}
without_cost() { # FILE: the JSON without measured times
  sed -e '/"wall_s"/d' -e '/"us_per_step"/d' "$1"
}

echo "# help and version"
run --help; exits "--help" 0; has "--help names the commands" out "converge"
run --version; exits "--version" 0; has "--version prints a number" out '^holonom [0-9]'
has "CITATION.cff has this version" "$sources/CITATION.cff" "^version: $(sed 's/^holonom //' out)\$"
for command in run compare converge list check; do
  run $command --help; exits "$command --help" 0; has "$command --help prints its usage" out "^Usage: holonom $command"
done

echo "# usage errors: status 2, one line"
refused "no command" "which command"
refused "unknown command" 'did you mean "run"' rnu pendulum
refused "missing scene" "usage: holonom run SCENE" run
refused "extra argument" "unexpected argument" run pendulum again
refused "unknown option" 'did you mean "--duration"' run pendulum --durtion 1
refused "unknown letter" "no option -x" run pendulum -x
refused "option of another command" "no option --solvers" run pendulum --solvers impulse-gs
refused "option without its value" "needs a value" run pendulum --step
refused "value for a flag" "takes no value" run pendulum --json=3
refused "unknown solver" 'impulse-sle' run pendulum --solver impulse-sel
refused "unknown setting" 'tolerance' run pendulum --solver impulse-sle:tolerence=1e-9
refused "setting out of range" 'tolerance' run pendulum --solver impulse-sle:tolerance=-1
refused "unknown scene" 'pendulum' run pendulm
refused "unknown parameter of a scene" '"n"' run chain --set m=3
refused "--set without a value" "NAME=VALUE" run chain --set n
refused "negative step" "greater than zero" run pendulum --step -0.01
refused "zero duration" "greater than zero" run pendulum --duration 0
refused "step with trailing text" "not a number" run pendulum --step 0.01s
refused "infinite step" "not a number" run pendulum --step inf
refused "empty step" "not a number" run pendulum --step ''
refused "more steps than can be counted" "too many" run pendulum --step 1e-300
refused "too many steps in --steps" "too many" compare pendulum --steps 1e-300
refused "a path of two lines: the error has one" "no?such.lua: cannot read" run "./no
such.lua"
refused "division by zero" "not a number" run pendulum --step 1/0
refused "empty piece in --steps" "empty value" converge pendulum --steps 0.1,,0.05
refused "one step only" "at least two" converge pendulum --steps 0.1
refused "step longer than the duration" "longer than the duration" converge pendulum --duration 1 --steps 2,1
refused "step longer than the duration in compare" "longer than the duration" compare pendulum --duration 1 --steps 2,1
refused "empty name in --solvers" "empty name" compare pendulum --solvers impulse-gs,,lagrange
refused "unknown solver without a run" 'no solver "nosuch"' rank chain8 --solver nosuch
refused "setting out of range without a run" 'redundancy must be one of' rank chain8 --redundancy never
refused "unknown solver in --solvers" "impulse-gs" compare pendulum --solvers impulse-gs,impulse-g
refused "unknown listing" 'did you mean "solvers"' list solver
refused "unknown name of parameters" 'did you mean "impulse-sle"' list parameters impulse-sel
refused "list parameters without a name" "missing name of" list parameters
refused "missing reference" "missing.json" converge pendulum --reference missing.json
echo '{ "a": ' >broken.json
refused "reference that is not JSON" "broken.json:" converge pendulum --reference broken.json
echo '[1, 2]' >other.json
refused "reference that is not a run" "not the output of holonom run" converge pendulum --reference other.json

echo "# unwritable outputs are detected before the run"
refused "record in a missing directory" "cannot write" run pendulum --duration 1e9 --output missing/x.csv
refused "unknown kind of record" "must end in .csv, .h5 or .glb" run pendulum --output x.mat
mkdir folder.csv
refused "record that is a directory" "is a directory" run pendulum --output folder.csv
echo kept >plain
refused "report at the path of a file" "is a file" compare pendulum --output plain
refused "report below a file" "cannot" compare pendulum --output plain/report
has "the file is unchanged" plain '^kept$'

echo "# run"
run run pendulum --duration 1; exits "run" 0
[ ! -s err ]; verdict "a converged run prints nothing on stderr" $?
has "run prints the reason" out converged
run run pendulum --duration 1 --quiet; exits "run --quiet" 0
[ ! -s out ]; verdict "--quiet prints nothing" $?
run run double_pendulum --duration 1 --json; exits "run --json" 0; cp out one.json
run run double_pendulum --duration 1 --json; cp out two.json
is_json "run" one.json
has "run reports that energy is conserved" one.json '"conserved": true'
run run walking_machine --duration 0.05 --json
has "run reports that it is not, if forces depend on time and speed" out '"conserved": false'
keys_in_order "keys of run" one.json scene solver options step steps time reason error errors joint_error energy iterations \
  warnings work hash bodies cost
for key in position_max velocity_max initial final error_max position_mean velocity_mean halvings residuals jacobians jets \
  velocity_residuals accelerations flights sweeps impulses factorisations solves impulses_per_step min mean max \
  orientation angular_velocity wall_s us_per_step; do
  has "run has $key" one.json "\"$key\":"
done
without_cost one.json >a; without_cost two.json >b
cmp -s a b; verdict "two runs differ in cost only" $?
has "the hash has 16 hexadecimal digits" one.json '"hash": "[0-9a-f]\{16\}"'
hasnt "a step that divides the duration has no last_step" one.json last_step
run run double_pendulum --duration 1 --json --solver lagrange; has "lagrange has joint forces" out '"force":'
keys_in_order "keys of run with forces" out scene solver options step steps time reason error errors joint_error energy \
  iterations warnings work hash bodies joints cost
run run pendulum --step 0.03 --duration 1; exits "step that does not divide" 0
has "it is reported" out "does not divide the duration: the last step is 0.01"
run run pendulum --step 0.03 --duration 1 --json; has "last_step in JSON" out '"last_step": 0.01'
has "the final time is the duration" out '"time": 1.0,'
run run pendulum --step 1/30 --duration 1 --json; has "a fraction as step" out '"steps": 30,'
run run chain --set n=3 --duration 0.1 --json; exits "--set" 0; has "--set is in the printed options" out '"n": 3'
run run pendulum --duration 1 --output record.csv; exits "run --output" 0
has "errors have three digits" out '^error *0\.000293  *m '; has "positions have as many digits as are significant" out '^bob *-0\.98634  -0\.16472  0\.00000$'
[ "$(wc -l <record.csv)" -ge 3 ]; verdict "the record has lines" $?
[ ! -e record.csv.part ]; verdict "no temporary file remains" $?

echo "# outcomes: status 1, results kept"
run run box_pendulum --step 0.5 --output stalled.csv; exits "a stalled run" 1
has "the explanation is printed" err '^holonom: .*stalled'
[ -s stalled.csv ]; verdict "its record exists" $?
[ "$(awk -F, 'NR == 1 { n = NF } NF != n' stalled.csv | wc -l)" -eq 0 ]; verdict "its lines are complete" $?
run run box_pendulum --step 0.5 --json; exits "a stalled run with --json" 1; is_json "a stalled run" out
has "reason in JSON" out '"reason": "stalled"'; has "explanation in JSON" out '"explanation": "'
cat >fast.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 } }
sys:particle { position = { 1, 0, 0 }, mass = 1, velocity = { 1e200, 0, 0 } }
return sys
LUA
run run ./fast.lua --json --output fast.csv; exits "an energy that is not finite" 1
has "reason not-finite" out '"reason": "not-finite"'
hasnt "no nonfinite number in the record" fast.csv '[,-]\(inf\|nan\)'
run run box_pendulum --step 0.5 --halvings 6; exits "a step that stalls, halved" 0
has "the halved step is recorded" out "halved: [1-9]"
run run cuboid28 --solver impulse-sle --duration 0.1 --json; exits "redundant constraints" 1
has "reason singular" out '"reason": "singular"'

"$HOLONOM" run pendulum --output closed.csv >&- 2>err; status=$?
exits "a closed standard output" 2; has "it is reported" err "cannot write to standard output"
[ "$(awk -F, 'NR == 1 { n = NF } NF != n' closed.csv | wc -l)" -eq 0 ]; verdict "no report on the record's stream" $?

echo "# control and records of joints"
cat >control.lua <<'LUA'
local scene = require "holonom.scene"
local late = scene.param("late", 1.0, "when control fails, s")
local sys = scene.system {}
local arm = sys:body { name = "arm", position = { 0.5, 0, 0 }, mass = 1, inertia = { 1, 1, 1 } }
sys:hinge { sys.ground, arm, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = "elbow" }
sys:motor { sys.ground, arm, axis = { 0, 0, 1 }, target = 0, gain = 20, limit = 50, name = "motor" }
sys:control(function(t, s)
  if t > late then s:set("moter", 1) end
  s:set("motor", 2 - s:value("elbow"))
end)
sys:defaults { solver = "lagrange", step = 0.01, duration = 0.2 }
sys:expect { drift = 1e-3 }
return sys
LUA
run run ./control.lua --json --output joints.csv --record-joints; exits "a scene with control" 0; is_json "control" out
has "coordinates of joints in JSON" out '"coordinates": {'; has "torques of joints in JSON" out '"torque": \['
has "torques in the record" joints.csv '"elbow.angle","elbow.angle_rate","elbow.force_x"'
[ "$(awk -F, 'NR == 1 { n = NF } NF != n' joints.csv | wc -l)" -eq 0 ]; verdict "lines of the record are complete" $?
run run ./control.lua --json; without_cost out >b; run run ./control.lua --json; without_cost out >a
cmp -s a b; verdict "two runs with control are equal" $?
run run ./control.lua --solver impulse-sle --output joints.csv --record-joints; exits "a solver without forces" 0
hasnt "a solver without forces has no columns of forces" joints.csv "elbow.force"
run compare ./control.lua --solvers impulse-sle,taylor --json; exits "compare with control" 0
run converge ./control.lua; exits "converge with control" 0
run check ./control.lua; exits "check with control" 0
refused "an error in control" 'control.lua:8: set: no force or motor "moter"; did you mean "motor"? (control at t = 0.11' \
  run ./control.lua --set late=0.1 --output late.csv
[ "$(wc -l <late.csv)" -eq 13 ]; verdict "the record up to the error exists" $? "$(wc -l <late.csv) lines"
for command in compare converge check; do
  refused "an error in control, $command" 'control.lua:8: ' $command ./control.lua --set late=0.1
done
refused "--record-joints without --output" "needs a record" run ./control.lua --record-joints

echo "# interruption"
for signal in INT TERM; do
  rm -f long.csv
  "$HOLONOM" run chain8 --duration 1e7 --output long.csv --json >out 2>err &
  pid=$!
  waits_for -s long.csv.part; sleep 0.3
  stops $pid $signal
  exits "SIG$signal" 1
  has "reason interrupted" out '"reason": "interrupted"'
  is_json "an interrupted run" out
  [ -s long.csv ]; verdict "the record exists" $?
  [ "$(awk -F, 'NR == 1 { n = NF } NF != n' long.csv | wc -l)" -eq 0 ]; verdict "its lines are complete" $?
done

echo "# converge"
run converge pendulum --solver impulse-sle:tolerance=1e-13 --duration 1 --steps 0.02,0.01,0.005,0.0025 --json
exits "converge --json" 0; cp out conv.json; is_json "converge" conv.json
keys_in_order "keys of converge" conv.json solver reference runs norm order orders declared_order scene duration options
has "the reference is that of the scene" conv.json '"reference": "scene"'
order=$(sed -n 's/^  "order": \(.*\),$/\1/p' conv.json)
awk -v order="$order" 'BEGIN { exit !(order > 1.9 && order < 2.1) }'; verdict "order $order, expected 2 +- 0.1" $?
run converge chain8 --duration 0.1 --steps 0.02,0.01,0.005 --json; exits "converge without a reference" 0
has "the reference is by the solver itself" out '"reference": "self"'
run run pendulum --duration 1 --step 0.0001 --solver lagrange --json; cp out fine.json
run converge pendulum --duration 1 --steps 0.02,0.01,0.005 --reference fine.json --output table.csv
exits "converge against a file" 0; has "the table has a head" table.csv '^step,error,us_per_step,reason,norm,orientation_error,velocity_error,force_error$'
refused "reference of another time" "give --duration" converge pendulum --duration 2 --reference fine.json
{ (trap '' XFSZ; ulimit -f 0; exec "$HOLONOM" converge pendulum --duration 1 --steps 0.02,0.01 --output full.csv); } \
  2>&1 | cat >out
has "a table that cannot be written" out 'cannot write full.csv.part'
[ ! -e full.csv ] && [ ! -e full.csv.part ]; verdict "no file remains" $?
run converge box_pendulum --duration 1 --steps 0.5,0.02,0.01,0.005 --json; exits "a failed step size does not fail the command" 0
has "a failed step size has a row" out '"reason": "stalled"'

echo "# compare"
run compare cuboid28 --duration 0.1 --solvers impulse-gs,impulse-sle --json; exits "compare with a failing solver" 0
is_json "compare" out; has "the failure is a row" out '"reason": "singular"'; has "the success is a row" out converged
keys_in_order "keys of compare" out scene step duration reference norm runs work_precision
run compare double_pendulum --duration 0.5 --solvers impulse-gs,impulse-sle:tolerance=1e-9,iterations=40,lagrange
exits "compare with settings" 0; has "commas inside a spec" out '^impulse-sle:tolerance=1e-9,iterations=40 '
run compare tree --set n=7 --linear ldl,dense --duration 0.1; exits "compare --linear" 0
has "its rows are linear solvers" out '^impulse-sle:linear=dense *converged'
[ "$(grep -c '^impulse-sle:linear=.*converged' out)" -eq 2 ]; verdict "a row for each linear solver" $?
run compare tree --set n=7 --solver lagrange:stepper=rk2 --linear ldl,dense --duration 0.1
exits "compare --solver --linear" 0; has "the solver is that of --solver" out '^lagrange:stepper=rk2,linear=dense *converged'
run compare pendulum --solvers impulse-sle,lagrange --linear ldl,dense --duration 0.1 --json; is_json "back ends" out
[ "$(grep -c '"spec": .*linear=' out)" -eq 4 ]; verdict "every solver of --solvers with every linear solver" $?
refused "an unknown linear solver" 'did you mean "cholmod"' compare tree --linear ldl,cholmud
refused "--linear twice" 'given twice' compare tree --linear ldl --linear dense
refused "--solver and --solvers" 'not both' compare tree --solver lagrange --solvers lagrange,impulse-gs
refused "a list instead of one linear solver" 'cannot contain a comma' run tree --linear ldl,dense
mkdir report; echo mine >report/mine.txt
run compare double_pendulum --duration 0.5 --output report; exits "compare --output" 0
for file in report.md drift.svg velocity_drift.svg energy.svg work.svg drift.gp work.gp series.csv work.csv mine.txt; do
  [ -s report/$file ]; verdict "report has $file" $?
done
[ ! -e report.part ]; verdict "no temporary directory remains" $?
hasnt "no path of the machine in the report" report/report.md "$dir"
cp -r report before
"$HOLONOM" compare chain8 --duration 1e6 --solvers impulse-sle --output report --quiet >out 2>err &
pid=$!
waits_for -d report.part; sleep 0.3
stops $pid
exits "an interrupted comparison" 1
has "reports that no report was written" err '^holonom: interrupted: no report is written'
diff -r before report >/dev/null; verdict "the earlier report is unchanged" $?
[ ! -e report.part ]; verdict "no temporary directory remains" $?
run compare pendulum --duration 0.1 --solvers lagrange --output single --quiet; exits "a report of one solver" 0
has "one file of each kind" single/report.md '^- 1 body, 1 joint, 1 constraint row$'
cat >'odd`a|b.lua' <<'LUA'
-- odd`a|b.lua: ticks ` and | bars
local scene = require "holonom.scene"
scene.param("note", "none", "a text")
local sys = scene.system { gravity = { 0, -9.81, 0 } }
sys:distance { sys.ground, sys:particle { position = { 1, 0, 0 }, mass = 1 } }
sys:defaults { solver = "lagrange", step = 0.01, duration = 0.1 }
return sys
LUA
run compare './odd`a|b.lua' --set 'note=x`y|
# z' --solvers lagrange --output odd --quiet; exits "a scene with special characters" 0
has "its name is escaped" odd/report.md '^# odd\\`a\\|b: 1 solver compared$'
has "a parameter is one code span" odd/report.md '^- parameter `note` = `` x`y| # z ``$'
run compare double_pendulum --duration 0.5 --output fresh/; exits "a report in a new directory" 0
[ -s fresh/report.md ]; verdict "the report exists" $?
mkdir fake; path=$PATH
printf '#!/bin/sh\nexit 1\n' >fake/gnuplot; chmod +x fake/gnuplot; PATH=$dir/fake:$path
refused "a missing gnuplot" "need gnuplot" compare double_pendulum --duration 0.5 --output nowhere
[ ! -e nowhere ] && [ ! -e nowhere.part ]; verdict "no report is written" $?
printf '#!/bin/sh\n[ "$2" = --version ]\n' >fake/gnuplot
run compare double_pendulum --duration 0.5 --output nowhere; exits "a gnuplot that fails" 2
has "the failing script is named" err "gnuplot failed on nowhere.part/drift.gp"
PATH=$path

echo "# converge --all"
run converge --all double_pendulum --solvers impulse-sle,lagrange --json; exits "converge --all" 0; cp out all.json
is_json "converge --all" all.json
keys_in_order "keys of converge --all" all.json scene duration judged reference solvers
for key in solver spec declared_order order orientation_order velocity_order force_order as_declared windows runs; do
  has "a solver has $key" all.json "^      \"$key\":"
done
fitted() { # NAME KEY DECLARED : every value of KEY in all.json, by solver, is within 0.2 of DECLARED (a list)
  found=$(sed -n "s/^      \"$2\": \(.*\),\$/\1/p" all.json | tr '\n' ' ')
  echo "$found" | awk -v want="$3" '{ n = split(want, w, " "); bad = n != NF
    for (i = 1; i <= n; i++) if (w[i] == "null" ? $i != "null" : $i == "null" || $i - w[i] > 0.2 || w[i] - $i > 0.2) bad = 1
    exit bad }'
  verdict "$1" $? "fitted $found, expected $3"
}
fitted "order of positions" order "2 4"
fitted "order of velocities" velocity_order "2 4"
fitted "order of joint forces: of solvers that report them" force_order "null 4"
fitted "no orientations of particles" orientation_order "null null"
[ "$(grep -c '"count": \([6-9]\|1[0-6]\)' all.json)" -eq 5 ]; verdict "every fit has at least six steps" $?
run converge --all double_pendulum --solvers impulse-sle,lagrange --json
without_cost out >a; without_cost all.json >b; cmp -s a b; verdict "two order studies differ in cost only" $?
run converge --all free_top --solvers impulse-sle,impulse-sle:flight=exact,lagrange; exits "a scene without joints" 0
has "an exact flight is at rounding" out '^impulse-sle:flight=exact .*round-off'
run converge --all cuboid28 --duration 0.1 --solvers impulse-sle --json; exits "an unsupported scene has no order" 1
tries=$(grep -c '"reason": "singular"' out); [ "$tries" -eq 6 ]; verdict "a singular start is tried $tries times" $?
run converge --all double_pendulum --solvers lagrange:adaptive=true,stepper=rkf45 --output all.csv
exits "an adaptive solver" 0; has "its sequence is of tolerances" out 'tolerance .* to 1e-13'
has "its runs are in the table" all.csv '^"lagrange:adaptive=true,stepper=rkf45",0,'
run converge --all double_pendulum --solvers lagrange --budget 3000 --json
costs=$(sed -n '/"solvers": /,$s/^ *"joint_operations": \([0-9]*\).*/\1/p' out | tr '\n' ' '); echo "# costs of a ladder: $costs"
echo "$costs" | awk '{ for (i = 1; i < NF; i++) if ($i > 3000) exit 1; exit !(NF > 2 && $NF > 3000) }'
verdict "a sequence ends with its first run above the budget" $?
for option in "--solver lagrange" "--step 0.1" "--steps 0.1,0.2" "--reference self"; do
  refused "--all with $option" "leave out ${option%% *}" converge --all double_pendulum $option
done
keeps_table() { # an interrupted converge leaves the earlier table, and no other file
  cp all.csv before.csv
  "$HOLONOM" converge "$@" --output all.csv --quiet >out 2>err &
  pid=$!
  waits_for -e all.csv.part; sleep 0.3
  stops $pid
  exits "an interrupted converge $1" 1
  has "reports that no table was written" err 'interrupted: no table is written, all.csv is as it was'
  cmp -s before.csv all.csv; verdict "the earlier table is unchanged" $?
  [ ! -e all.csv.part ]; verdict "no temporary file remains" $?
}
keeps_table --all chain8 --duration 1e6
keeps_table chain8 --duration 1e6 --steps 0.01,0.005
refused "--solvers without --all" "needs --all" converge double_pendulum --solvers lagrange
refused "unknown solver for --all" "impulse-sle" converge --all double_pendulum --solvers impulse-sel

echo "# budgets"
run run box_pendulum --budget 500 --output budget.csv --json; exits "a run out of budget" 1
has "reason budget" out '"reason": "budget"'; has "the explanation is printed" err 'the budget of 500 joint operations is spent'
steps=$(sed -n 's/^  "steps": \(.*\),$/\1/p' out)
[ "$(wc -l <budget.csv)" -eq $((steps + 2)) ]; verdict "its record exists" $? "$steps steps"
run run box_pendulum --budget 1e9; exits "a budget that suffices" 0
run compare double_pendulum --budget 20000 --solvers impulse-gs,impulse-sle,lagrange --json; exits "compare --budget" 0
is_json "compare --budget" out; cp out budget.json
keys_in_order "its keys" budget.json scene step budget duration reference norm runs work_precision
sed -n 's/^      "joint_operations": \([0-9]*\).*/\1/p' budget.json | awk '$1 > 20000 || $1 < 19800 { bad = 1 }
  END { exit bad || NR != 3 }'
verdict "all runs spend the budget to 1 %" $? "$(grep joint_operations budget.json | tr -d '\n')"
[ "$(grep -c '^      "time": 1.0,' budget.json)" -eq 3 ]; verdict "all runs end at the same time" $?
run compare double_pendulum --budget 20000 --solvers impulse-gs,impulse-sle,lagrange --json
without_cost out >a; without_cost budget.json >b; cmp -s a b; verdict "the steps do not depend on the clock" $?
run compare box_pendulum --budget 3 --solvers lagrange --json; exits "a budget that no run can meet" 1
has "the row has no error" out '"error": null'; has "the row has reason budget" out '"reason": "budget"'
refused "a budget that is not a whole number" "whole number" run pendulum --budget 1.5
refused "no budget" "whole number" run pendulum --budget 0
refused "a budget without joints" "no joints" run free_top --budget 1000
refused "budget and step" "leave out --step" compare pendulum --budget 1000 --step 0.1
run compare box_pendulum --steps 0.5,0.02 --solvers impulse-sle,lagrange --output failures --quiet
exits "a report with a failure" 0
has "the legend has the failure" failures/work.gp "impulse-sle  (1 of 2 failed: stalled)"
has "the plot marks the failure" failures/work.gp "failed(strcol(7))"

echo "# initial states"
cat >torn.lua <<'LUA'
-- torn.lua: a pendulum whose rod is too long for where the bob is, and that moves along the rod
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local bob = sys:particle { name = "bob", position = { 2, 0, 0 }, velocity = { 0.5, 0, 0 }, mass = 1 }
sys:distance { sys.ground, bob, name = "rod", length = 2 + scene.param("gap", 0.5) }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 0.1 }
sys:expect { energy_error = 0.1 }
return sys
LUA
refused "violated joints at the start" "torn.lua:5: joint \"rod\" is violated by 0.5 m at the start; --consistent" run ./torn.lua
refused "inconsistent velocities at the start" "is violated by 0.5 m/s by the velocities at the start" run ./torn.lua --set gap=0.0
for command in run compare converge check rank; do
  run $command ./torn.lua --consistent --json; exits "$command --consistent" 0; is_json "$command --consistent" out
done
run run ./torn.lua --consistent; has "run reports the projection" out 'projected: joints were violated by up to 0.5 m'
run run ./torn.lua --consistent --json; has "run reports the displacement" out '"moved": 0.5,'
run run pendulum --consistent --json; has "a consistent start is not moved" out '"moved": 0.0,'
run run pendulum --json; hasnt "no message without --consistent" out '"start"'

echo "# list and check"
for what in solvers joints forces scenes linear laws "parameters hunt-crossley" "parameters impulse-sle" "parameters chain" "parameters driver"; do
  run list $what; exits "list $what" 0; [ -s out ]; verdict "list $what prints" $?
  run list $what --json; exits "list $what --json" 0; is_json "list $what" out
done
run list parameters impulse-sle; has "list parameters has tolerance" out '^tolerance '
run check pendulum; exits "check" 0; has "check counts" out '^[1-9][0-9]* passed, 0 failed$'
run check pendulum --json; exits "check --json" 0; is_json "check" out
cat >wrong.lua <<'LUA'
-- wrong.lua: a pendulum that expects too much
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local bob = sys:particle { name = "bob", position = { 1, 0, 0 }, mass = 1 }
sys:distance { sys.ground, bob, at_a = { 0, 0, 0 }, at_b = { 1, 0, 0 } }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
sys:expect { step = 0.01, duration = 1, energy_error = 1e-300 }
return sys
LUA
run check ./wrong.lua; exits "a failing check" 1; has "it is marked" out 'FAILED$'; has "the failure is counted" out '1 failed$'

finish
