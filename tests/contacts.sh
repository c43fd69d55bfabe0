#!/bin/sh
# contacts.sh - what compare tells of contacts: measures, courses, residuals of solvers over their iterations. Needs
# HOLONOM.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/..}" && pwd)/tests/lib.sh"

# Balls, one on the other, whose normal impulses Gauss-Seidel finds by a factor of cos^2(pi/2n) a sweep.
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
residuals() { # of the run number $1 of the comparison in out, one a line
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
  verdict "pgs: its residuals fall by that factor" $?
done
run compare ./column.lua --contact pgs,newton --at 0.03 --json; exits "a step by its time" 0
[ "$(grep -c '"step": 3,' out)" -eq 2 ]; verdict "is step 3 of both" $?
run compare ./column.lua --solver moreau:sweeps=3 --contact pgs --json; exits "a step that fails" 0
has "is the worst" out '"step": 1,'; [ "$(residuals 1 | wc -l)" -eq 3 ]; verdict "with its three sweeps" $?
run compare ./column.lua --solver moreau:sweeps=3 --contact pgs --at 0.03 --json
has "a step that is not reached has none" out '"residual_history": null'
run compare ./column.lua --solver xpbd --json; hasnt "nor has a method without such a solver" out residual_history
refused "a time behind the end" "behind the duration" compare ./column.lua --at 1

echo "# the report"
run compare ./column.lua --solver moreau:warm_start=false --contact pgs,newton --output report; exits "report" 0
for file in energy contacts penetration law residuals; do
  [ -s report/$file.svg ] && grep -q "($file.svg)" report/report.md; verdict "$file.svg, and the report shows it" $?
done
[ ! -e report/drift.svg ]; verdict "no plot of joints where there are none" $?
has "a table of contacts" out '^solver.*law of contact, m/s *penetration, m *balance, N s *cone excess, N s'
has "in the report too" report/report.md '| law of contact, m/s | penetration, m | balance, N s | cone excess, N s |'
has "iterations of the worst step" report/report.md '| moreau:warm_start=false,contact=newton | [0-9]* | 0.0[0-9]* | [1-9] |'
[ "$(awk -F, 'NR > 1 && $5 != 5' report/series_1_moreau.csv | wc -l)" -eq 0 ]; verdict "five contacts after every step" $?
rows=$(wc -l <report/residuals_1_moreau.csv)
grep -q "| moreau:warm_start=false,contact=pgs | [0-9]* | [0-9.]* | $((rows - 1)) |" report/report.md
verdict "all iterations of pgs in its file" $?

finish
