#!/bin/sh
# inverse.sh - holonom inverse: the torque of a driven pendulum against its closed form, from a run and from records, the
# forces of free motions, files and refusals. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$source/tests/support/lib.sh"

cat >driven.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local bar = sys:body { name = "bar", mass = 2, inertia = { 0.2, 0.3, 0.3 }, position = { 0.5, 0, 0 },
                       velocity = { 0, 0.4, 0 }, angular_velocity = { 0, 0, 0.8 } }
sys:hinge { sys.ground, bar, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = "pivot" }
if not scene.param("free", false, "without the drive") then
  sys:drive_angle { sys.ground, bar, axis = { 0, 0, 1 }, motion = { amplitude = 0.4, frequency = 2 }, name = "motor" }
end
sys:defaults { solver = "lagrange:stepper=rk8pd,stabilisation=projection", step = 0.01, duration = 1 }
return sys
LUA
# worst FILE : prints the largest distance of the torque from (J + m l^2) theta'' + m g l cos theta
worst() {
  awk -F, 'NR > 1 { s = sin(2 * $1); t = 0.8 * -1.6 * s + 9.81 * cos(0.4 * s); d = $2 - t; if (d < 0) d = -d
    if (d > most) most = d } END { printf "%.3e\n", most }' "$1"
}
below() { # NAME VALUE BOUND
  awk -v x="$2" -v b="$3" 'BEGIN { exit !(x <= b) }'; verdict "$1: $2, bound $3" $?
}

echo "# a driven pendulum"
run inverse ./driven.lua --output torque.csv; exits "from a run" 0
[ "$(head -n 1 torque.csv)" = 'time,"pivot.angle.torque"' ]; verdict "the head of the file" $? "$(head -n 1 torque.csv)"
[ "$(wc -l <torque.csv)" -eq 102 ]; verdict "a head, the start, 100 steps" $?
below "torque against the closed form, N m" "$(worst torque.csv)" 1e-11
has "the table" out '^pivot.angle.torque *N m'
for h in 0.02 0.01; do
  run run ./driven.lua --step $h --output record$h.csv --quiet; exits "a record with steps of $h s" 0
  run inverse ./driven.lua record$h.csv --output from$h.csv --quiet; exits "its forces" 0
done
below "torque from the record, N m" "$(worst from0.01.csv)" 1e-3
ratio=$(awk -v a="$(worst from0.02.csv)" -v b="$(worst from0.01.csv)" 'BEGIN { print a / b }')
awk -v r="$ratio" 'BEGIN { exit !(r > 3.6 && r < 4.4) }'; verdict "differences of second order: halving steps divides the error by $ratio" $?

echo "# free motions need no forces"
# largest FILE : prints the largest torque
largest() { awk -F, 'NR > 1 { d = $2 < 0 ? -$2 : $2; if (d > m) m = d } END { print m }' "$1"; }
for h in 0.01 0.005; do
  run run ./driven.lua --set free=true --step $h --output free$h.csv --quiet
  run inverse ./driven.lua free$h.csv --set free=true --output none$h.csv --quiet; exits "a pendulum, steps of $h s" 0
done
ratio=$(awk -v a="$(largest none0.01.csv)" -v b="$(largest none0.005.csv)" 'BEGIN { print a / b }')
awk -v r="$ratio" 'BEGIN { exit !(r > 3.6 && r < 4.4) }'; verdict "its torque $(largest none0.01.csv) N m vanishes at second order: $ratio" $?
cp free0.01.csv free.csv
run run slider_crank --duration 0.2 --step 0.0005 --output crank.csv --quiet
run inverse slider_crank crank.csv --output none.csv --quiet; exits "a closed loop with redundant rows" 0
below "its largest torque, N m" "$(largest none.csv)" 0.05

echo "# records in HDF5"
if run run ./driven.lua --output record.h5 --quiet && [ $status -eq 0 ]; then
  run inverse ./driven.lua record.h5 --output from.h5.csv --quiet; exits "its forces" 0
  cmp -s from0.01.csv from.h5.csv; verdict "the numbers of the record in CSV" $?
  run run slider_crank --duration 0.2 --step 0.0005 --output crank.h5 --quiet
  run inverse slider_crank crank.h5 --output crank_h5.csv --quiet; cmp -s none.csv crank_h5.csv; verdict "a closed loop too" $?
  refused "a record of another scene" "not a record of this scene" inverse chain record.h5
  refused "a missing file" "missing.h5: No such file" inverse chain missing.h5
  echo text >text.h5; refused "a file of text" "it is truncated or not an HDF5 file" inverse chain text.h5
  run run ./driven.lua --duration 0.01 --output short.h5 --quiet
  refused "two frames" "three frames or more" inverse ./driven.lua short.h5
fi

echo "# refusals"
refused "a record of another scene" "not a record of this scene" inverse chain free.csv
refused "a file that is none" "missing.csv: No such file" inverse pendulum missing.csv
head -n 3 free.csv >short.csv; refused "two frames" "three frames or more" inverse ./driven.lua short.csv --set free=true
{ head -n 5 free.csv; echo "1,2,x"; } >cut.csv; refused "a line that is cut off" "is not a frame" inverse ./driven.lua cut.csv --set free=true
finish
