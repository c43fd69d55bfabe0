#!/bin/sh
# bullet.sh - Bullet as a solver: order 1 on every joint, closed forms of free motion, limits,
# motors and friction, its solvers, trees, refusals, determinism. Needs HOLONOM and python3.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
run run double_pendulum --solver bullet --duration 0.01
grep -q "without solver bullet" err && without "Bullet is missing: scripts/setup --engines"
. "$top/tests/support/engine_cases.sh"
reference=lagrange:stepper=rk8pd,stabilisation=projection
steps=0.01,0.005,0.0025,0.00125

echo "# joints; in the other order of bodies: test_engine_orders.c"
exact=bullet:iterations=100
for case in ball hinge universal fixed slider cylindrical planar distance particles; do
  order $exact $case true
done
reference=lagrange:stepper=rk8pd,redundancy=min-norm order $exact loop false
echo "# each solver"
for solver in bullet:iterations=30 bullet:solver=nncg bullet:solver=dantzig bullet:solver=lemke \
  bullet:solver=pgs,iterations=100; do order $solver hinge false; done
echo "# planar models"
for case in hinge slider fixed distance; do order $exact $case true --set planar=true; done

closed_forms bullet
echo "# contact"
contacts bullet

echo "# trees"
for case in ball hinge fixed slider; do order bullet:multibody=true $case true; done
closed_forms bullet:multibody=true
contacts bullet:multibody=true
rk4=bullet:multibody=true,integrator=rk4
fits() { # NAME ORDER ARGUMENTS... : within 0.2
  name=$1; wanted=$2; shift 2
  run converge "$@" --solver $rk4
  fitted=$(sed -n 's/^fitted order \([0-9.]*\).*/\1/p' out)
  awk -v f="${fitted:-0}" -v o="$wanted" 'BEGIN { exit !(f > o - 0.2 && f < o + 0.2) }'
  verdict "$rk4: $name: order ${fitted:-none} of $wanted +- 0.2" $?
}
fits "a hinge" 4 compound_pendulum --duration 0.5 --steps 0.02,0.01,0.005
fits "balls" 2 "$cases" --set case=ball --steps 0.01,0.005,0.0025 --reference "$reference"

echo "# determinism, and what it cannot do"
same_bits bullet ragdoll pyramid
same_bits bullet:solver=pgs sliding_cubes
refuses "its ellipsoid" bullet egg "the shape ellipsoid of body egg is not translated"
refuses "a fast turn" bullet "$cases --set case=free_turn --step 0.5 --duration 2" "turns by more than pi / 4 in a step"
refuses "lemke with contacts" bullet:solver=lemke pyramid "solver=lemke"
refuses "a loop of a tree" bullet:multibody=true "$cases --set case=loop" "closes a loop: not translated"
refuses "a rod in a tree" bullet:multibody=true "$cases --set case=particles" "multibody"
finish
