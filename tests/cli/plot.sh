#!/bin/sh
# plot.sh - `holonom plot`: figures of tables, checked by the contents of their scripts. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"
starts() { # NAME FILE BYTES
  [ "$(head -c ${#3} "$2")" = "$3" ]; verdict "$1" $?
}
numbers() { # FILE : prints the points of its curves
  sed -n 's/^\([0-9.e+-]* [0-9.e+-]*\)$/\1/p' "$1"
}

run sweep pendulum --solvers impulse-sle,lagrange --steps log:0.001:0.1:5 --duration 1 --output t.csv; exits "a table" 0

echo "# kinds of files"
for kind in pdf:%PDF svg:'<?xml' png:"$(printf '\211PNG')"; do
  run plot t.csv --output f.${kind%%:*}; exits "${kind%%:*}" 0; starts "it has the format" f.${kind%%:*} "${kind#*:}"
done
[ ! -e f.pdf.gp ]; verdict "no script remains" $?
run plot t.csv --output f.png --width 85; exits "the width of a column" 0
size=$(od -An -j16 -N4 -tu1 f.png | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }')
[ "$size" -eq 1004 ]; verdict "85 mm at 300 dots an inch: $size of 1004" $?

echo "# contents of figures"
run plot t.csv --output f.gp; exits "a script" 0
[ "$(numbers f.gp | wc -l)" -eq 10 ]; verdict "all ten points" $?
numbers f.gp | head -n 5 | sort -g -c; verdict "over the step" $?
has "axes of logarithms" f.gp '^set logscale y'; has "axes have titles" f.gp "^set ylabel 'position error, m'"
has "curves are labelled" f.gp "^set label 'lagrange' at graph 1.025"
has "slope 2" f.gp "^set label '2' at first"; has "slope 4" f.gp "^set label '4' at first"
corners() { grep 'to first' f.gp | awk -v n="$1" '{ split($5, a, ","); split($8, b, ",") }
  NR == 3 * n - 2 { x0 = a[1]; x1 = b[1]; y0 = a[2] } NR == 3 * n - 1 { y1 = b[2] }
  END { printf "%.3f", log(y1 / y0) / log(x1 / x0) }'; }
[ "$(corners 1)" = 2.000 ] && [ "$(corners 2)" = 4.000 ]; held=$?; verdict "triangles have these slopes: $(corners 1), $(corners 2)" $held
awk '/^set arrow from first/ { split($5, a, ","); split($8, b, ","); if (++n == 2) { low = a[2]; high = b[2] } }
  /^set label .2. at first/ { split($6, at, ","); off = at[2] / sqrt(low * high) - 1; exit !(off < 1e-6 && -off < 1e-6) }' f.gp
verdict "slopes are labelled at the middle of a side" $?
run plot t.csv --slopes 3 --output f.gp; has "a given slope" f.gp "^set label '3' at"
run plot t.csv --slopes none --output f.gp; hasnt "no slope" f.gp 'to first'
run plot t.csv --where solver=lagrange --output f.gp; [ "$(numbers f.gp | wc -l)" -eq 5 ]; verdict "selected rows" $?
run plot t.csv --where step=0.01 --x operations --by scene --output f.gp; exits "over work, points of a solver joined" 0
cat >own.csv <<'CSV'
solver,step,error
"a ""b"", c",0.1,1
"a ""b"", c",0.001,0.001
"a ""b"", c",0.01,0.0316
CSV
run plot own.csv --output f.gp; exits "a table of other origin" 0; has "a name with quotes" f.gp "^set label 'a \"b\", c' at"
numbers f.gp | sort -g -c; verdict "points in order of the step" $?
hasnt "slope 1.5 is no whole number" f.gp 'to first'
run run pendulum --duration 1 --output r.csv --quiet; run plot r.csv --x time --y energy --output f.gp
exits "a record" 0; hasnt "time is linear" f.gp 'logscale x'; has "no symbols" f.gp 'with lines lw'

run compare double_pendulum --duration 0.5 --solvers lagrange,impulse-sle:tolerance=1e-9,iterations=40 --norm max --output rep
for figure in work:joint_operations:error work:step:error errors:time:error errors:time:velocity_error \
  series:time:joint_error series:time:energy_error; do
  table=${figure%%:*} y=${figure##*:}; x=${figure#*:}; x=${x%:*}
  run plot rep/$table.csv --x $x --y $y --width 85 --output f.gp; exits "of a report: $y over $x" 0
  has "both solvers" f.gp "^set label 'impulse-sle:tolerance=1e-9,iterations=40'"
done
run compare ball_tray --contact newton,pgs --duration 0.05 --output tray --quiet
run plot tray/residuals.csv --x iteration --y residual --output f.gp; exits "residual histories" 0
run run chain8 --duration 0.2 --record-rank --output rank.csv --quiet
run plot rank.csv --x time --y smallest_kept --output f.gp; exits "rank over time" 0; hasnt "time is linear" f.gp 'logscale x'

echo "# names, and figures of sweeps"
run plot t.csv --name impulse-sle=SLE --name 'lagrange=Lagrange, RK4' --output f.gp; exits "names from papers" 0
has "the first name" f.gp "^set label 'SLE' at"; has "the second name" f.gp "^set label 'Lagrange, RK4' at"; hasnt "no names of the program" f.gp "lagrange'"
run sweep pendulum --solvers impulse-sle,lagrange --steps log:0.001:0.1:5 --duration 1 --output s.csv --figure s.gp
exits "a sweep with its figure" 0; run plot t.csv --output s2.gp; sed 's/s2.pdf/s.pdf/' s2.gp | cmp -s - s.gp
verdict "equal to plot of the table" $?
run sweep chain --set n=2:4:3 --solvers impulse-sle,lagrange --steps 0.01 --duration 0.1 --y operations --output n.csv \
  --figure n.gp; exits "over the varied parameter" 0; has "the parameter is the title" n.gp "^set xlabel 'n'"
run sweep pendulum --set length=1,2 --steps 0.01,0.02,0.05 --duration 0.1 --output l.csv --figure l.gp
has "a curve for each other value" l.gp "length = 2'"
printf 'solver,step,error\na,1,1\na,2,100\nb,1,0\nb,2,0\n' >zero.csv; run plot zero.csv --output f.gp
hasnt "no entry for missing values" f.gp "'b'"
echo "# several tables, several columns, standard input"
# Letters in PDF have the given size: the size in text matrices that are not superscripts.
if command -v python3 >/dev/null; then
  run plot t.csv --width 85 --output f.pdf
  python3 - >sizes <<'END'
import re, zlib
for part in re.findall(rb"stream\r?\n(.*?)endstream", open("f.pdf", "rb").read(), re.S):
    try:
        text = zlib.decompress(part)
    except zlib.error:
        continue
    for size in re.findall(rb"([\d.]+) 0 0 -[\d.]+ [\d.]+ [\d.]+ Tm", text):
        print(float(size))
END
  points=$(sort -g sizes | tail -n 1)
  awk -v points="${points:-0}" 'BEGIN { exit !(points > 7.9 && points < 8.1) }'
  verdict "letters have 8 points in PDF: $points" $?
fi
# A geometric sequence of steps over less than two decades: a logarithmic axis with 1, 2 and 5 of each decade.
printf 'solver,step,error\na,0.00125,1e-6\na,0.0025,4e-6\na,0.005,1.6e-5\na,0.01,6.4e-5\na,0.02,2.56e-4\n' >ratios.csv
run plot ratios.csv --output f.gp; has "geometric steps have a logarithmic axis" f.gp '^set logscale x'
has "the slope is drawn" f.gp "^set label '2' at first"; has "the axis has more labels than powers" f.gp "xtics (.*'2·10^{-3}'"
printf 'solver,step,error\na,0.002,1e-6\na,0.005,4e-6\na,0.02,1.6e-5\na,0.05,6.4e-5\na,0.065,2.56e-4\n' >one.csv
run plot one.csv --output f.gp; has "one power has too few labels" f.gp "xtics (.*'5·10^{-3}'"
printf 'solver,n,error\na,1,1e-6\na,2,4e-6\na,3,1.6e-5\na,4,6.4e-5\n' >even.csv
run plot even.csv --x n --output f.gp; hasnt "equidistant steps have a linear axis" f.gp '^set logscale x'
run run pendulum --duration 1 --solver lagrange --output l.csv --quiet; run plot r.csv l.csv --x time --y operations --output f.gp
exits "two records" 0; [ "$(numbers f.gp | wc -l)" -eq 200 ]; verdict "all steps of both records, no value at the start" $?
has "a few symbols distinguish curves without colours" f.gp "with linespoints pi 1[67] lw"
has "curves are named by their files" f.gp "^set label 'l' at graph"; has "both curves" f.gp "^set label 'r' at graph"
run plot r.csv l.csv --where table=l --x time --y energy --output f.gp; [ "$(numbers f.gp | wc -l)" -eq 101 ]; verdict "one of them" $?
run plot r.csv --x time --y position_iterations,velocity_iterations --output f.gp; exits "two columns" 0
has "columns are named in words" f.gp "^set label 'velocity iterations' at graph"; has "one title" f.gp "^set ylabel 'iterations a step'"
echo "# units"
titled() { # NAME AXIS TITLE : the title of an axis of f.gp
  title=$(sed -n "s/^set $2label '\(.*\)' noenhanced\$/\1/p" f.gp)
  [ "$title" = "$3" ]; verdict "$1: $title" $? "expected: $3"
}
run run double_pendulum --duration 0.1 --record-forces --output d.csv --quiet
run plot d.csv --x time --y upper.x,lower.y --output f.gp; titled "two positions" y "position, m"
run plot d.csv --x upper.x --y lower.vy,upper.vx --output f.gp; titled "two velocities" y "velocity, m/s"
titled "one position" x "upper.x, m"
run plot d.csv --x time --y lower.wz --output f.gp; titled "one rate" y "lower.wz, rad/s"
run plot d.csv --x time --y lower.qw,lower.qz --output f.gp; titled "quaternions have no unit" y "orientation"
run plot d.csv --x time --y lower.x,lower.wz --output f.gp; titled "two units" y ""
run plot t.csv --y error,drift --by scene,solver --output f.gp; titled "two quantities of one unit" y "position error, joint error, m"
run plot t.csv --y velocity_drift,energy_error --by scene,solver --output f.gp; titled "two quantities of two units" y ""
cat >units.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
scene.param("reach", 1, "of the arm, from its hinge, mm; 0: none")
scene.param("rate", 1, "of the cranks, mean, rad/s: two steps a turn")
scene.param("n", 1, "number of links, even")
scene.param("moment", 1, "least, N m")
scene.param("bare", 1)
sys:particle { name = "a", mass = 1, position = { 1, 0, 0 } }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 0.05 }
return sys
LUA
for about in 'reach:reach, mm' 'rate:rate, rad/s' n:n 'moment:moment, N m' bare:bare; do
  name=${about%%:*}
  run sweep ./units.lua --set "$name=1,2,3" --y operations --output u.csv --figure u.gp
  run plot u.csv --x "$name" --y operations --output f.gp; titled "unit of the parameter $name" x "${about#*:}"
done
run sweep pendulum --set length=1,2,3 --duration 0.1 --y operations --output u.csv --figure f.gp; titled "of an installed scene" x "length, m"
sed 's/^pendulum/gone/' u.csv >gone.csv; run plot gone.csv --x length --y operations --output f.gp; titled "of a scene that is not here" x length
sed '3s/^pendulum/chain8/' u.csv >two.csv; run plot two.csv --x length --y operations --output f.gp; titled "of two scenes" x length

"$HOLONOM" run pendulum --duration 1 --output - | "$HOLONOM" plot - --x time --y impulses --output f.gp >out 2>err; status=$?
exits "a record through a pipe" 0; has "impulses per step" f.gp "^set ylabel 'impulses a step'"
"$HOLONOM" run pendulum --duration 10 --step 0.001 --output - | sed 2d | "$HOLONOM" plot - --x time --y energy --output f.gp >out 2>err
hasnt "time is never logarithmic" f.gp 'logscale x'

echo "# refused options"
refused "a name without a curve" 'did you mean "lagrange"' plot t.csv --name lagrang=x --output f.pdf
refused "an invalid name" 'CURVE=TEXT' plot t.csv --name lagrange --output f.pdf
refused "a figure without its table" '--output FILE.csv' sweep pendulum --duration 0.1 --figure f.pdf
refused "a missing column" 'did you mean "error"' plot t.csv --y eror --output f.pdf
refused "a condition on a missing column" 'no column' plot t.csv --where mu=1 --output f.pdf
refused "an invalid condition" 'COLUMN=VALUE' plot t.csv --where mu --output f.pdf
refused "indistinguishable rows" 'tell them apart with --by or --where: solver' plot t.csv --by scene --output f.pdf
refused "no rows selected" 'no row that is asked for' plot t.csv --where step=7 --output f.pdf
refused "no numbers" 'no row has numbers' plot t.csv --y reason --output f.pdf
refused "no file" 'No such file' plot none.csv --output f.pdf
refused "an unknown kind" '.pdf, .svg or .png' plot t.csv --output f.jpg
refused "no output file" '--output' plot t.csv
refused "too small" 'from 30 to 1000' plot t.csv --width 3 --output f.pdf
refused "a slope on linear axes" 'both axes' plot r.csv --x time --y energy --slopes 2 --output f.pdf
refused "a slope that is not a number" 'not a number' plot t.csv --slopes two --output f.pdf
printf 'step,error\n1,2\n3\n' >short.csv; refused "a line too short" 'line 3 has 1 fields' plot short.csv --output f.pdf
printf 'step,error\n' >empty.csv; refused "no rows" 'without rows' plot empty.csv --output f.pdf
refused "a missing directory" 'cannot write' plot t.csv --output no/f.pdf

finish
