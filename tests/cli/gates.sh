#!/bin/sh
# gates.sh - verdicts of `holonom converge --expect` and of expected orders, and their messages. Needs HOLONOM, the
# command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"

# A body of 1 kg on a spring of 4 N/m along x, x = cos 2t, with the reference FACTOR cos 2t.
oscillator() { # FACTOR [LINE] >FILE
  cat <<LUA
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 } }
sys:particle { name = "p", mass = 1, position = { 2, 0, 0 } }
sys:spring { sys.ground, "p", stiffness = 4, length = 1 }
sys:reference(function(t) return { p = { position = { 1 + math.cos(2 * t * $1), 0, 0 } } } end)
${2:-}
sys:defaults { solver = "lagrange", step = 0.05, duration = 1 }
return sys
LUA
}
oscillator 1 >right.lua
oscillator 1.001 >wrong.lua
sed 's/2, 0, 0/2.01, 0, 0/' right.lua >start.lua
cat >fall.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, -9.81 } }
sys:particle { name = "p", mass = 1, position = { 0, 0, 1 } }
sys:reference(function(t) return { p = { position = { 0, 0, 1 - 9.81 / 2 * t * t } } } end)
return sys
LUA

echo "# orders that are met, and not"
run converge right.lua --expect declared; exits "as declared" 0; has "the difference is printed" out 'as expected: 4'
run converge right.lua --expect 4.3; exits "a higher expected order fails" 1; has "the difference is printed" err 'falls short of 4.3'
run converge right.lua --expect 2; exits "a better order passes" 0; has "the better order is reported" out 'better than expected: 2'
run converge right.lua --expect 2 --exactly; exits "a better order fails if excluded" 1
run converge right.lua --expect 4 --exactly; exits "the exact order passes" 0
run converge right.lua --expect 4 --json; has "the same in JSON" out '"verdict": "as-expected"'; has "the order in JSON" out '"expected_order": 4'
refused "no order" 'or `declared`' converge right.lua --expect much
run converge right.lua --solver ida --expect declared; exits "a solver without a declared order" 2
has "it is reported" err 'declares no order'

echo "# a solver with a wrong coefficient"
splitting() { # PART >FILE : a solver with kicks of PART and the rest of a step around a flight, declared of order 2
  oscillator 1 "scene.solver { name = 'split', order = 2, forces = true, step = function(sys, state, h)
    sys:kick(state, h * $1)
    state:assign(sys:flight(state, h))
    sys:kick(state, h * (1 - $1))
    return 'converged'
  end }"
}
splitting 0.5 >half.lua; run converge half.lua --solver split --expect declared; exits "a half: order as declared" 0
splitting 0.51 >more.lua; run converge more.lua --solver split --steps 0.005,0.0025,0.00125,0.000625 --expect declared
exits "0.51: order too low" 1; has "the difference is printed" err 'order 1[.0-9]* falls short of 2'

echo "# an exact solver"
run converge fall.lua --expect declared; exits "errors at rounding pass" 0; has "errors at rounding are reported" out 'errors are at rounding'
run converge fall.lua --expect declared --json; has "the same in JSON" out '"verdict": "exact"'

echo "# a wrong reference"
run converge wrong.lua; exits "no order in JSON" 1; has "the verdict in JSON" err 'the reference is off'
has "and by how much" err 'by 1.8e-03 m, uncertain by'
run converge wrong.lua --expect declared --json; has "the same in JSON" out '"verdict": "astray"'
run converge right.lua; exits "a consistent reference has no warning" 0; hasnt "no message about a consistent reference" err 'is off'
sed 's/{ 2, 0, 0 }/{ 0, 0, 2 }/; s/{ \(1 + [^}]*\), 0, 0 }/{ 0, 0, \1 }/' wrong.lua >upright.lua
run converge upright.lua; exits "a wrong reference along z" 1; has "the same distance" err 'by 1.8e-03 m, uncertain by'
# The reference is 1.8e-5 m off; runs with steps of 0.0125 and 0.025 s are 1e-7 m apart, the one of 0.1 s 3e-5 m.
oscillator 1.00001 >slightly.lua
run converge slightly.lua --steps 0.0125,0.025,0.1; exits "the two finest runs show a small error" 1
has "and by how much" err 'by 1.8e-05 m, uncertain by'
refused "a reference that does not start with the scene" 'is 0.01 m from where it starts' run start.lua
run run right.lua --step 0.0005 --json; cp out right.json; run converge wrong.lua --reference right.json
exits "a file of a motion as a reference" 0
run run right.lua --json; cp out coarse.json; run converge right.lua --reference coarse.json
exits "a reference as coarse as the judged runs fails" 1; has "the message has its error" err 'by 1.6e-06 m.* is off'

echo "# a reference of the same solver"
# Its step is an eighth of the finest: errors of order 4 are too small by 8^-4 of the finest one, 2.4e-4.
errors() { sed -n 's/^ *"error": \([-+0-9.e]*\),*$/\1/p' out; }
run converge right.lua --json; errors >closed
run converge right.lua --reference self --json; exits "converge --reference self" 0
errors | paste closed - | awk '{ d = ($1 - $2) / $1; if (d < 0) d = -d; if (d > worst) worst = d; if ($2 == "") worst = 1 }
  END { printf "#   largest relative difference %.2e, bound 1e-3\n", worst; exit !(NR >= 4 && worst <= 1e-3) }'
verdict "errors are those from the closed form" $?

# Those of converge --all, over the motion, with a reference that goes on from stored states.
grep -v '^sys:reference' right.lua >open.lua
for scene in right open; do
  run converge --all $scene.lua --solvers lagrange,impulse-sle --json; exits "converge --all $scene.lua" 0
  sed '1,/"solvers"/d' out >rows; mv rows out; errors >$scene
done
paste right open | awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > worst) worst = d; if ($2 == "") worst = 1 }
  END { printf "#   %d runs, largest difference %.2e m, bound 1e-12 m\n", NR, worst; exit !(NR >= 12 && worst <= 1e-12) }'
verdict "errors over the motion are those from the closed form" $?

echo "# expectations of scenes"
sed 's/^return sys/sys:expect { order = 4 }\nsys:expect { solver = "lagrange:stepper=rk2imp", order = 2 }\nreturn sys/' right.lua >expect.lua
run check expect.lua; exits "orders" 0; has "the measured orders" out '^  order  *[34]\.[0-9]*  >= 4'; has "all orders" out '^4 passed, 0 failed'
cat >deep.lua <<'EOF'
local scene = require "holonom.scene"
local sys = scene.system {}
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } } }
sys:body { name = "ball", mass = 1, shape = scene.sphere { radius = 0.5 }, position = { 0, 0.5, 0 } }
sys:contact {}
local sinks = "moreau:stabilisation=none,contact=admm,contact_tolerance=0.5"
sys:expect { solver = "moreau", step = 0.01, duration = 0.1, penetration = 1e-9 }
sys:expect { solver = sinks, step = 0.01, duration = 0.1, penetration = 1e-9 }
return sys
EOF
run check deep.lua; exits "penetration" 1; has "penetration is reported" out '^  penetration, m  .*FAILED$'
has "no penetration is not reported" out '^3 passed, 1 failed'
sed 's/order = 4/order = 5/' expect.lua >five.lua; run check five.lua; exits "an order that is too low" 1
has "it is marked" out '>= 5 .*FAILED'
sed 's/order = 4/order = -4/' expect.lua >none.lua; refused "an order below zero" 'order is a bound' check none.lua

finish
