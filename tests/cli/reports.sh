#!/bin/sh
# reports.sh - what a reader of reports and pictures cannot see to be wrong: marks of failed runs and of values below a
# plot's range, iterations of residuals, joint forces that are not unique, far faces. Needs HOLONOM and gnuplot.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
command -v gnuplot >/dev/null || without "gnuplot is missing"

echo "# marks in the plot of errors against work"
run compare chain8 --solvers impulse-gs:iterations=1,impulse-sle --duration 0.1 --steps 0.01,0.005 --output report --quiet
exits "one solver fails: a report" 0
# The functions of the plot, evaluated by gnuplot where a range of 1e-6 to 1e-4 m is shown.
{
  sed -n '/^shown(y)/p; /^result(/p; /^failed(/p; /^off(/p' report/work.gp
  cat <<'GP'
floor = 1e-6
top = 1e-4
inside(y) = y >= floor && y <= 30 * top ? 1 : 0
print sprintf("a result in the range is where it is: %d", result(2e-5, 'converged') == 2e-5)
print sprintf("one below the range is at its edge: %d", result(3e-9, 'converged') == floor)
print sprintf("no error is at the edge, too: %d", result(0, 'converged') == floor)
print sprintf("a failed run is above all results: %d", failed('stalled') > top && inside(failed('stalled')))
print sprintf("a large error is above all results, below failed runs: %d", off(1, 'converged') > top && off(1, 'converged') < failed('stalled'))
print sprintf("a run that converged has no mark of a failure: %d", failed('converged') != failed('converged'))
print sprintf("nor one of a large error: %d", off(2e-5, 'converged') != off(2e-5, 'converged'))
floor = 0
print sprintf("nothing is drawn at zero where the range has no floor: %d", shown(0.0) != shown(0.0))
GP
} >functions.gp
gnuplot functions.gp >seen 2>&1
while read -r line; do [ "${line##* }" = 1 ]; verdict "${line%: *}" $?; done <seen
[ "$(wc -l <seen)" -eq 8 ]; verdict "all functions were evaluated" $? "$(cat seen)"

echo "# residuals"
cat >column.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -10, 0 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } } }
for i = 1, 5 do sys:body { name = "ball" .. i, mass = 2, shape = scene.sphere { radius = 0.5 }, position = { 0, i - 0.5, 0 } } end
sys:contact {}
sys:defaults { solver = "moreau", step = 0.01, duration = 0.05 }
return sys
LUA
run compare ./column.lua --solver moreau:warm_start=false --contact pgs --output residuals --quiet; exits "a report with residuals" 0
run compare ./column.lua --solver moreau:warm_start=false --contact pgs --json
awk -F, 'NR > 1 { if ($(NF - 1) != NR - 1) bad++; print $NF > "listed" } END { exit bad > 0 || NR < 100 }' residuals/residuals.csv
verdict "iterations are counted from one" $? "$(sed -n 2p residuals/residuals.csv)"
awk '/"residuals": \[/ { on = 1; next } on && /\]/ { exit } on { gsub(/[ ,]/, ""); print }' out >wanted
cmp -s listed wanted; verdict "$(wc -l <wanted) residuals are those of the JSON" $?
n=$(sed -n '/"residual_history"/,$s/^ *"iterations": \([0-9]*\),*$/\1/p' out | head -1)
[ "$n" = "$(wc -l <wanted)" ]; verdict "as many as iterations" $? "$n"

echo "# forces that are not unique"
# Two ball joints hold a bar on a line: only their forces along it are not unique.
for axis in x y z; do
  case $axis in x) far=1,0,0 ;; y) far=0,1,0 ;; *) far=0,0,1 ;; esac
  cat >bar.lua <<LUA
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0.7, -9.81, 0.4 } }
local bar = sys:body { name = "bar", mass = 2, inertia = { 0.3, 0.29, 0.1 }, position = { 0.2, 0.1, 0.3 } }
local bob = sys:body { name = "bob", mass = 1, inertia = { 0.1, 0.1, 0.1 }, position = { 0.2, -1, 0.5 } }
sys:ball { sys.ground, bar, at = { 0, 0, 0 }, name = "near" }
sys:ball { sys.ground, bar, at = { $far }, name = "far" }
sys:ball { bar, bob, at = { 0.2, 0.1, 0.5 }, name = "hook" }
sys:defaults { solver = "lagrange:redundancy=min-norm", step = 0.01, duration = 0.1 }
return sys
LUA
  run run ./bar.lua; exits "a bar on a line along $axis" 0
  grep -c 'not unique$' out >n; grep -q '^near .* not unique$' out && grep -q '^far .* not unique$' out && [ "$(cat n)" = 2 ]
  verdict "the forces of its two joints are not unique, that of the hook is" $?
done

echo "# far faces"
# From above: a square floor of 400 m, turned by 45 degrees, with its corner below a marble. What is drawn of it
# ends on its edges or where it is cut off.
cat >corner.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
sys:body { name = "floor", fixed = true, position = { 200 * math.sqrt(2), -1, 0 }, axis_angle = { 0, 1, 0, math.pi / 4 },
           shape = scene.box { 400, 1, 400 } }
sys:body { name = "marble", density = 1000, position = { 0, 0, 0 }, shape = scene.sphere { radius = 0.5 } }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 0.1 }
return sys
LUA
run draw ./corner.lua --view xz --output p.gp; exits "a picture" 0
grep '^set object 2 .*#BABABA' p.gp | tr ' ' '\n' | awk -F, 'NF == 2 && /^-?[0-9]/ {
    x = $1 + 0; y = $2 < 0 ? -$2 : $2 + 0; n++; if (y > x + 1e-4 || x > 10) bad++; else if (y > x - 1e-4) on++ }
  END { printf "%d corners, %d on the edges", n, on; exit !(n == 4 && on == 4 && !bad) }' >seen
verdict "the floor ends on its edges: $(cat seen)" $?
finish
