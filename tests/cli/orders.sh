#!/bin/sh
# orders.sh - the order study as a judge: it marks what is declared too high and nothing else, and says what its
# references are uncertain by. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"

echo "# solvers that declare another order than they have"
# euler-lua is of order 1, rattle-lua of order 2: declared one higher, and one lower.
sed -e 's/"euler-lua", order = 1/"euler-lua", order = 2/' -e 's/"rattle-lua", order = 2/"rattle-lua", order = 3/' \
  "$top/tests/support/lua_solvers.lua" >high.lua
sed -e 's/"rattle-lua", order = 2/"rattle-lua", order = 1/' "$top/tests/support/lua_solvers.lua" >low.lua
run converge --all ./high.lua --solvers euler-lua,rattle-lua,impulse-sle; exits "orders declared too high" 1
has "the first is marked" out '^euler-lua .* !'; has "so is the second" out '^rattle-lua .* !'
hasnt "a solver that is as declared is not" out '^impulse-sle .*!'
has "and it is counted" err '2 of 3 solvers and variants do not show the order they declare'
run converge --all ./high.lua --solvers rattle-lua --json; has "JSON says so" out '"as_declared": false'
run converge --all ./low.lua --solvers rattle-lua; exits "an order declared too low" 0
has "is shown as better" out '^rattle-lua .* +'; hasnt "and not marked" out '^rattle-lua .*!'
run converge --all cuboid28 --duration 0.1 --solvers impulse-sle,taylor
exits "solvers that none of them reach the end" 1; hasnt "are not marked for what they say they cannot do" out '^[it].* !'
has "and it is told" err 'no solver reaches the end'

echo "# what is no defect"
# Twelve steps that scatter by half an order about 10, from 1e-6 to round-off: their line may be any order from 9 on.
run converge --all point_masses --solvers impulse-extrapolated:order=10; exits "errors that scatter" 0
hasnt "are not marked" out '^impulse-ext.* !'
# Errors that creep on at their bottom, like h^0.2, follow no order: the order is that of the errors above.
cat >creeps.lua <<'LUA'
-- creeps.lua: a solver of order 5 with a bottom that falls by 2 % a rung
local scene = require "holonom.scene"
local function creeps(sys, state, h)
  state:assign(sys:flight(state, h))
  state:add_velocity(1, { (sys.memory.bottom and 0 or 5e-11 * h ^ 0.2) + h ^ 6, 0, 0 })
  sys.memory.bottom = true
  return "converged"
end
scene.solver { name = "creeps", order = 5, summary = "with a bottom", step = creeps }
local sys = scene.system { gravity = { 0, 0, 0 } }
sys:particle { name = "stone", position = { 0, 0, 0 }, mass = 1, velocity = { 1, 0, 0 } }
sys:defaults { solver = "creeps", step = 0.1, duration = 1 }
return sys
LUA
run converge --all ./creeps.lua --solvers creeps; exits "a bottom that creeps" 0
has "its order is seen above" out '^creeps  *5  *\(4\.9\|5\.0\)'
# Nine rods, and a solver that spends 1.1e7 joint operations before it says that a step is too long for it.
cat >dear.lua <<'LUA'
-- dear.lua: a solver of order 2 that takes long to say that it cannot take long steps
local scene = require "holonom.scene"
local function dear(sys, state, h)
  local g = {}
  sys:jacobian(state)
  sys:factor()
  if h > 0.12 then
    for _ = 1, 1200000 do sys:residual(state, g) end
    return "stalled", 0, "waiting"
  end
  for iteration = 0, sys.iterations do
    local trial = sys:flight(state, h)
    local _, norm = sys:residual(trial, g)
    if norm <= sys.tolerance then
      state:assign(trial)
      sys:jacobian(state)
      sys:factor()
      sys:apply(state, sys:solve((sys:velocity_residual(state))), -1)
      return "converged", iteration
    end
    sys:apply(state, sys:solve(g), -1 / h)
  end
  return "stalled", sys.iterations, "joint correction"
end
scene.solver { name = "dear", order = 2, summary = "slow to fail", step = dear }
local sys = scene.system {}
for i = 1, 9 do
  sys:particle { name = "bob" .. i, position = { 1, 0, i }, mass = 1 }
  sys:distance { sys.ground, "bob" .. i, at_a = { 0, 0, i } }
end
sys:defaults { solver = "dear", step = 0.01, duration = 0.6 }
return sys
LUA
run converge --all ./dear.lua --solvers dear; exits "long runs that fail before others converge" 0
has "leave room for those" out '^dear .* 2\.0[0-9] ([0-9]*)'; hasnt "and no mark" out '^dear .* !'
# With less to spend than one of its steps takes, nothing can be seen, and nothing is held against it.
run converge --all ./dear.lua --solvers dear --budget 1e5; exits "a step that takes more than the budget of a run" 1
has "ends the ladder" out '^dear  *2  *cut '; hasnt "without a mark" out '^dear .* !'; hasnt "nor a word of its order" err declare
run converge --all pendulum --duration 1 --solvers impulse-sle --budget 10 --json
[ "$(grep -c '"joint_operations"' out)" -eq 2 ]; verdict "a ladder that begins above its budget has one run" $?
has "which is ended at twice that" out '"reason": "budget"'
# Control that acts once a step is another one with another step: of order 1 with any solver.
cat >held.lua <<'LUA'
-- held.lua: a pendulum held by a servo that is sampled once a step
local scene = require "holonom.scene"
local sys = scene.system {}
local arm = sys:body { name = "arm", shape = scene.box { 1, 0.1, 0.1 }, density = 100, position = { 0.5, 0, 0 } }
sys:hinge { sys.ground, arm, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = "elbow" }
sys:motor { sys.ground, arm, axis = { 0, 0, 1 }, target = 0, gain = 2, limit = 500, name = "motor" }
sys:control(function(t, s) s:set("motor", 4 * (0.5 - s:value("elbow"))) end)
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 0.5 }
return sys
LUA
run converge --all ./held.lua --solvers impulse-sle,taylor:order=2; exits "orders under control" 0
hasnt "are not marked" out '^[it].* !'; has "and it is told" out '^orders are not judged: control acts once a step'
run converge --all ./held.lua --solvers impulse-sle --json; has "JSON says so" out '"judged": false'

echo "# starts and references that are not there"
run converge --all broken --solvers impulse-sle; exits "a start that is torn" 2
has "it is told by how much, and what would be right" err 'torn has no order: joint "joint1" is violated by 0\.1 m .*--consistent'
run converge --all broken --consistent --duration 0.05 --solvers lagrange; exits "the same start, projected" 0
run converge --all bricard --redundancy remove --duration 0.2 --solvers impulse-sle,lagrange
exits "redundant joints" 0; has "the reference leaves some out, too" out '^reference: .*,redundancy=remove with steps'
has "and orders show" out '^lagrange:redundancy=remove  *4  *\(3\.9\|4\.0\)'
run converge --all ragdoll --solvers impulse-sle; exits "no reference" 2
has "and the line says why" err 'failed: lagrange cannot do one-sided joints'

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
held=$?
verdict "compare: $told m, the distance of its run from one with twice the step: $(cat apart) m" $held
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
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 2 { print $at["time"], $at["\"bob.x\""], $at["\"bob.y\""], $at["\"bob.z\""] }' \
    run_"$h".csv >all
  awk 'FNR == NR { n++; next } FNR % (n / 32) == 0' all all >probes_"$h"
done
paste -d ' ' probes_"$step" probes_"$twice" | awk -v told="$told" '
  { t = NR / 32; w = 3 * t * t * (NR < 32 ? 1 : 0.5) / 32; sum += w * (($2 - $6)^2 + ($3 - $7)^2 + ($4 - $8)^2) }
  END { apart = sqrt(sum); print apart > "apart"; exit !(NR == 32 && apart > 0 && told > 0.99 * apart && told < 1.01 * apart) }'
held=$?
verdict "converge --all: $told m, the same over its motion: $(cat apart) m" $held

echo "# what a reference costs"
# Halvings cost at most four runs with the step that is found, the last one of half of it included, keeping its states
# one; and a step for each time of a ladder, of which there are less than five runs' worth: not a run for each ladder.
run converge --all double_pendulum --duration 4 --solvers impulse-composed:order=8,impulse-sle --json
sed -n '/"reference": {/,/}/p' out >told; step=$(value step told); cost=$(value joint_operations told)
run compare double_pendulum --duration 4 --step "$step" --solvers $solver --json; one=$(value joint_operations out)
awk -v cost="$cost" -v one="$one" 'BEGIN { exit !(one > 0 && cost >= 2 * one && cost <= 10 * one) }'
verdict "the reference: $cost joint operations, of which a run takes $one: 2 to 10" $?

finish
