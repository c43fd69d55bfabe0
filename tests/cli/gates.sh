#!/bin/sh
# gates.sh - what `holonom converge --expect` and expected orders let pass, and what they say of what they do not.
# Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"

# A body on a spring along x, 1 kg and 4 N/m: cos 2t; of which its reference says that it is cos 2t FACTOR.
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

echo "# orders that are there, and not"
run converge right.lua --expect declared; exits "as declared" 0; has "said so" out 'as expected: 4'
run converge right.lua --expect 4.3; exits "short of more" 1; has "said so" err 'falls short of 4.3'
run converge right.lua --expect 2; exits "better passes" 0; has "and is said" out 'better than expected: 2'
run converge right.lua --expect 2 --exactly; exits "unless it must not be" 1
run converge right.lua --expect 4 --exactly; exits "and what is just so passes" 0
run converge right.lua --expect 4 --json; has "in JSON" out '"verdict": "as-expected"'; has "and the order" out '"expected_order": 4'
refused "no order" 'or `declared`' converge right.lua --expect much
run converge right.lua --solver ida --expect declared; exits "a solver that declares none" 2
has "is told" err 'declares no order'

echo "# a solver with a wrong coefficient"
splitting() { # PART >FILE: kicks of PART and the rest of a step about a flight, said to be of order 2
  oscillator 1 "scene.solver { name = 'split', order = 2, forces = true, step = function(sys, state, h)
    sys:kick(state, h * $1)
    state:assign(sys:flight(state, h))
    sys:kick(state, h * (1 - $1))
    return 'converged'
  end }"
}
splitting 0.5 >half.lua; run converge half.lua --solver split --expect declared; exits "a half: as declared" 0
splitting 0.51 >more.lua; run converge more.lua --solver split --steps 0.005,0.0025,0.00125,0.000625 --expect declared
exits "0.51: falls short" 1; has "said so" err 'order 1[.0-9]* falls short of 2'

echo "# an exact solver"
run converge fall.lua --expect declared; exits "errors at rounding pass" 0; has "and are said to be" out 'errors are at rounding'
run converge fall.lua --expect declared --json; has "in JSON" out '"verdict": "exact"'

echo "# a reference of another motion"
run converge wrong.lua; exits "is no order" 1; has "it is the verdict" err 'the reference is off'
has "and by how much" err 'by 1.8e-03 m, uncertain by'
run converge wrong.lua --expect declared --json; has "in JSON" out '"verdict": "astray"'
run converge right.lua; exits "the right one is none" 0; hasnt "nor is it said" err 'is off'
refused "a reference that does not start with the scene" 'is 0.01 m from where it starts' run start.lua
run run right.lua --step 0.0005 --json; cp out right.json; run converge wrong.lua --reference right.json
exits "a file of the motion is a reference" 0
run run right.lua --json; cp out coarse.json; run converge right.lua --reference coarse.json
exits "one of a run as coarse as those judged is none" 1; has "by its error" err 'by 1.6e-06 m.* is off'

echo "# what scenes expect"
sed 's/^return sys/sys:expect { order = 4 }\nsys:expect { solver = "lagrange:stepper=rk2imp", order = 2 }\nreturn sys/' right.lua >expect.lua
run check expect.lua; exits "orders" 0; has "measured" out '^  order  *[34]\.[0-9]*  >= 4'; has "all of them" out '^4 passed, 0 failed'
cat >deep.lua <<'EOF'
local scene = require "holonom.scene"
local sys = scene.system {}
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } } }
sys:body { name = "ball", mass = 1, shape = scene.sphere { radius = 0.5 }, position = { 0, 0.5, 0 } }
sys:contact {}
local sinks = "moreau:stabilisation=none,contact_tolerance=0.5"
sys:expect { solver = "moreau", step = 0.01, duration = 0.1, penetration = 1e-9 }
sys:expect { solver = sinks, step = 0.01, duration = 0.1, penetration = 1e-9 }
return sys
EOF
run check deep.lua; exits "penetration" 1; has "what sinks is told" out '^  penetration, m  .*FAILED$'
has "what does not is not" out '^3 passed, 1 failed'
sed 's/order = 4/order = 5/' expect.lua >five.lua; run check five.lua; exits "one that falls short" 1
has "is marked" out '>= 5 .*FAILED'
sed 's/order = 4/order = -4/' expect.lua >none.lua; refused "an order below zero" 'order is a bound' check none.lua

finish
