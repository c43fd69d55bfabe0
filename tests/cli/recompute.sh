#!/bin/sh
# recompute.sh - every column of a record, recomputed from its states by another program, in scenes in which no two numbers
# are equal and no axis is special; and the measures of a sweep from the record. Needs HOLONOM, the command, and python3.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
here=$top/tests/cli scenes=$top/tests/support
joints() { # OPTIONS... -- [COLUMN=BOUND...] : the tree and the loop
  options=; while [ "$1" != -- ]; do options="$options $1"; shift; done; shift
  echo "# joints:$options"
  "$HOLONOM" run "$scenes/generic_joints.lua" --consistent --quiet --output g.csv --record-joints --record-forces \
    --model g.json $options && "$HOLONOM" sweep "$scenes/generic_joints.lua" --consistent --quiet --reference none \
    --output s.csv $options && python3 "$here/recompute.py" joints g.csv g.json s.csv "$@" >seen 2>err
  counts "the record and the sweep" $?
}
contacts() { # OPTIONS... -- [COLUMN=BOUND...] : shapes on a plane
  options=; while [ "$1" != -- ]; do options="$options $1"; shift; done; shift
  echo "# contacts:$options"
  "$HOLONOM" run "$scenes/generic_contacts.lua" --quiet --output c.csv --record-contacts --record-events c.events.csv \
    --model c.json $options && "$HOLONOM" sweep "$scenes/generic_contacts.lua" --quiet --reference none --output s.csv \
    $options && python3 "$here/recompute.py" contacts c.csv c.json s.csv "$@" >seen 2>err
  counts "the record and the sweep" $?
}
: >err

# Central differences of momenta are accurate to h^2: 1e-6 and 1e-4 s^2 times the square of the fastest rates, 7 /s.
joints -- .force_xyz=5e-5 .torque_xyz=5e-5 position_error=any velocity_error=any
joints --set damping=0 --solver lagrange:stepper=rk2 --step 0.01 -- .force_xyz=5e-3 .torque_xyz=5e-3
# Planes that lean from an axis by a little, and planes that are turned at random
for turn in "0.5 0" "3 0" "9 0" "3 0.7" "17 1.3" "45 2.9" "80 3.3" "89 4.1"; do
  contacts --set lean=${turn% *} --set turn=${turn#* } -- "sweep cone_excess=any" "sweep energy_gain=any"
done
contacts --solver moreau:stabilisation=none,open_gaps=wait -- "sweep cone_excess=any" "sweep energy_gain=any"
contacts --solver moreau:contact=pgs:local=box -- "sweep energy_gain=any"
# its gaps are those when the first impulse acts, which can be at the end of the step
contacts --solver impulse-gs -- gap=any "sweep cone_excess=any"
contacts --solver events -- gap=any "sweep cone_excess=any"
for theta in 1 0.75 0.5; do
  contacts --set bounce=0 --solver moreau:theta=$theta -- "sweep cone_excess=any" \
    "sweep energy_gain=any" "closed gap + 1 m=1e-8"
done

finish
