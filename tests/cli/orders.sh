#!/bin/sh
# orders.sh - verdicts of the order study: it marks exactly the orders that are declared too high, and estimates the
# uncertainty of its references. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"

echo "# solvers with a wrong declared order"
# euler-lua has order 1, rattle-lua order 2: declared one too high, and one too low.
sed -e 's/"euler-lua", order = 1/"euler-lua", order = 2/' -e 's/"rattle-lua", order = 2/"rattle-lua", order = 3/' \
  "$top/tests/support/lua_solvers.lua" >high.lua
sed -e 's/"rattle-lua", order = 2/"rattle-lua", order = 1/' "$top/tests/support/lua_solvers.lua" >low.lua
run converge --all ./high.lua --solvers euler-lua,rattle-lua,impulse-sle; exits "orders declared too high" 1
has "the first solver is marked" out '^euler-lua .* !'; has "the second solver is marked" out '^rattle-lua .* !'
hasnt "a solver with its declared order is not marked" out '^impulse-sle .*!'
has "the marks are counted" err '2 of 3 solvers and variants do not show the order they declare'
run converge --all ./high.lua --solvers rattle-lua --json; has "JSON has the verdict" out '"as_declared": false'
run converge --all ./low.lua --solvers rattle-lua; exits "an order declared too low" 0
has "the order is reported as better" out '^rattle-lua .* +'; hasnt "the better order is not marked" out '^rattle-lua .*!'
run converge --all cuboid28 --duration 0.1 --solvers impulse-sle,taylor
exits "solvers that fail at all steps" 1; hasnt "unsupported scenes are not marked" out '^[it].* !'
has "it is reported" err 'no solver reaches the end'

echo "# deviations that are not marked"
# Twelve errors scattered by half an order about 10, from 1e-6 to rounding: their slope may be any from 9 on.
run converge --all point_masses --solvers impulse-extrapolated:order=10; exits "scattered errors" 0
hasnt "no mark" out '^impulse-ext.* !'
# Errors near rounding that fall like h^0.2 show no order: the order is that of the larger errors.
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
run converge --all ./creeps.lua --solvers creeps; exits "errors that level off" 0
has "the order is that of larger errors" out '^creeps  *5  *\(4\.9\|5\.0\)'
# Nine rods, and a solver that spends 1.1e7 joint operations before it fails at a step that is too large.
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
has "shorter runs are within the budget" out '^dear .* 2\.0[0-9] ([0-9]*)'; hasnt "no mark for long runs" out '^dear .* !'
# With a budget below the cost of one step there is no order, and no mark.
run converge --all ./dear.lua --solvers dear --budget 1e5; exits "a step that takes more than the budget of a run" 1
has "it ends the sequence" out '^dear  *2  *cut '; hasnt "it is not marked" out '^dear .* !'; hasnt "no order is reported" err declare
run converge --all pendulum --duration 1 --solvers impulse-sle --budget 10 --json
[ "$(grep -c '"joint_operations"' out)" -eq 2 ]; verdict "a sequence that starts above its budget has one run" $?
has "the run ends at twice the budget" out '"reason": "budget"'
# A parameter goes to the solvers that have it, and the policy of the scene too: without one, redundant joints end
# most runs.
run converge --all slider_crank --budget 1 --duration 0.01 --json
has "the scene's redundancy for impulse-sle" out '"spec": "impulse-sle:.*redundancy=min-norm'
hasnt "no run ends for lack of a policy" out '"reason": "singular"'
run converge --all slider_crank --redundancy remove --budget 1 --duration 0.01 --json
has "that of the command line" out '"spec": "impulse-sle:.*redundancy=remove'
has "none for xpbd" out '"spec": "xpbd"'
# Extrapolation loses order on dampers whose time scale is shorter than the step: stiff, and no mark.
run converge --all flyball --solvers impulse-extrapolated:order=8 --duration 0.1; exits "a stiff problem" 0
has "its orders are told apart" out '^impulse-extrapolated:order=8 .* ~ '
has "the fastest motion is named" out 'motion at the start, 0.000123 s'
# Control that acts once per step depends on the step size: order 1 with any solver.
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
hasnt "no mark" out '^[it].* !'; has "it is reported" out '^orders are not judged: control acts once a step'
run converge --all ./held.lua --solvers impulse-sle --json; has "JSON has the verdict" out '"judged": false'

echo "# invalid starts, missing references"
run converge --all broken --solvers impulse-sle; exits "violated joints at the start" 2
has "the violation and a remedy are printed" err 'torn has no order: joint "joint1" is violated by 0\.1 m .*--consistent'
run converge --all broken --consistent --duration 0.05 --solvers lagrange; exits "the same start, projected" 0
run converge --all bricard --redundancy remove --duration 0.2 --solvers impulse-sle,lagrange
exits "redundant joints" 0; has "the reference removes redundant rows, too" out '^reference: .*,redundancy=remove with steps'
has "orders are fitted" out '^lagrange:redundancy=remove  *4  *\(3\.9\|4\.0\)'
run converge --all ragdoll --solvers impulse-sle; exits "no reference" 2
has "the reason is printed" err 'failed: lagrange cannot do one-sided joints'

echo "# uncertainty of references"
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
value() { # KEY FILE : prints the first number of that name
  sed -n "s/^ *\"$1\": \([-0-9.e+]*\),*\$/\1/p" "$2" | head -1
}
at_end() { # STEP : prints the final position of the bob
  "$HOLONOM" run ./bob.lua --solver $solver --step "$1" --json | sed -n '/"position": \[/,/\]/p' | sed -n '2,4s/[ ,]//gp'
}
run compare ./bob.lua --solvers impulse-sle --json; told=$(value uncertainty out)
at_end 0.02 >fine; at_end 0.04 >coarse
paste fine coarse | awk -v told="$told" '{ sum += ($1 - $2)^2 }
  END { apart = sqrt(sum); print apart > "apart"; exit !(NR == 3 && apart > 1e-13 && told > 0.999 * apart && told < 1.001 * apart) }'
held=$?
verdict "compare: $told m, the distance of its run from one with twice the step: $(cat apart) m" $held
# Another formulation, or far smaller steps if the motion is not smooth, measures the error of the reference.
positions() { # SCENE DURATION STEP SPEC : prints all final coordinates, three per body
  "$HOLONOM" run "$1" --duration "$2" --step "$3" --solver "$4" --json | sed -n '/"position": \[/,/\]/p' | sed '/[][]/d; s/[ ,]//g'
}
apart() { # FILE FILE : prints the largest distance of a body
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
  verdict "$scene to $t s: uncertainty $told m, error $off m" $? "off by $off m"
  awk -v h="$h" -v step="$step" -v n="$divisor" 'BEGIN { exit !(step > 0.999 * h / n && step < 1.001 * h / n) }'
  verdict "$scene: the reference uses 1/$divisor of the step" $? "step $step"
  run compare "$scene" --solvers xpbd --step "$h" --duration "$t"; has "$scene: the reason is $ground" out "$ground"
done <<CASES
chain 0.01 1 2 $taylor 3 m, rounding; its distance from a run with twice the step is less
double_pendulum 0.01 3 2 $taylor 3 m, rounding;
spherical_pendulum 0.01 5.5 2 $taylor 3 m, rounding;
box_pendulum 0.01 3 4 $taylor 3 m, rounding;
triple_pendulum 0.01 10 8 $taylor 6 m, its distances from runs with twice the step and with half of it
broken 0.01 1 16 $solver 128 m, its distance from a run with twice the step and of that from one with four times it
./bob.lua 0.32 0.96 16 $taylor 24 m, its distance from a run with twice the step)
CASES
# A tree of 127 bodies with steps of 1/30 s: its reference needs fewer steps than with a sixteenth of the step.
run compare tree --solvers impulse-sle --duration 1; has "tree: half the step is enough" out 'with steps of 0.01666666666666666[67] s$'
has "only rounding remains" out '^(uncertain by [0-9.]*e-12 m, rounding;'
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

echo "# cost of references"
# Halvings cost at most four runs with the final step, including the last one with half of it; storing states costs one
# run; the times of all ladders less than five runs, instead of a run per ladder.
run converge --all double_pendulum --duration 4 --solvers impulse-composed:order=8,impulse-sle --json
sed -n '/"reference": {/,/}/p' out >told; step=$(value step told); cost=$(value joint_operations told)
run compare double_pendulum --duration 4 --step "$step" --solvers $solver --json; one=$(value joint_operations out)
awk -v cost="$cost" -v one="$one" 'BEGIN { exit !(one > 0 && cost >= 2 * one && cost <= 10 * one) }'
verdict "the reference: $cost joint operations, of which a run takes $one: 2 to 10" $?

echo "# a cap on the work of converge, and a statement of what it leaves out"
cat >slide.lua <<'LUA'
-- slide.lua: a block that slides and bounces, without a reference of its own
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } }, friction = 0.3 }
sys:body { name = "ball", density = 500, position = { 0, 0.3, 0 }, velocity = { 1, 0, 0 }, friction = 0.3, restitution = 0.5,
           shape = scene.sphere { radius = 0.1 } }
sys:contact {}
sys:defaults { solver = "moreau", step = 0.01, duration = 0.5 }
return sys
LUA
steps() { awk '/"runs"/ { on = 1 } on && /"step":/ { gsub(/[ ,]/, ""); sub(/.*:/, ""); printf "%s ", $0 } /"order"/ { exit }' out; }
run converge ./slide.lua --json; steps >all; hasnt "the default budget leaves out nothing here" out left_out
[ "$(wc -w <all)" -eq 6 ]; verdict "six steps" $?
run compare ./slide.lua --solvers moreau --reference none --json; one=$(value joint_operations out | sed "s,\..*,,")
for share in 319 100 40 20; do
  run converge ./slide.lua --budget $((one * share + 1)) --json; steps >some; words=$(wc -w <some)
  # all runs of k steps, 2^k - 1 of the first, and the reference, 8 times the smallest: 2^(k-1) 8
  awk -v share=$share -v k="$words" 'BEGIN { for (most = 6; most > 3 && 2 ^ most - 1 + 8 * 2 ^ (most - 1) > share; most--);
    printf "#   %d times the first run: %d steps, expected %d\n", share, k, most; exit k != most }'
  verdict "a budget of $share of the first run" $?
  [ "$(cat some)" = "$(cut -d' ' -f1-"$words" all) " ]; verdict "they are the largest" $?
done
has "JSON: what is left out" out '"left_out": {'; has "the estimate is that of all" out "\"operations\": $((one * 319))"
run converge ./slide.lua --budget $((one * 40)); has "the table has it" out "^left out: the steps 0.00125, 0.000625, 0.0003125 s"
run converge ./slide.lua --steps 0.01,0.005,0.0025,0.00125 --budget 1 --json; steps >some
[ "$(wc -w <some)" -eq 3 ]; verdict "steps of --steps as well, down to three" $?

finish
