#!/bin/sh
# plugin.sh - solvers in shared objects: loading, use, refusal. Needs HOLONOM, the command of a build tree in which
# `make check` has made tests/plugins (doc/explicit_euler.c) and tests/bad (bad_plugin.c).
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
made=$(dirname "$HOLONOM")/tests
good=$made/plugins/.libs/explicit_euler.so
bad=$made/bad/.libs
unset HOLONOM_PLUGIN_PATH
sources=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$sources/tests/support/lib.sh"

echo "# built against the build tree, as doc/plugin.md says"
line=$(sed -n '/^## 1\./,/^## 2\./s/^    \(cc .*\)/\1/p' "$sources/doc/plugin.md")
(cp "$sources/doc/explicit_euler.c" . && export PKG_CONFIG_PATH="$made/.." && eval "$line") >out 2>err
verdict "the example builds" $? "$line"
run run double_pendulum --duration 0.1 --plugin ./explicit_euler.so --solver explicit-euler; exits "the example runs" 0

echo "# a plugin is a solver like any other"
run list solvers; exits "list solvers" 0
! grep -q explicit-euler out; verdict "it is listed only if loaded" $?
run list solvers --plugin "$good"; has "--plugin adds it" out '^explicit-euler '
run list parameters explicit-euler --plugin "$good"; has "its parameters are listed" out '^tolerance '
run run double_pendulum --duration 1 --plugin "$good" --solver explicit-euler --tolerance 1e-8 --json
exits "run" 0; has "its settings are reported" out '"tolerance": 1'
run run double_pendulum --plugin="$good" --duration 0.1 --solver explicit-euler; exits "--plugin=FILE" 0
run compare double_pendulum --duration 0.1 --plugin "$good" --solvers explicit-euler,impulse-sle; exits "compare" 0
has "compare has its row" out '^explicit-euler *converged'
run converge double_pendulum --duration 1 --steps 1/400,1/800,1/1600,1/3200,1/6400,1/12800 --solver explicit-euler \
  --plugin "$good" --json; exits "converge" 0
order=$(sed -n 's/^  "order": \(.*\),$/\1/p' out)
awk -v order="$order" 'BEGIN { exit !(order > 0.8 && order < 1.2) }'; verdict "order $order, expected 1 +- 0.2" $?
run run cuboid28 --duration 0.1 --plugin "$good" --solver explicit-euler; exits "redundant constraints" 1
has "the plugin reports singular" err 'singular'
run list solvers --plugin "$good" --plugin "$good"; exits "the same file twice is no error" 0

echo "# parts.h: impacts, limits, active set, projection and sleeping, in doc/impact_euler.c"
parts=$made/plugins/.libs/impact_euler.so
order_of() { # SCENE [OPTIONS] : verdict on the order
  run converge "$@" --solver impact-euler --plugin "$parts" --json; exits "converge $1" 0
  order=$(sed -n 's/^  "order": \(.*\),$/\1/p' out)
  awk -v order="$order" 'BEGIN { exit !(order > 0.8 && order < 1.2) }'; verdict "$1: order $order, expected 1 +- 0.2" $?
}
order_of bouncing_balls --duration 0.6 --steps 1/400,1/800,1/1600,1/3200,1/6400,1/12800
order_of double_pendulum --duration 1 --steps 1/400,1/800,1/1600,1/3200,1/6400,1/12800
cat >stop.lua <<'END'
-- stop.lua: a rod on a hinge falls on its stop
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local rod = sys:body { name = "rod", shape = scene.box { 1.0, 0.1, 0.1 }, density = 600, position = { 0.5, 0, 0 } }
sys:hinge { sys.ground, rod, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, lower = -0.5, restitution = 0.5 }
return sys
END
run run stop.lua --plugin "$parts" --solver impact-euler:sleep=0.2 --step 0.001 --duration 6 --json; exits "a stop" 0
awk '/"name": "rod"/ { getline; getline; x = $1 + 0; getline; y = $1 + 0 }
  END { e = sqrt((x - 0.5 * cos(0.5)) ^ 2 + (y + 0.5 * sin(0.5)) ^ 2)
        printf "#   the rod lies %.1e m from its stop\n", e; exit !(e < 1e-8) }' out
verdict "the rod rests on its stop, to the tolerance" $?
run run stop.lua --plugin "$parts" --solver impact-euler:sleep=0.2 --step 0.001 --duration 6
has "it is asleep there" out 'asleep at the end: 1'

echo "# plugins in directories"
mkdir first second
cp "$good" first/b.so; echo "not loaded" >first/readme.txt
HOLONOM_PLUGIN_PATH=first:second; export HOLONOM_PLUGIN_PATH
run list solvers; exits "HOLONOM_PLUGIN_PATH" 0; has "the path adds the solver" out '^explicit-euler '
cp "$good" second/a.so
refused "a copy of it" 'second/a.so: there is a solver "explicit-euler" already' list solvers
rm first/b.so; cp "$bad/no_step.so" first/z.so; cp "$bad/empty.so" first/a.so
refused "files are loaded in the order of their names" 'plugin first/a.so: ' list solvers
HOLONOM_PLUGIN_PATH=missing
refused "a missing directory" 'plugin directory missing' list solvers
HOLONOM_PLUGIN_PATH=:second:
run list solvers; exits "empty directory names" 0; has "they are ignored" out '^explicit-euler '
unset HOLONOM_PLUGIN_PATH

echo "# invalid plugins are refused"
refused "a missing file" 'nowhere.so .*No such file' list solvers --plugin nowhere.so
echo "plain text, long enough to have a header's size, but no shared object at all" >text.so
refused "a file that is not a shared object" 'text.so cannot be loaded as a shared object: ' list solvers --plugin text.so
refused "the wrong interface" 'built for interface [0-9]*, but this is [0-9]*' list solvers --plugin "$bad/other_abi.so"
refused "no symbol" 'does not export hn_plugin_solvers' list solvers --plugin "$bad/no_symbol.so"
refused "the name of a built-in solver" 'a solver "lagrange" already' list solvers --plugin "$bad/duplicate.so"
refused "a name twice in one plugin" '"good-one" is listed twice' list solvers --plugin "$bad/twice.so"
refused "no step function" 'solver "bad-one": its table has no step$' list solvers --plugin "$bad/no_step.so"
refused "no citation" 'solver "bad-one": its table has no citation$' list solvers --plugin "$bad/no_citation.so"
refused "no solver" 'lists no solver' list solvers --plugin "$bad/empty.so"
refused "a parameter without a unit" 'parameter "gain" of "good-one" lacks its default, unit' list parameters good-one --plugin "$bad/no_unit.so"
refused "no FILE" 'needs a value' list solvers --plugin
refused "reported before another error" 'nowhere.so' run pendulum --plugin nowhere.so --nonsense

echo "# contact solvers"
solver=$made/plugins/.libs/gauss_seidel.so
scene=$sources/tests/support/contact_solvers.lua
run list contact; ! grep -q gauss-seidel out; verdict "a contact solver is listed only if its plugin is loaded" $?
run list contact --plugin "$solver"; has "it is listed with its plugin" out '^gauss-seidel  *Coulomb'
run list contact "$scene" --json; has "a contact solver of a scene is listed with the scene" out '"name": "gauss-seidel-lua"'
run compare "$scene" --set balls=true --plugin "$solver" --contact gauss-seidel,gauss-seidel-lua,pgs --duration 0.2 --json \
  --solver moreau:sweeps=100000,contact_tolerance=1e-11; exits "compare" 0
awk 'BEGIN { n = 0 } /"name": "lower"/ { getline; for (i = 0; i < 3; i++) { getline; x[n, i] = $1 + 0 } n++ }
  END { for (k = 1; k < 3; k++) for (i = 0; i < 3; i++) { d = x[k, i] - x[0, i]; if (d < 0) d = -d; if (d > most) most = d }
        printf "#   positions by plugin, Lua and pgs are at most %.1e m apart\n", most
        exit !(n == 3 && x[0, 0] > 0.1 && most < 1e-9) }' out
verdict "plugin and Lua agree with pgs to its tolerance" $?
run run "$scene" --plugin "$solver" --solver moreau:contact=gauss-seidel:relaxation=1.5 --duration 0.05 --json
exits "a parameter of the plugin" 0; has "the parameter is reported" out '"contact": "gauss-seidel:relaxation=1.5"'
refused "a value out of its range" 'relaxation' run "$scene" --plugin "$solver" --solver moreau:contact=gauss-seidel:relaxation=3
run problem "$scene" --plugin "$solver" --contact gauss-seidel,gauss-seidel-lua,newton; exits "problem" 0
has "problem lists the plugin's solver" out '^gauss-seidel *converged'; has "problem lists the scene's solver" out '^gauss-seidel-lua *converged'
refused "the wrong interface" 'built for interface [0-9]*, but this is [0-9]*' list contact --plugin "$bad/contact_abi.so"
refused "the name of a built-in one" 'there is a contact solver "pgs" already' list contact --plugin "$bad/contact_name.so"
refused "no solve function" 'contact solver "bad-one": its table has no solve$' list contact --plugin "$bad/contact_solve.so"
refused "a name twice in one plugin" '"good-one" is listed twice' list contact --plugin "$bad/contact_twice.so"
refused "no solver" 'lists no contact solver' list contact --plugin "$bad/contact_empty.so"
refused "an invalid solver beside it" 'solver "moreau": its table has no' list contact --plugin "$bad/contact_solver.so"

finish
