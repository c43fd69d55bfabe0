#!/bin/sh
# figures.sh - a figure is equal wherever it is printed: in JSON, records, reports and their plots. Needs HOLONOM.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"

value() { # KEY FILE : prints the first number of that name
  sed -n "s/^ *\"$1\": \([-0-9.e+]*\),*\$/\1/p" "$2" | head -1
}
column() { # NAME FILE : prints the values of a column
  awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' "$2"
}
same() { # NAME A B : two numbers are equal to a relative 1e-12
  awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; m = a < 0 ? -a : a; exit !(a != "" && b != "" && d * d <= 1e-24 * m * m) }'
  verdict "$1: $2 and $3" $?
}
differ() { # NAME A B : two numbers differ by more than a thousandth
  awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; exit !(d * d > 1e-6 * a * a) }'; verdict "$1: $2 and $3" $?
}

echo "# the rank later in a run"
spec="--solver lagrange:stepper=rk8pd,stabilisation=projection --step 0.01"
run run chain8 $spec --duration 1 --output chain.csv --record-rank --quiet; exits "a record with ranks" 0
run rank chain8 --json; cp out start.json
run rank chain8 $spec --at 1 --json; cp out later.json; exits "rank --at 1" 0
same "time" 1 "$(value time later.json)"
same "least singular value at the start, record and rank" "$(column smallest_kept chain.csv | head -1)" \
  "$(value smallest_kept start.json)"
same "after 1 s" "$(column smallest_kept chain.csv | tail -1)" "$(value smallest_kept later.json)"
differ "and that is another one" "$(value smallest_kept start.json)" "$(value smallest_kept later.json)"
run run cuboid28 --solver impulse-gs --step 0.01 --duration 0.1 --output cuboid.csv --record-rank --quiet
run rank cuboid28 --json
for key in rank smallest_kept largest_dropped; do
  same "$key of cuboid28" "$(column $key cuboid.csv | head -1)" "$(value $key out)"
done
column smallest_kept cuboid.csv >kept; column largest_dropped cuboid.csv >dropped
paste kept dropped | awk '!($1 > 1e-3 && $2 < 1e-6 && $2 >= 0) { bad = 1 } END { exit bad || NR != 11 }'
verdict "kept singular values exceed dropped ones, in all lines" $?

echo "# joints at the end of a run"
run run chain8 --solver lagrange --duration 0.1 --output chain.csv --record-joints --json
sed -n '/"joints": /,$p' out >joints.json
for i in 1 4 9; do
  sed -n "/\"name\": \"ball$i\"/,/\"torque\"/s/^ *\([-0-9.e+]*\),*\$/\1/p" joints.json >force
  for axis in x y; do
    same "force_$axis of ball$i" "$(column "\"ball$i.force_$axis\"" chain.csv | tail -1)" "$(head -1 force)"
    sed -i 1d force
  done
done
differ "that of another joint is another one" "$(column '"ball1.force_x"' chain.csv | tail -1)" \
  "$(column '"ball4.force_x"' chain.csv | tail -1)"

echo "# series and plots of a report"
run compare double_pendulum --duration 1 --step 0.01 --solvers impulse-sle:tolerance=1e-5 --output report --json
cp out report.json
largest() { # NAME : prints the largest value of a column of the series
  column "$1" report/series.csv | awk '$1 > most { most = $1 } END { printf "%.17g", most }'
}
same "joint error" "$(largest joint_error)" "$(value position_max report.json)"
same "joint velocity error" "$(largest joint_velocity_error)" "$(value velocity_max report.json)"
same "energy error" "$(largest energy_error)" "$(value error_max report.json)"
differ "joint and velocity errors are no twins" "$(value position_max report.json)" "$(value velocity_max report.json)"
plots() { # FILE COLUMN YLABEL : a plot of time and that column of the series
  c=$(head -1 report/series.csv | tr ',' '\n' | grep -nx "$2" | cut -d: -f1)
  grep -q "using 2:(shown(\$$c))" "report/$1.gp" && grep -q "^set ylabel '$3'" "report/$1.gp"
  verdict "$1.gp shows $2, column $c" $?
}
plots drift joint_error 'largest joint error, m or rad'
plots velocity_drift joint_velocity_error 'largest joint velocity error, m\/s or rad\/s'
plots energy energy_error '|E - E(0)|, J'
head -1 report/work.csv >head
has "work has steps, errors, operations, times and reasons" head '^solver,step,error,joint_operations,wall_s,wall_spread_s,reason$'
has "work.gp shows errors over operations" report/work.gp 'using 4:(shown($3))'
hasnt "no plot over times without repetition" report/work.gp 'using 5'
same "error at the first step" "$(column error report/work.csv | head -1)" "$(value error report.json)"
same "operations of the first step" "$(column joint_operations report/work.csv | head -1)" \
  "$(value joint_operations report.json)"

echo "# times measured repeatedly"
run compare double_pendulum --duration 0.1 --solvers lagrange --steps 0.01,0.005 --repeat 2 --output timed --quiet
has "work.gp shows errors over times" timed/work.gp 'using 5:(shown($3)) smooth unique'
column wall_spread_s timed/work.csv | awk '!($1 >= 0) { bad = 1 } END { exit bad || NR != 2 }'
verdict "times have error bars" $?
run compare double_pendulum --duration 0.1 --solvers lagrange --repeat 2 --json; grep -v '"wall_s"\|"us_per_step"' out >a
run compare double_pendulum --duration 0.1 --solvers lagrange --json; grep -v '"wall_s"\|"us_per_step"' out >b
cmp -s a b; verdict "the tables differ in cost only" $?
begin=$(date +%s%N); run compare double_pendulum --duration 0.1 --solvers lagrange --repeat 20 --quiet
took=$((($(date +%s%N) - begin) / 1000000)); [ $took -ge 1000 ]; verdict "twenty times 50 ms take $took ms" $?

echo "# conservation of energy"
conserved() { # NAME TRUTH SCENE_LINES : a mass on a spring, with these lines in its scene
  cat >scene.lua <<LUA
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local b = sys:body { name = "b", position = { 0.5, 0, 0 }, mass = 1, inertia = { 1, 1, 1 } }
local hinge = { sys.ground, b, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }
$3
sys:defaults { solver = "impulse-gs", step = 0.01, duration = 0.1 }
return sys
LUA
  run run ./scene.lua --json; has "$1: $2" out "\"conserved\": $2"
  if [ "$2" = true ]; then word=error; else word=change; fi
  run run ./scene.lua; has "the summary has energy $word" out "^energy $word "
}
spring='sys:spring { sys.ground, b, at_a = { 0, 1, 0 }, at_b = { 0.5, 0, 0 }, length = 1, stiffness = 5'
conserved "a hinge" true 'sys:hinge(hinge)'
conserved "a spring" true "$spring }"
conserved "a spring with a damper" false "$spring, damping = 1 }"
conserved "a force" false 'sys:force { b, at = { 0.5, 0, 0 }, force = { 1, 0, 0 } }'
conserved "a motor" false 'sys:hinge(hinge) sys:motor { sys.ground, b, axis = { 0, 0, 1 }, target = 1, gain = 2, limit = 5 }'
conserved "a limit" false 'hinge.lower = -1 hinge.upper = 1 sys:hinge(hinge)'
conserved "friction" false 'hinge.friction = 0.5 sys:hinge(hinge)'

finish
