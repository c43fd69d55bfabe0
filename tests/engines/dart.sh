#!/bin/sh
# dart.sh - DART as a solver: order 1 on all joints, given in either order of bodies, and on loops; limits, motors and
# friction in joints and on a slope against closed forms; restitution; refusals; determinism. Needs HOLONOM.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
. "$top/tests/support/engine_scenes.sh"
run run compound_pendulum --solver dart --duration 0.01
grep -q "without solver dart" err && without "DART is missing: scripts/setup --engines"

echo "# closed forms"
order "free fall and a slider" 1 ./fall.lua --solver dart --steps 0.01,0.005,0.0025,0.00125
order "a pendulum" 1 compound_pendulum --solver dart --norm rms --duration 1 --steps 0.01,0.005,0.0025,0.00125

echo "# joints"
smooth() { # NAME ARGUMENTS... : order 1 against the reference
  name=$1; shift
  order "$name" 1 "$@" --consistent --solver dart --steps 0.004,0.002,0.001,0.0005 --reference "$exact"
}
smooth "free rotation" ./spin.lua
for kind in ball hinge universal fixed slider planar; do
  for swapped in false true; do
    smooth "$kind, swapped=$swapped" ./joints.lua --set kind=$kind --set swapped=$swapped
  done
done
for kind in ball hinge fixed slider; do smooth "a loop with $kind" ./loop.lua --set kind=$kind; done
smooth "a planar model with a loop" ./plane.lua --set rod=false

echo "# limits, dry friction, motors: 1 s in steps of 1 ms, from the rate 1 (or -1, 5)"
near() { # NAME EXPECTED BOUND VALUE
  below "$1: $4, |error|" "$3" "$(awk -v x="$4" -v y="$2" 'BEGIN { d = x - y; print d < 0 ? -d : d }')"
}
for swapped in false true; do
  part() { column "$1" ./part.lua --solver dart --set kind=$2 --set swapped=$swapped --duration 1 --set part=$3; }
  back() { column arm.z ./part.lua --solver dart --set kind=slider --set swapped=$swapped --duration 1 --set rate=$1; }
  near "upper or lower limit at 0.5 m, swapped=$swapped" 0.5 1.01e-3 "$(back 1)"
  near "limit at -0.5 m, swapped=$swapped" -0.5 1.01e-3 "$(back -1)"
  near "limit at 0.5 rad, swapped=$swapped" 0.24740395925 5.1e-4 "$(part arm.qz hinge limit)" # sin(0.5 / 2)
  near "friction 2 N on 2 kg stops after 0.5 m, swapped=$swapped" 0.5 1.01e-3 "$(part arm.z slider friction)"
  near "friction 2 N m on 1 kg m^2 stops after 0.25 rad, swapped=$swapped" 0.12467473339 5.1e-4 \
    "$(part arm.qz hinge friction)"
  near "motor of 2 N on 2 kg: 2 m/s after 1 s, swapped=$swapped" 2 1e-6 "$(part arm.vz slider motor)"
  near "motor of 2 N m reaches 3 rad/s, swapped=$swapped" 3 1e-6 "$(part arm.wz hinge motor)"
  near "it brakes from 5 rad/s to 3, swapped=$swapped" 3 1e-6 \
    "$(column arm.wz ./part.lua --solver dart --set swapped=$swapped --duration 1.5 --set part=motor --set rate=5)"
done

echo "# contact"
slides() { # MU: the velocity after 1 s is that of a constant acceleration
  a=$(awk -v mu="$1" 'BEGIN { printf "%.12f", 9.81 * (sin(0.3) - mu * cos(0.3)) }')
  near "slides down the slope, mu=$1, velocity after 1 s" "$a" 1e-6 "$(column cube.vx ./slope.lua --solver dart \
    --set friction=$1)"
}
slides 0.1; slides 0.2
near "sticks with mu=0.5, m" 0 1e-9 "$(column cube.x ./slope.lua --solver dart --set friction=0.5)"
near "stops on the slope" 0.27981854858 1.01e-3 "$(column cube.x ./slope.lua --solver dart --set friction=0.5 --set speed=1)"
order "sliding cubes" 1 sliding_cubes --solver dart --duration 2 --steps 0.004,0.002,0.001,0.0005
error_of bouncing_balls --solver dart; below "bouncing balls, steps of 1 ms, m" 5e-3 "$error"

echo "# determinism"
last() { run run "$1" --solver "$2" --duration 0.3 --output r.csv --quiet; tail -1 r.csv | cut -d, -f8; }
for scene in ball_tray sliding_cubes ragdoll; do
  one=$(last $scene dart); two=$(last $scene dart)
  [ -n "$one" ] && [ "$one" = "$two" ]; verdict "the same hash twice, $scene: $one" $?
done

echo "# what it cannot do"
refuses() { run run "$1" --duration 0.01 --solver dart $3; has "$1: $2" err "$2"; }
refuses double_pendulum "is of type distance, which is not translated" ""
refuses ./joints.lua "is of type cylindrical, which is not translated" "--set kind=cylindrical --consistent"
refuses rod_impact "the shape capsule of body rod is not translated" ""
finish
