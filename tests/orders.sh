#!/bin/sh
# orders.sh - the order study as a judge: it marks what is declared too high and nothing else, and says what its
# references are uncertain by. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd)
. "$top/tests/lib.sh"

echo "# methods that declare another order than they have"
# euler-lua is of order 1, rattle-lua of order 2: declared one higher, and one lower.
sed -e 's/"euler-lua", order = 1/"euler-lua", order = 2/' -e 's/"rattle-lua", order = 2/"rattle-lua", order = 3/' \
  "$top/tests/methods.lua" >high.lua
sed -e 's/"rattle-lua", order = 2/"rattle-lua", order = 1/' "$top/tests/methods.lua" >low.lua
run converge --all ./high.lua --solvers euler-lua,rattle-lua,impulse-sle; exits "orders declared too high" 1
has "the first is marked" out '^euler-lua .* !'; has "so is the second" out '^rattle-lua .* !'
hasnt "a method that is as declared is not" out '^impulse-sle .*!'
has "and it is counted" err '2 of 3 methods and variants do not show the order they declare'
run converge --all ./high.lua --solvers rattle-lua --json; has "JSON says so" out '"as_declared": false'
run converge --all ./low.lua --solvers rattle-lua; exits "an order declared too low" 0
has "is shown as better" out '^rattle-lua .* +'; hasnt "and not marked" out '^rattle-lua .*!'
run converge --all cuboid28 --duration 0.1 --solvers impulse-sle,taylor
exits "methods that none of them reach the end" 1; hasnt "are not marked for what they say they cannot do" out '^[it].* !'
has "and it is told" err 'no method reaches the end'

echo "# what a reference is uncertain by"
cat >bob.lua <<'LUA'
-- bob.lua: a spherical pendulum without an answer of its own
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local bob = sys:particle { name = "bob", position = { 1, 0, 0 }, mass = 1, velocity = { 0, 0, 1 } }
sys:distance { sys.ground, bob, name = "rod" }
sys:defaults { solver = "impulse-sle", step = 0.32, duration = 0.96 }
return sys
LUA
solver=lagrange:stepper=rk8pd,stabilisation=projection
value() { # KEY FILE : the first number of that name
  sed -n "s/^ *\"$1\": \([-0-9.e+]*\),*\$/\1/p" "$2" | head -1
}
at_end() { # STEP : the position of the bob
  "$HOLONOM" run ./bob.lua --solver $solver --step "$1" --json | sed -n '/"position": \[/,/\]/p' | sed -n '2,4s/[ ,]//gp'
}
run compare ./bob.lua --solvers impulse-sle --json; told=$(value uncertainty out)
at_end 0.02 >fine; at_end 0.04 >coarse
paste fine coarse | awk -v told="$told" '{ sum += ($1 - $2)^2 }
  END { apart = sqrt(sum); print apart > "apart"; exit !(NR == 3 && apart > 1e-13 && told > 0.999 * apart && told < 1.001 * apart) }'
verdict "compare: $told m, the distance of its run from one with twice the step: $(cat apart) m" $?
# Another formulation, or where the motion has corners far smaller steps, tells how far off it is.
positions() { # SCENE DURATION STEP SPEC : all coordinates of all bodies at the end, three a body
  "$HOLONOM" run "$1" --duration "$2" --step "$3" --solver "$4" --json | sed -n '/"position": \[/,/\]/p' | sed '/[][]/d; s/[ ,]//g'
}
apart() { # FILE FILE : the largest distance of a body
  paste "$1" "$2" | awk '{ sum += ($1 - $2)^2 } NR % 3 == 0 { if (sum > most) most = sum; sum = 0 }
    END { if (NR == 0) exit 1; printf "%.3g", sqrt(most) }'
}
taylor=taylor:order=20,stabilisation=projection
while read -r scene h t divisor truth other ground; do
  run compare "$scene" --solvers xpbd --step "$h" --duration "$t" --json; told=$(value uncertainty out)
  step=$(sed -n '/"reference": {/,/}/p' out | sed -n 's/^ *"step": \([-0-9.e+]*\),*$/\1/p')
  positions "$scene" "$t" "$step" $solver >reference
  positions "$scene" "$t" "$(awk -v h="$h" -v n="$other" 'BEGIN { printf "%.17g", h / n }')" "$truth" >finer
  off=$(apart reference finer)
  awk -v off="$off" -v told="$told" 'BEGIN { exit !(off != "" && told > 0 && off + 0 <= told + 0) }'
  verdict "$scene to $t s: $told m are said, off by $off m" $? "off by $off m"
  awk -v h="$h" -v step="$step" -v n="$divisor" 'BEGIN { exit !(step > 0.999 * h / n && step < 1.001 * h / n) }'
  verdict "$scene: it takes 1/$divisor of the step" $? "step $step"
  run compare "$scene" --solvers xpbd --step "$h" --duration "$t"; has "$scene: and says why: $ground" out "$ground"
done <<CASES
chain 0.01 1 2 $taylor 3 m, rounding; its distance from a run with twice the step is less
double_pendulum 0.01 3 2 $taylor 3 m, rounding;
spherical_pendulum 0.01 5.5 2 $taylor 3 m, rounding;
box_pendulum 0.01 3 4 $taylor 3 m, rounding;
triple_pendulum 0.01 10 8 $taylor 6 m, its distances from runs with twice the step and with half of it
broken 0.01 1 16 $solver 128 m, its distance from a run with twice the step and of that from one with four times it
./bob.lua 0.32 0.96 16 $taylor 24 m, its distance from a run with twice the step)
CASES
# A tree of 127 bodies with steps of 1/30 s: four times fewer steps of a reference do than for a sixteenth.
run compare tree --solvers impulse-sle --duration 1; has "tree: half the step is enough" out 'with steps of 0.01666666666666666[67] s$'
has "rounding is what is left" out '^(uncertain by [0-9.]*e-12 m, rounding;'
run converge --all ./bob.lua --solvers lagrange --json; step=$(value step out)
told=$(sed -n '/"uncertainty": {/,/}/p' out | sed -n 's/.*"error": \([-0-9.e+]*\),*$/\1/p')
twice=$(awk -v h="$step" 'BEGIN { printf "%.17g", 2 * h }')
for h in $step $twice; do
  "$HOLONOM" run ./bob.lua --solver $solver --step "$h" --output run_"$h".csv --quiet
  awk -F, 'NR == 2 { next } NR > 2 { print $2, $9, $10, $11 }' run_"$h".csv >all
  awk 'FNR == NR { n++; next } FNR % (n / 32) == 0' all all >probes_"$h"
done
paste -d ' ' probes_"$step" probes_"$twice" | awk -v told="$told" '
  { t = NR / 32; w = 3 * t * t * (NR < 32 ? 1 : 0.5) / 32; sum += w * (($2 - $6)^2 + ($3 - $7)^2 + ($4 - $8)^2) }
  END { apart = sqrt(sum); print apart > "apart"; exit !(NR == 32 && apart > 0 && told > 0.99 * apart && told < 1.01 * apart) }'
verdict "converge --all: $told m, the same over its motion: $(cat apart) m" $?

finish
