#!/bin/sh
# simbody.sh - Simbody as a solver: its integrators have their orders on all joints, given in either order of bodies, as
# mobilizers and as constraints that close loops; motors, forces, planar models; refusals; determinism. Needs HOLONOM.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
. "$top/tests/support/engine_scenes.sh"
run run double_pendulum --solver simbody --duration 0.01
grep -q "without solver simbody" err && without "Simbody is missing: scripts/setup --engines"

echo "# closed forms"
error_of ./fall.lua --solver simbody; below "free fall, and on a slider, 1 s in steps of 0.01 s, m" 1e-12 "$error"
order "a pendulum" 4 compound_pendulum --solver simbody --norm rms --duration 1 --steps 0.02,0.01,0.005,0.0025
error_of four_bars --solver simbody --duration 1 --step 0.01
below "redundant loops, the error of four bars after 1 s, m" 1e-8 "$error"
error_of hertz_impact --solver simbody; below "compliant contact, impact of two spheres, m" 1e-9 "$error"

echo "# integrators"
for pair in runge-kutta-merson:4 runge-kutta-3:3 verlet:2 semi-explicit-euler:1; do
  order "${pair%:*}" "${pair#*:}" spherical_pendulum --solver "simbody:integrator=${pair%:*}" --duration 1 \
    --steps 0.01,0.005,0.0025,0.00125
done
error_of double_pendulum --solver simbody:integrator=cpodes,accuracy=1e-9; below "cpodes to 1e-9, m" 1e-5 "$error"
error_of double_pendulum --solver simbody:error_control=true,accuracy=1e-9 --step 0.1
below "error control to 1e-9, m" 1e-5 "$error"

echo "# joints"
smooth() { # NAME ARGUMENTS... : order 4 against the reference
  name=$1; shift
  order "$name" 4 "$@" --consistent --solver simbody --steps 0.02,0.01,0.005,0.0025 --reference "$exact"
}
smooth "free rotation" ./spin.lua
for kind in ball hinge universal fixed slider cylindrical planar distance; do
  for swapped in false true; do
    smooth "$kind, swapped=$swapped" ./joints.lua --set kind=$kind --set swapped=$swapped
  done
  smooth "$kind closing a loop" ./loop.lua --set kind=$kind
done
smooth "a planar model" ./plane.lua

echo "# motors"
for kind in hinge slider; do
  for crossed in false true; do
    order "a motor in a $kind, crossed=$crossed" 4 ./motor.lua --set kind=$kind --set crossed=$crossed --consistent \
      --set swapped=$crossed --solver simbody --steps 0.02,0.01,0.005,0.0025 \
      --reference events:inner=lagrange:stepper=rk8pd
  done
done

echo "# determinism"
last() { run run "$1" --solver "$2" --duration 0.3 --output r.csv --quiet; tail -1 r.csv | cut -d, -f8; }
for solver in simbody simbody:integrator=verlet simbody:integrator=cpodes; do
  one=$(last slider_crank $solver); two=$(last slider_crank $solver)
  [ -n "$one" ] && [ "$one" = "$two" ]; verdict "the same hash twice, $solver: $one" $?
done

echo "# what it cannot do"
refuses() { run run "$1" --duration 0.01 --solver simbody $3; has "$1: $2" err "$2"; }
refuses ragdoll "its limit is not translated" ""
refuses pyramid "the shape .* is not translated" ""
refuses walking_machine "is of type point_on_line, which is not translated" ""
refuses ./motor.lua "joint motor: a motor with a largest force is not translated" "--set limit=3 --consistent"
finish
