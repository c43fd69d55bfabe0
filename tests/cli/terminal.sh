#!/bin/sh
# terminal.sh - output of the command on terminals of 80 columns and other widths. Needs HOLONOM, the command, and
# script(1) for its terminals.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"
erased=$(printf '\r\033')'\[K' # the progress line of a command that takes more than a second ends with this
seen() { # COLUMNS ARGUMENTS... : writes what stays on the screen to out
  columns=$1; shift
  script -qec "stty cols $columns; '$HOLONOM' $*" typescript >/dev/null 2>err </dev/null
  sed "1d;\$d;s/.*$erased//" typescript | tr -d '\r' >out
}
widest() { awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }' out; }
fits() { # NAME COLUMNS
  [ "$(widest)" -le "$2" ] && [ "$(wc -l <out)" -gt 2 ]; held=$?; verdict "$1: $(widest) columns" $held "wider than $2"
}

for words in "list solvers" "list joints" "list forces" "list scenes" "list contact" "list linear" \
  "list parameters moreau" "--help" "help sweep" "help compare" "help run" "help plot"; do
  seen 80 "$words"; fits "$words" 80
done
two="compare pendulum --duration 0.1 --solvers impulse-sle,lagrange --quiet"
seen 80 $two; fits "compare" 80; hasnt "no column is left out" out 'left out'
has "errors are first" out '^solver .*error, m.*energy, J$'; has "then work" out '^per step .*factorisations  *us$'
run $two; fits "in a file" 80; has "errors are first" out '^solver .*error, m.*energy, J$'
has "then work" out '^per step .*factorisations  *us$'
seen 80 $two --wide; has "one table" out 'energy, J .*factorisations/step'
seen 160 $two; has "one table on a wide terminal" out 'energy, J .*factorisations/step'
seen 60 $two; fits "a narrow terminal" 60
has "omitted columns are reported" out 'left out: .*velocity'; has "how to show them is printed" out 'wide shows all'
has "the column of errors is shown" out 'error, m'
for words in "compare chain8 --duration 0.1 --quiet" "compare ball_tray --duration 0.01 --quiet"; do
  run $words; fits "$words in a file" 80
done
[ "$(grep -c '^taylor' out)" -eq 1 ]; verdict "a solver that did not run has one row" $?
# The line of the most accurate solver agrees with the JSON.
compare="compare chain8 --duration 0.05 --solvers impulse-sle,xpbd,half-explicit,lagrange:order=9"
refused "a solver with a mistake" 'order' $compare
compare="compare chain8 --duration 0.05 --solvers impulse-sle,xpbd,half-explicit"
run $compare; has "the most accurate solver" out '^most accurate: half-explicit, [0-9.e-]* m at the end, [0-9]* joint operations$'
best=$(sed -n 's/^most accurate: half-explicit, \(.*\) m at the end, \(.*\) joint operations$/\1 \2/p' out)
run $compare --json
python3 -c 'import json; r = min(json.load(open("out"))["runs"], key=lambda r: r["error"])
print(r["spec"], "%.3e %.0f" % (r["error"], r["joint_operations"]))' >least
[ "$(cat least)" = "half-explicit $best" ]; verdict "it is that of the JSON: $(cat least)" $? "the line has $best"
run compare chain8 --duration 0.05 --solvers xpbd; hasnt "one solver is not compared" out 'most accurate'
run compare pendulum --solvers impulse-sle,lagrange:stepper=rk8pd,stabilisation=projection --step 0.001
hasnt "a closed form is certain" out 'uncertainty'

for words in "run chain8 --duration 0.1" "compare chain8 --duration 0.1" "compare ball_tray --duration 0.01" \
             "converge pendulum --duration 0.2" "check pendulum" "rank cuboid28"; do
  seen 80 "$words"; fits "$words, all of it" 80
done
seen 80 compare ball_tray --duration 0.01; has "items of lists are indented" out '^  [a-z]'
seen 80 compare ball_tray --duration 0.01 --solvers impulse-extrapolated,lagrange,taylor
[ "$(grep -c '^- ' out)" -eq 1 ]; verdict "solvers unsupported for one reason are one item" $?
seen 80 converge pendulum --duration 0.2; has "errors have significant digits" out ' [0-9]\.[0-9]*e-[0-9]*  '
seen 80 list joints; has "lines break between words" out '^  *the axis$'
run help nothing; exits "help without a command" 2; has "it is reported" err 'no command'
run help rank; exits "help of a command" 0; has "it equals its --help" out '^Usage: holonom rank'

finish
