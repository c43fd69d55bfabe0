#!/bin/sh
# contacts.sh - contact figures of compare: measures, time series, residuals of contact solvers over iterations, and
# redundant contacts. Compared with closed forms and with reference runs. Needs HOLONOM.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
scenes=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/scenes
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"

# A column of balls: Gauss-Seidel reduces the error of normal impulses by cos^2(pi/2n) per sweep.
cat >column.lua <<'LUA'
-- column.lua: balls, one on the other
local scene = require "holonom.scene"
local n = scene.param("n", 5, "balls")
local sys = scene.system { gravity = { 0, -10, 0 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } } }
for i = 1, n do
  sys:body { name = "ball" .. i, mass = 2, shape = scene.sphere { radius = 0.5 }, position = { 0, i - 0.5, 0 } }
end
sys:contact {}
sys:defaults { solver = "moreau", step = 0.01, duration = 0.05 }
return sys
LUA
residuals() { # prints those of run $1 of the comparison in out, one per line
  awk -v k="$1" '/"residual_history"/ { n++ } n == k && /^ *-?[0-9][0-9.e+-]*,?$/ { gsub(/[ ,]/, ""); print }
                 n == k && /\]/ { exit }' out
}

echo "# residuals over iterations"
for n in 2 5 20; do
  run compare ./column.lua --set n=$n --solver moreau:warm_start=false --contact pgs --json; exits "a column of $n" 0
  residuals 1 | awk -v n=$n '
    { before = now; now = $1; if (now > 1e-9) rate = now / before }
    END { c = cos(atan2(0, -1) / (2 * n)); printf "#   rate %.9f, cos^2(pi / 2n) %.9f\n", rate, c * c
          exit !(rate - c * c < 1e-5 && c * c - rate < 1e-5) }'
  verdict "pgs: residuals fall by that factor" $?
done
run compare ./column.lua --contact auto --json; exits "the default contact solver, by islands" 0
[ "$(residuals 1 | wc -l)" -ge 1 ]; verdict "it has residuals" $?
run compare ./column.lua --contact pgs,newton --at 0.03 --json; exits "a step given by its time" 0
[ "$(grep -c '"step": 3,' out)" -eq 2 ]; verdict "it is step 3 of both" $?
run compare ./column.lua --solver moreau:sweeps=3 --contact pgs --json; exits "a failing step" 1
has "the failing step is the worst" out '"step": 1,'; [ "$(residuals 1 | wc -l)" -eq 3 ]; verdict "it has three sweeps" $?
run compare ./column.lua --solver moreau:sweeps=3 --contact pgs --at 0.03 --json
has "a step after the end has no residuals" out '"residual_history": null'
# With a warm start, later steps begin with the solution of the first.
run compare ./column.lua --contact pgs --json; has "the worst step is the first" out '"step": 1,'
[ "$(residuals 1 | wc -l)" -gt 20 ]
verdict "it has $(residuals 1 | wc -l) iterations, more than 20" $?
run compare ./column.lua --solver xpbd --json; hasnt "a solver without a contact solver has none" out residual_history
refused "a time after the end" "after the end of the run" compare ./column.lua --at 1

echo "# the report"
run compare ./column.lua --solver moreau:warm_start=false --contact pgs,newton --output report; exits "report" 0
for file in energy contacts penetration law residuals; do
  [ -s report/$file.svg ] && grep -q "($file.svg)" report/report.md; verdict "$file.svg, and the report shows it" $?
done
[ ! -e report/drift.svg ]; verdict "no plot of joints where there are none" $?
has "a table of contacts" out '^solver.*Coulomb, m/s *own law, m/s *penetration, m *energy gained, J'
has "and a second one" out '^solver.*contacts *balance, N s *cone excess, N s *iterations/step'
has "the report has the table of contacts" report/report.md '| Coulomb, m/s | own law, m/s | penetration, m | balance, N s | cone excess, N s |'
has "iterations of the worst step" report/report.md '| moreau:warm_start=false,contact=newton | [0-9]* | 0.0[0-9]* | [1-9] |'
[ "$(awk -F, 'NR > 1 && $(NF - 2) != 5' report/series.csv | wc -l)" -eq 0 ]; verdict "five contacts after every step" $?
rows=$(grep -c contact=pgs report/residuals.csv)
grep -q "| moreau:warm_start=false,contact=pgs | [0-9]* | [0-9.]* | $rows |" report/report.md
verdict "all iterations of pgs in the table" $?

echo "# a reference that is run: another formulation of what scenes know in closed form"
number() { sed -n "s/^ *\"$1\": \([-+0-9.e]*\),*$/\1/p" out | head -n 1; }
against() { # NAME SOLVER PART ARGUMENTS... : both errors differ at most by the uncertainty, which is below PART of them
  name=$1; solver=$2; part=$3; shift 3
  sed -e 's/^sys:reference(function/local unused = (function/' "$scenes/$name.lua" |
    awk '/^sys:expect/ { skip = 1 } !skip; /}$/ { skip = 0 }' >"./$name.lua"
  run compare "$name" --solvers "$solver" --json "$@"; exits "$name, $solver" 0; known=$(number error)
  run compare "./$name.lua" --solvers "$solver" --json "$@"; has "against a run" out "\"name\": \"${trusted:-events:inner=lagrange}"
  found=$(number error); uncertain=$(number uncertainty)
  awk -v a="$known" -v b="$found" -v u="$uncertain" -v part="$part" 'BEGIN {
    d = a > b ? a - b : b - a; printf "#   errors %.3e and %.3e, uncertain by %.1e\n", a, b, u
    exit !(a > 0 && b > 0 && u > 0 && d <= u && u <= part * a) }'
  verdict "errors agree within the uncertainty, which is below $part of them" $?
}
against sliding_cubes moreau 0.01 --duration 3
against sliding_cubes impulse-gs 1 --duration 3
against sliding_cubes moreau 0.01 --duration 3 --set level=true
against bouncing_balls moreau 1 --duration 0.8
against bouncing_balls moreau 1 --duration 0.5
against stack moreau:contact=admm 0.5 --duration 1 --set boxes=10
against ball_tray moreau 0.01 --duration 0.05
# events finds no motion at a step of a paradox of Painleve: time stepping makes the reference
trusted=moreau:contact=newton against painleve moreau 1 --duration 0.2 --set speed=2

echo "# a joint with a stop: a pendulum that falls on it"
cat >stop.lua <<'LUA'
-- stop.lua: a particle on a rod of 1 m without mass, which turns by 30 degrees to a stop and back, e = 1/2
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 } }
local arm = sys:body { name = "arm", mass = 3, inertia = { 1, 1, 1 }, position = { 1, 0, 0 }, velocity = { 0, -1, 0 },
                       angular_velocity = { 0, 0, -1 } }
sys:hinge { sys.ground, arm, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, lower = -math.pi / 6, restitution = 0.5 }
sys:defaults { solver = "impulse-contact", step = 0.01, duration = 1 }
return sys
LUA
# It turns by 1 rad/s to pi / 6 and back by half of that: at 1 s it is at (1 - pi / 6) / 2 - pi / 6.
run compare ./stop.lua --solvers events,moreau --json; exits "its comparison" 0
has "the reference is by events" out '"name": "events:inner=lagrange'; uncertain=$(number uncertainty)
accurate=events:inner=lagrange:stepper=rk8pd
run run ./stop.lua --solver $accurate --json; cp out stop.json
angle=$(awk 'BEGIN { p = atan2(0, -1) / 6; printf "%.17g", (1 - p) / 2 - p }')
awk -v a="$angle" -v u="$uncertain" '/"name": "arm"/ { at = 1 } at && /"position"/ { at = 0; getline x; getline y; sub(",", "", x); sub(",", "", y)
  d = sqrt((x - cos(a)) ^ 2 + (y - sin(a)) ^ 2); printf "#   %.1e m from the closed form, uncertain by %.1e\n", d, u
  exit !(d <= 1e-12 && u <= 1e-12) }' stop.json; verdict "the motion of events is the closed form" $?
run compare ./stop.lua --solvers $accurate,moreau; has "an error below the uncertainty" out "^$accurate  *converged  *<[0-9.e-]* "
has "and one above it" out '^moreau  *converged  *[0-9][0-9.]*e'; has "its cost" out '^(2 runs for the reference, '
has "the best solver" out "^most accurate: $accurate, <"
run compare ./stop.lua --solvers events --reference none; has "none" out 'against nothing (--reference none)'
run compare ./stop.lua --solvers events --reference scene; exits "a scene without one" 2
has "its message" err 'stop has no reference at t = 1 s'
run compare ./stop.lua --solvers moreau --reference impulse-contact --json; has "of a solver" out '"name": "impulse-contact"'
run compare ./stop.lua --solvers moreau --reference stop.json --json; has "of a file" out '"name": "stop.json"'
run compare ./stop.lua --solvers moreau --reference impulse-kontact; exits "a misspelt solver" 2
has "the nearest" err 'did you mean "impulse-contact"?'
run converge ./stop.lua --solver impulse-contact --reference events --steps 0.02,0.01,0.005; exits "converge" 0
has "against events" out 'against events with steps of'
run sweep ./stop.lua --solvers moreau --reference events; has "sweep" out ',events,'

echo "# no reference for chaotic motions: a ball that bounces among others"
cat >billiard.lua <<'LUA'
-- billiard.lua: a ball bounces among fixed ones, and loses nothing
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 }, planar = true }
local circle = scene.circle { radius = 0.4 }
for i = -3, 3 do
  for j = -3, 3 do
    if i ~= 0 or j ~= 0 then
      sys:body { name = "post" .. i .. "_" .. j, fixed = true, position = { i, j, 0 }, restitution = 1, shape = circle }
    end
  end
end
sys:body { name = "ball", mass = 1, shape = scene.circle { radius = 0.1 }, position = { 0.01, 0.02, 0 }, restitution = 1,
           velocity = { 3, 1.2, 0 } }
sys:contact { threshold = 1e-3 }
sys:defaults { solver = "moreau", step = 0.001, duration = 4 }
return sys
LUA
run compare ./billiard.lua --solvers moreau,impulse-gs; exits "compare" 0
has "without a reference: the reason is printed" out '^error at the end against nothing: runs of moreau.* do not come nearer to each other'
has "without a reference: no error" out '^moreau *converged *- '
run compare ./billiard.lua --solvers moreau --json; has "the same in JSON" out '"reference": null'
has "the same in JSON" out '"no_reference": "nothing: runs of moreau'
run compare ./billiard.lua --solvers moreau --duration 0.1 --json; exits "before the first impact" 0
hasnt "before the first impact there is a reference" out '"reference": null'

echo "# redundant contacts"
cat >table.lua <<'LUA'
-- table.lua: a table on four legs, which are the corners of a box
local scene = require "holonom.scene"
local mu = scene.param("mu", 0.5, "friction")
local push = scene.param("push", 0.0, "force to the side, N")
local sys = scene.system { gravity = { 0, 0, -10 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, friction = mu, shape = scene.plane { normal = { 0, 0, 1 } } }
local board = sys:body { name = "board", mass = 10, shape = scene.box { 2, 1, 0.8 }, position = { 0, 0, 0.4 }, friction = mu }
sys:force { sys.ground, board, at = { 0, 0, 0 }, force = { push, 0, 0 } }
sys:contact { margin = 0.02 }
sys:defaults { solver = "moreau", step = 0.01, duration = 0.1 }
return sys
LUA
# Six of twelve forces are undetermined. Parts of rows in the left null space are the diagonal of a projector of rank
# six: their squares sum to 6. Normal forces may only vary as (+, -, +, -), of which each leg has a half.
run compare ./table.lua --solvers moreau:contact=pgs,moreau:contact=newton; exits "a table" 0
has "resting bodies and the rank" out "with the joints: 12 equations, rank 6"
[ "$(grep -c "^floor - board, [1-4] *normal *0\.5000 " out)" -eq 4 ]; verdict "part of each leg: a half" $?
sum=$(awk '/^floor - board/ { free = /normal/ ? $6 : $7; sum += free * free } END { printf "%.3f", sum }' out)
[ "$sum" = 6.000 ]; verdict "squares of all twelve parts" $? "$sum, expected 6.000"
weight() { awk -v k="$1" '/^floor - board.*normal/ { sum += $(6 + k) } END { printf "%.4f", sum }' out; }
[ "$(weight 1) $(weight 2)" = "100.0000 100.0000" ]; held=$?
verdict "with both solvers the legs carry the weight" $held "$(weight 1) N, $(weight 2) N, expected 100.0000"
run compare ./table.lua --set push=80 --solvers moreau; exits "the table is pushed until it slides" 0
has "friction is determined" out "with the joints: 4 equations, rank 3"; hasnt "it is not listed as redundant" out "friction [12]"
run compare ./table.lua --set push=80 --solvers moreau --output report; has "the report has the section" report/report.md "## Redundant contacts"
# A ball without weight floats within the margin of the floor: its contact has no impulse.
sed 's/^sys:contact/sys:body { name = "float", mass = 1, shape = scene.sphere { radius = 0.1 }, position = { 5, 0, 0.115 },\n  gravity = { 0, 0, 0 } }\n&/' \
  table.lua >float.lua
run compare ./float.lua --solvers moreau; has "contacts without impulse are not active" out "with the joints: 12 equations, rank 6"
run compare ./column.lua --solvers moreau; hasnt "a column has forces that are unique" out "not unique"

echo "# laws other than Coulomb's are named in the result"
cat >ramp.lua <<'LUA'
-- ramp.lua: a ball that slides askew, in space
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -10, 0 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } }, friction = 0.5 }
sys:body { name = "ball", mass = 2, shape = scene.sphere { radius = 0.5 }, position = { 0, 0.5, 0 }, velocity = { 3, 0, 1 },
           friction = 0.5 }
sys:contact {}
sys:defaults { solver = "moreau", step = 0.01, duration = 0.05 }
return sys
LUA
law() { # checks that a run by solver $1 solves law $2, and warns if that is not Coulomb's
  run run ./ramp.lua --solver "$1" --json; exits "$1" 0
  has "$1: its law" out "\"law\": \"$2\""
  case $2 in
    Coulomb) has "$1: no warning" out '"warnings": \[\]' ;;
    *) has "$1: a warning" out "another law than Coulomb's, $2" ;;
  esac
  own=$(sed -n 's/^ *"own_residual_max": \([-+0-9.e]*\),*$/\1/p' out)
  case $1 in events:*|xpbd) return ;; esac # they slide by equations, and by no contact solver
  awk -v a="$own" 'BEGIN { exit !(a != "" && a + 0 <= 1e-10) }'
  verdict "$1: residual of its own law: $own m/s, bound 1e-10" $?
}
law moreau Coulomb
law moreau:contact=pgs:local=disk Coulomb
law moreau:contact=pgs:local=box 'friction in a box'
law moreau:preset=gribel2009 'friction in a box'
law moreau:contact=pgs:local=pyramid 'friction in a pyramid of 4 faces'
law moreau:contact=lemke 'friction in a pyramid of 8 faces'
law moreau:contact=lemke:directions=5 'friction in a pyramid of 5 faces'
law moreau:contact=apgd 'relaxed (sliding contacts lift off)'
law moreau:contact=pgs:then=apgd 'relaxed (sliding contacts lift off)'
law moreau:contact=sap 'relaxed, regularised by 0.025 k (normal), 0.001 k (tangents)'
law events Coulomb
law events:contact=lemke 'friction in a pyramid of 8 faces'
law xpbd Coulomb
run run ./ramp.lua --solver moreau:contact=lemke; has "the summary" out "solves another law than Coulomb's"
run compare ./ramp.lua --solvers moreau,moreau:contact=lemke
has "the table of compare" out "moreau:contact=lemke: its contact solver solves another law"
run run stack --solver moreau:contact=lemke --duration 0.02 --json; has "in the plane a pyramid is the cone" out '"law": "Coulomb"'
run problem ./ramp.lua --contact lemke,newton; exits "a problem in space" 0
has "its law" out 'lemke .*converged (pyramid of 8) .*friction in a pyramid of 8 faces'
has "beside" out 'newton .*converged  .*Coulomb$'
run problem ./ramp.lua --contact apgd --json; has "in JSON" out '"law": "relaxed (sliding contacts lift off)"'
# Each solution has the residual mu t / sqrt(1 + mu^2) of the other law, along the edge of the cone, where t is the slip
# after the step: sqrt(10) - 7/2 mu g h, by the relaxed law over 1 + 7/2 mu^2, since the ball lifts off at mu t.
residual() { sed -n "s/^ *\"$1\": \([-+0-9.e]*\),*\$/\1/p" out; }
near() { # NAME KEY EXPECTED : within the tolerance of the solvers
  awk -v a="$(residual "$2")" -v b="$3" 'BEGIN { d = a - b; exit !(a != "" && d * d <= 1e-18) }'
  verdict "$1: $(residual "$2") m/s, $3 +- 1e-9" $?
}
slip=$(awk 'BEGIN { printf "%.12f", sqrt(10) - 0.175 }')
near "apgd, residual of the relaxed law" relaxed_residual 0
near "which is its own" own_residual 0
near "of Coulomb's" residual "$(awk -v t="$slip" 'BEGIN { printf "%.12f", 0.5 * t / 1.875 / sqrt(1.25) }')"
run problem ./ramp.lua --contact newton --json
near "newton, residual of Coulomb's law" residual 0
near "which is its own" own_residual 0
near "of the relaxed one" relaxed_residual "$(awk -v t="$slip" 'BEGIN { printf "%.12f", 0.5 * t / sqrt(1.25) }')"

finish
