#!/bin/sh
# written.sh - models and solvers written in Lua: the scenes of doc/ with laws, a joint and thrusters, at the declared
# orders of solvers; contracts of joints; and files of solvers. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
doc=$top/doc

echo "# every solver at its declared order"
# taylor and impulse-extrapolated of order 10 may reach rounding before six steps show an order; all others are fitted.
orders() { # SCENE OPTIONS... : no order is marked, and the named solvers have a fitted order
  scene=$1; shift
  run converge --all "$doc/$scene.lua" "$@"; exits "$scene: as declared" 0
  hasnt "$scene: none is marked" out '[0-9d] !'
  sed 's/^/        /' out | cut -c1-120 | grep -E '^ +[a-z-]+[:a-z0-9_=,-]* +[0-9-]+ '
  for solver in impulse-gs impulse-sle impulse-newton impulse-extrapolated:order=6 impulse-composed:order=6 lagrange \
    lagrange:stepper=rk4imp articulated half-explicit generalised-alpha blie variational taylor:order=2 taylor:order=4 \
    taylor:order=6 xpbd tgs-soft moreau; do
    [ $solver = impulse-newton ] && ! has_module hn_petsc && continue
    has "$scene: $solver" out "^$solver  *[0-9]*  *[0-9.]* ([0-9]*)"
  done
  ! has_module hn_sundials || has "$scene: ida" out '^ida  *-  *0\.[89]'
}
orders cubic_spring
has "the cubic spring agrees with elliptic functions" out 'the scene.s answer and the run differ by [0-9.]*e-1[3-9]'
orders rack_and_pinion
has "the rack agrees with its effective mass" out 'the scene.s answer and the run differ by [0-9.]*e-1[3-9]'
orders quadcopter --set pilot=programme

echo "# expectations of the scenes"
for scene in cubic_spring rack_and_pinion quadcopter; do run check "$doc/$scene.lua"; exits "$scene" 0; done

echo "# contracts of joints"
run check "$doc/rack_and_pinion.lua" --contract; exits "contract of the mesh" 0; has "every part of the contract" out '^18 passed, 0 failed'
has "contract of a joint given by name" out '^rack_and_pinion: joint mesh, joint$'
run check --contract --quiet; exits "contracts of all joints of all installed scenes" 0
run check "$doc/rack_and_pinion.lua" --contract --json; has "the same in JSON" out '"kept": true'
# A rate is a derivative by hand; this one is wrong by a thousandth.
cat >slope.lua <<'LUA'
local scene = require "holonom.scene"
local factor = scene.param("factor", 1.0)
local sys = scene.system {}
local bead = sys:particle { name = "bead", position = { 1, 1, 0 }, velocity = { 0, 0, 0 }, mass = 1 }
sys:joint { sys.ground, bead, name = "wire", -- y = x^2
  residual = function(_, b) return b.position[2] - b.position[1]^2 end,
  rate = function(_, b) return b.velocity[2] - factor * 2 * b.position[1] * b.velocity[1] end }
return sys
LUA
run check slope.lua --contract; exits "a rate written by hand" 0
refused "a wrong rate" 'slope.lua:5: joint "wire": its rate does not fit its residual: row 1' \
  check slope.lua --contract --set factor=1.001

echo "# files of solvers"
run converge double_pendulum --solver-file "$doc/rk4.lua" --duration 0.5 --expect declared; exits "order 4 with joints" 0
run converge heavy_top --solver-file "$doc/rk4.lua" --duration 0.1 --expect declared; exits "order 4 with rotating bodies" 0
run converge "$doc/quadcopter.lua" --set pilot=programme --solver-file "$doc/rk4.lua" --expect declared; exits "order 4 with laws" 0
run converge "$doc/rack_and_pinion.lua" --solver-file "$doc/rk4.lua" --duration 0.5 --expect declared; exits "order 4 with joints in Lua" 0
sed 's/"rk4-lua"/"other"/' "$doc/rk4.lua" >other.lua
run compare pendulum --solver-file "$doc/rk4.lua" --solver-file other.lua --solvers rk4-lua,other,lagrange --duration 0.2 --json
exits "two files of solvers" 0; has "the solver of the first file" out '"solver": "rk4-lua"'; has "the solver of the second file" out '"solver": "other"'
run run pendulum --solver-file "$doc/rk4.lua" --solver-file other.lua --duration 0.2 --json
has "the first solver is the default" out '"solver": "rk4-lua"'
run sweep pendulum --solver-file other.lua --steps 0.02,0.01 --duration 0.1 --output s.csv --quiet; exits "a file of solvers in a sweep" 0
has "the sweep has its rows" s.csv '^pendulum,other,0.01,'
run list solvers pendulum --solver-file other.lua; has "the solver is listed" out '^other '
cat >odd.lua <<'LUA'
local scene = require "holonom.scene"

scene.solver { name = "odd", order = 1, step = function(sys, state, h)
  return state:set_time(1) end }
LUA
run run pendulum --solver-file odd.lua; exits "an error in its step" 1
has "the error has its file and line" err 'odd.lua:4: set_time: the time of the step.s own state'
sed -e 's/"odd"/"bare"/' -e 's/return state.*/error({}) end }/' odd.lua >bare.lua
run run pendulum --solver-file bare.lua; exits "an error without a text in its step" 1; has "it has file and line, too" err 'bare.lua:4: '
echo 'x = = 3' >syntax.lua; refused "a file with a syntax error" '^holonom: syntax.lua:1: ' run pendulum --solver-file syntax.lua
echo 'x = 3' >none.lua; refused "a file without a solver" 'none.lua: it declares no solver' run pendulum --solver-file none.lua
echo 'while true do end' >ever.lua; refused "an endless file" 'ever.lua:1: stopped after 1000000 ' \
  run pendulum --solver-file ever.lua --limit-instructions 1e6
echo 'require("holonom.scene").system {}' >system.lua
refused "a file that creates a system" 'system.lua: a file of solvers makes no system' run pendulum --solver-file system.lua
refused "a missing file" 'cannot read nowhere.lua' run pendulum --solver-file nowhere.lua
sed 's/"rk4-lua"/"taylor"/' "$doc/rk4.lua" >taken.lua
refused "a name in use" 'taken.lua:60: solver "taylor": there is a solver of that name already' \
  run pendulum --solver-file taken.lua
echo 'answer = 42' >>other.lua
echo 'assert(answer == nil); return dofile' >asks.lua
refused "its variables are separate" 'the scene returns nothing' run ./asks.lua --solver-file other.lua

echo "# the examples of writing.md"
awk '/^```lua$/ { inside = 1; file = ""; next } /^```$/ { inside = 0; next }
     inside { if (file == "") { file = $2; sub(/:.*/, "", file) } print > file }' "$doc/writing.md"
run run bead.lua --solver taylor --step 0.02 --duration 2 --json; exits "a force" 0
run converge bead.lua --solver lagrange --step 0.05 --duration 1 --expect declared; exits "the force has its order" 0
run run wire.lua --solver taylor:order=16 --step 0.01 --duration 2 --json; exits "a joint" 0
has "the joint conserves energy" out '"error_max": [0-9.]*e-1[3-9]'
run check wire.lua --contract; exits "contract of the joint" 0
run run skate.lua --solver taylor --step 0.05 --duration 6.283185307179586 --json; exits "a joint of velocities" 0
# A skate that rotates at 1 rad/s and slides at 1 m/s moves on a circle of 1 m, back to its start.
awk '/"position": \[/ { for (i = 0; i < 3; i++) { getline; print "        ends at " $1; if ($1 ^ 2 > 1e-24) bad = 1 } }
     END { exit bad }' out
verdict "a skate moves on a circle, to 1e-12 m" $?
run check skate.lua --contract; exits "contract of the joint" 0
run converge double_pendulum --solver-file midpoint.lua --duration 0.5 --expect declared; exits "a solver" 0
run converge bead.lua --solver-file midpoint.lua --step 0.05 --duration 1 --expect declared; exits "a solver with forces" 0

finish
