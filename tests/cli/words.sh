#!/bin/sh
# words.sh - words of other programs are taken, or answered by ours; tables of nothing but errors are no success.
# Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"

echo "# options and commands"
while read -r word meant; do
  refused "$word" "no option $word; did you mean \"$meant\"?" run pendulum $word 0.1
done <<'END'
--dt --step
--timestep --step
--time-step --step
--time_step --step
--TimeStep --step
--tfinal --duration
--t_end --duration
--time --duration
--integrator --solver
--method --solver
-o --output
END
refused "with its value" 'no option --time; did you mean "--duration"?' run pendulum --time=0.1
refused "of a sweep" 'no option --dt; did you mean "--step"?' sweep pendulum --dt 0.1
refused "of a list" 'no option --dt (see' list solvers --dt 0.1
run run pendulum --dur 0.1; exits "abbreviations are taken" 0
for word in help --help -h; do run $word; exits "$word" 0; has "it is the list of commands" out '^Usage: holonom COMMAND'; done
run run -h; exits "run -h" 0; has "it is the help of run" out '^Usage: holonom run SCENE'
run run pendulum -h; exits "run pendulum -h" 0; has "it is the help of run" out '^Usage: holonom run SCENE'
for word in version --version -V; do run $word; exits "$word" 0; has "it has a number" out '^holonom [0-9.]*$'; done
refused "simulate" 'no command "simulate"; did you mean "run"?' simulate pendulum
refused "revolute" 'no solver, joint, force or scene "revolute"; did you mean "hinge"?' list parameters revolute
refused "a word of a third" 'no command "zoom" (the commands' zoom

echo "# scenes"
scene() { # LINE... : writes x.lua, with body b
  { echo 'local scene = require "holonom.scene"'
    echo 'local sys = scene.system { gravity = { 0, -9.81, 0 } }'
    echo 'local b = sys:body { name = "b", mass = 1, inertia = { 1, 2, 2.5 }, position = { 1, 0, 0 } }'
    printf '%s\n' "$@" 'return sys'; } >x.lua
}
while read -r word meant; do
  scene "sys:$word { sys.ground, b, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }"
  refused "joint $word" "joint or force \"$word\"; did you mean \"$meant\"?" run ./x.lua
done <<'END'
revolute hinge
revolute_joint hinge
RevoluteJoint hinge
hinge_joint hinge
prismatic slider
weld fixed
fixed_joint fixed
spherical ball
spherical_joint ball
cardan universal
END
while read -r word meant; do
  scene "sys:body { mass = 1, position = { 0, 0, 0 }, $word = 1 }"
  refused "key $word" "unknown key \"$word\"; did you mean \"$meant\"?" run ./x.lua
done <<'END'
pos position
rot orientation
quaternion orientation
vel velocity
omega angular_velocity
mu friction
rho density
geometry shape
END
scene "sys:body { shape = scene.box { size = { 1, 1, 1 } }, density = 1, position = { 0, 0, 0 } }"
refused "a box by its size" 'x.lua:4: box: .*"size".*scene.box { lx, ly, lz }' run ./x.lua
scene "sys:body { shape = scene.convex { points = {} }, density = 1, position = { 0, 0, 0 } }"
refused "a hull by its points" 'x.lua:4: convex: .*"points".*scene.convex { { x, y, z }' run ./x.lua
scene "sys:body { shape = scene.cylinder { r = 1 , height = 2 }, density = 1, position = { 0, 0, 0 } }"
refused "a radius" 'cylinder: unknown key "r"; did you mean "radius"?' run ./x.lua

echo "# densities of shapes"
own='shapes = { { shape = scene.box { 1, 2, 3 }, density = 5 }, { shape = scene.sphere { radius = 0.3 }, massless = true } }'
scene "sys:body { name = 'c', position = { 0, 1, 0 }, $own }"
run run ./x.lua --duration 0.01; exits "each shape has its own" 0
scene "sys:body { name = 'c', position = { 0, 1, 0 }, shapes = { { shape = scene.box { 1, 2, 3 }, density = 5 }, { shape = scene.box { 1, 1, 1 } } } }"
refused "one has none" 'body "c": shapes\[2\]: key "density" is missing' run ./x.lua
scene "sys:body { name = 'c', position = { 0, 1, 0 }, shape = scene.box { 1, 2, 3 } }"
refused "one shape without" 'body "c": key "density" is missing (shape is given)' run ./x.lua

echo "# angles in degrees"
scene "sys:body { mass = 1, inertia = { 1, 2, 2.5 }, position = { 0, 1, 0 }, axis_angle = { 0, 0, 1, 90 } }"
run run ./x.lua --duration 0.01; exits "90 rad are allowed" 0
has "and reported" out 'warning: an axis_angle turns by 90 rad.*degrees.*math.rad(90)'
run run ./x.lua --duration 0.01 --json; has "in JSON too" out 'axis_angle turns by 90 rad'
scene "sys:body { mass = 1, inertia = { 1, 2, 2.5 }, position = { 0, 1, 0 }, axis_angle = { 0, 0, 1, -2 * math.pi } }"
run run ./x.lua --duration 0.01; hasnt "a full turn is not" out 'axis_angle'

echo "# ranges and exit statuses"
for range in 2..5 2:5 0.1..0.5,1; do
  refused "--set n=$range" "'${range%,*}' is a range without its count: write FROM:TO:COUNT" sweep chain --set n=$range
done
refused "--steps" 'range without its count' sweep pendulum --steps 0.01..0.1
run sweep chain --set n=3:5:2 --duration 0.1; exits "a range with its count" 0
run sweep chain --set n=2.5,3.5; exits "a sweep whose runs all fail" 1
has "it says so" err 'no run of 2 reached its end'; [ "$(wc -l <out)" -eq 3 ]; verdict "its table is complete" $?
run sweep chain --set n=2.5,3 --duration 0.1; exits "one that has a result" 0
run sweep chain --set n=2.5,3.5 --output t.csv; exits "with an output" 1; [ -s t.csv ]; verdict "the table is kept" $?
run compare ball_tray --duration 0.002 --solvers impulse-sle,lagrange; exits "no solver reaches the end" 1
run compare ball_tray --duration 0.002 --solvers impulse-sle,moreau; exits "one does" 0

finish
