#!/bin/sh
# published.sh - the installed studies: own results beside published ones. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"

column() { # NAME FILE : prints the values of a column; quoted texts have no commas here
  sed 's/"[^"]*"/text/g' "$2" | awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }'
}
row() { # N : prints the Nth value of standard input
  sed -n "$1p"
}
between() { # NAME VALUE LOW HIGH
  awk -v a="$2" -v l="$3" -v h="$4" 'BEGIN { exit !(a != "" && a >= l && a <= h) }'; verdict "$1: $2, from $3 to $4" $?
}

echo "# every study"
run list studies --json; exits "the studies are listed" 0
names=$(sed -n 's/.*"name": "\(.*\)",*/\1/p' out); count=$(echo "$names" | wc -l)
[ "$count" -ge 12 ]; verdict "$count studies" $?
hasnt "each has a summary" out '"summary": ""'
for name in $names; do
  case $name in record*) continue ;; bender2006*) small="--set n=31" ;; *) small= ;; esac # record.sh has those
  run sweep "$name" $small --duration 0.03 --output s.csv
  failed_rows=$(column reason s.csv | grep -vc converged)
  [ "$status" -eq 0 ] && [ "$failed_rows" -eq 0 ]; held=$?; verdict "$name: $(column reason s.csv | wc -l) runs" $held "$failed_rows failed"
  rm -f s.csv
done

echo "# the heavy top: slopes beside the published ones"
run sweep bruls2012_heavy_top --steps 0.0002,0.0001 --duration 0.2 --output t.csv; exits "two steps" 0
for error in error velocity_error force_error; do
  sed 's/"[^"]*"/text/g' t.csv | awk -F, -v e=$error 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    NR % 2 == 0 { coarse = $c[e]; next }
    { print $c["solver"], log(coarse / $c[e]) / log(2), $c["published"] - 0.2, $c["published"] + 0.2 }' >slopes
  [ "$(wc -l <slopes)" -ge 7 ]; verdict "$error: $(wc -l <slopes) solvers" $?
  while read -r solver slope low high; do between "$error of $solver" "$slope" "$low" "$high"; done <slopes
done

echo "# error against work of solvers of contact"
# Prints the least work with an error below BOUND of the solvers that MATCH.
least() { # MATCH BOUND FILE
  sed 's/"[^"]*"/text/g' "$3" | awk -F, -v m="$1" -v e="$2" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    $c["solver"] ~ m && $c["error"] < e && (!w || $c["operations"] < w) { w = $c["operations"] + 0 } END { print w ? w : 1e99 }'
}
run sweep contact_ladder --output l.csv --figure l.svg --x operations --by solver; exits "the ladder" 0
grep -q 'rk8pd' l.svg; verdict "diagram of the ladder" $?
for name in moreau xpbd tgs-soft; do
  a=$(least "^impulse-contact" 1e-3 l.csv); b=$(least "^$name" 1e-3 l.csv)
  awk -v a="$a" -v b="$b" 'BEGIN { exit !(a < b) }'; verdict "1 mm: impulse-contact $a, $name $b joint operations" $?
done
a=$(least "^events$" 1e-6 l.csv); b=$(least "^impulse-contact" 1e-6 l.csv)
awk -v a="$a" -v b="$b" 'BEGIN { exit !(a < b) }'; verdict "1 um: events $a, impulse-contact $b" $?
a=$(least "^events.*rk8pd" 1e-10 l.csv); b=$(least "^events$" 1e-10 l.csv)
awk -v a="$a" -v b="$b" 'BEGIN { exit !(a < b) }'; verdict "1e-10 m: with rk8pd $a, with rk4 $b" $?

echo "# compared with the papers"
run sweep bender2006_star --set n=31 --set section=0.1; exits "the star" 0
has "our ratio of times beside the paper's" out 'us_per_step *time_ratio *paper_ratio'
awk '$2 ~ /^impulse/ { n++; least = n == 1 || $3 < least ? $3 : least; t[n] = $3; r[n] = $4; p[n] = $5 } END {
  for (i = 1; i <= n; i++) { d = r[i] - t[i] / least; if (d < 0) d = -d; if (d > 0.01 * r[i]) exit 1 }
  exit !(n == 2 && p[1] == 80 && p[2] == 1 && r[2] == 1) }' out; verdict "it is the quotient of us_per_step" $? "$(cat out)"
run sweep bender2006_table3 --set n=127 --set section=0 --output t.csv; exits "table 3" 0
[ "$(column paper_us t.csv | tr '\n' ' ')" = "18780 18950 20090 " ]; verdict "times of table 3" $?
[ "$(column position_iterations t.csv | row 3)" = 2 ] && [ "$(column velocity_iterations t.csv | row 3)" = 1 ]
verdict "2 iterations for the joints and one for the velocities at 1e-6, as table 1 has" $?
column us_per_step t.csv | awk '!($1 > 0) { bad = 1 } END { exit bad || NR != 3 }'; verdict "own times" $?
column wall_spread_s t.csv | awk '!($1 >= 0) { bad = 1 } END { exit bad || NR != 3 }'; verdict "times have a spread" $?
run sweep bender2005_chain --output c.csv; exits "the chain" 0
between "passes a step, mean" "$(column mean c.csv | row 1)" 130 194
between "least" "$(column least c.csv | row 1)" 40 60; between "most" "$(column most c.csv | row 1)" 465 697
run run chain8 --set down=2 --set length=0.5 --set section=0.05 --set span=2.92 --duration 10 --json \
  --solver impulse-gs:tolerance=1e-12,velocity_tolerance=1e-12,flight=taylor,flight_order=5
least=$(sed -n '/impulses_per_step/,/}/s/^ *"min": \([0-9]*\),*/\1/p' out)
[ "$(column impulses_least c.csv | row 1)" = "$least" ]; verdict "smallest impulses are those of run: $least" $?
run sweep ivp_andrews --solvers lagrange:stepper=rk8pd,stabilisation=projection --output a.csv
between "digits shared with the IVP test set" "$(column scd a.csv)" 9 11
run sweep ivp_car_axis --solvers lagrange:stepper=rk8pd,stabilisation=projection --output a.csv
between "and of the car axis" "$(column scd a.csv)" 11 13
run sweep iftomm_a02 --solvers impulse-sle:redundancy=remove --output b.csv
awk -v x="$(column x b.csv)" -v k="$(column known_x b.csv)" 'BEGIN { d = x - k; exit !(d * d < 1e-8) }'
held=$?
verdict "four-bars: x = $(column x b.csv), known $(column known_x b.csv)" $held

echo "# printed tables"
run sweep ivp_andrews --solvers taylor,impulse-sle; exits "printed on the screen" 0
has "printed under its summary" out "^angles of Andrews' squeezer"; has "the selected columns" out '^solver  *beta  *paper_beta '
[ "$(grep -c converged out)" -eq 2 ]; verdict "a line for each run" $?
hasnt "no other columns" out 'hash'
cat >study.lua <<'LUA'
local study = require "holonom.study"
return study { scene = "pendulum", duration = 0.1, show = { "solver", "eror" } }
LUA
refused "a missing column" 'did you mean "error"' sweep study.lua
sed 's/show = .*/times = 0 }/' study.lua >times.lua; refused "no measurement" 'from 1 to 1024' sweep times.lua
refused "--repeat without times" 'needs --times' sweep pendulum --repeat 3 --duration 0.1
sed 's/show = .*/beside = "none.csv" }/' study.lua >beside.lua
if command -v gnuplot >/dev/null; then
  refused "a file that is not there" 'none.csv' sweep beside.lua --output b.csv --figure b.svg
  run sweep ivp_car_axis_work --solvers radau:adaptive=true --output w.csv --figure w.svg --x evaluations --y scd --by code
  has "two curves" out '^2 curves'; has "one of them is RADAU5" w.svg RADAU5
fi
refused "no study of that name" 'did you mean' sweep bender2006_tabel1

finish
