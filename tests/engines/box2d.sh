#!/bin/sh
# box2d.sh - Box2D as a solver of planar models: order 1 on every joint in either order of bodies, closed forms of free
# motion, limits, motors, friction and bounces, refusals, determinism. Needs HOLONOM and python3.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
run run stack --solver box2d --duration 0.01
grep -q "without solver box2d" err && without "Box2D is missing: scripts/setup --engines"
. "$top/tests/support/engine_cases.sh"
reference=lagrange:stepper=rk8pd,stabilisation=projection
steps=0.01,0.005,0.0025

echo "# joints, in either order of bodies"
for case in ball hinge slider fixed distance particles loop; do
  for swapped in false true; do
    order box2d:velocity_iterations=50,position_iterations=10 $case $swapped --set planar=true
  done
done
order box2d hinge false --set planar=true
order box2d:scale=10 slider true --set planar=true
run converge andrews --solver box2d:velocity_iterations=100 --duration 0.01 --steps 2e-4,1e-4,5e-5
fitted=$(sed -n 's/^fitted order \([0-9.]*\).*/\1/p' out)
awk -v f="${fitted:-0}" 'BEGIN { exit !(f > 0.8 && f < 1.2) }'
verdict "andrews, a mechanism of loops: order ${fitted:-none}, bounds 0.8 and 1.2" $?

# Numbers have 24 bits: sums of 50 to 100 steps round by 1e-5. Contacts rest at the slop of 5 mm, joints at 2 degrees.
rounding=2e-5 reach=0.04 creep=5.5e-3
closed_forms box2d --set planar=true
contacts box2d --set planar=true
rounding=2e-5 reach=4e-3 creep=1.5e-3 # the slop over the scale, and a step of free fall, g h^2, before shapes touch
contacts box2d:scale=10 --set planar=true

echo "# determinism, and what it cannot do"
same_bits box2d stack dominoes
refuses "models in space" box2d double_pendulum "spatial models are not translated"
refuses "a fast body" box2d "$cases --set case=free_fall --set planar=true --step 0.5 --duration 2" "moves by more than 2 m in a step"
refuses "restitution of a limit" box2d "$cases --set case=limit_hinge --set e=0.5 --set planar=true" "its restitution is not translated"
finish
