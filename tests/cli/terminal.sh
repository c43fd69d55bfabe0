#!/bin/sh
# terminal.sh - what the command prints on a terminal of 80 columns. Needs HOLONOM, the command, and script(1), which has
# terminals.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"
seen() { # COLUMNS ARGUMENTS...: what is on the screen, in out
  columns=$1; shift
  script -qec "stty cols $columns; '$HOLONOM' $*" typescript >/dev/null 2>err </dev/null
  sed '1d;$d' typescript | tr -d '\r' | sed "s/$(printf '\033')\[K//g" >out
}
widest() { awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }' out; }
fits() { # NAME COLUMNS
  [ "$(widest)" -le "$2" ] && [ "$(wc -l <out)" -gt 2 ]; held=$?; verdict "$1: $(widest) columns" $held "wider than $2"
}

for words in "list solvers" "list joints" "list forces" "list scenes" "list contact" "list linear" \
  "list parameters moreau" "--help" "help sweep" "help compare" "help run" "help plot"; do
  seen 80 "$words"; fits "$words" 80
done
seen 80 compare pendulum --duration 0.1 --solvers impulse-sle,lagrange --quiet; fits "compare" 80
has "what is left out is said" out 'left out: .*max'; has "and how to see it" out 'wide shows all'
has "the error stays" out 'error, m'
seen 80 compare pendulum --duration 0.1 --solvers impulse-sle,lagrange --quiet --wide; has "all of it" out 'factorisations/step'
hasnt "and nothing is left out" out 'left out'
seen 160 compare pendulum --duration 0.1 --solvers impulse-sle,lagrange --quiet; has "nor on a wide screen" out 'factorisations/step'
run compare pendulum --duration 0.1 --solvers impulse-sle,lagrange --quiet; has "nor in a file" out 'factorisations/step'
for words in "run chain8 --duration 0.1" "compare chain8 --duration 0.1" "compare ball_tray --duration 0.01" \
             "converge pendulum --duration 0.2" "check pendulum" "rank cuboid28"; do
  seen 80 "$words"; fits "$words, all of it" 80
done
seen 80 compare ball_tray --duration 0.01; has "items of a list hang" out '^  [a-z]'
seen 80 compare ball_tray --duration 0.01 --solvers impulse-newton,lagrange,taylor
[ "$(grep -c '^- ' out)" -eq 1 ]; verdict "solvers that cannot do it for one reason are one item" $?
seen 80 converge pendulum --duration 0.2; has "errors have the digits that mean something" out ' [0-9]\.[0-9]*e-[0-9]*  '
seen 80 list joints; has "texts are broken between words" out '^  *the axis$'
# A study of seconds, so that its line is drawn more than once.
script -qec "'$HOLONOM' converge --all chain8 --duration 2 --solvers impulse-sle,impulse-gs --budget 5e7" typescript >/dev/null 2>&1 </dev/null
tr '\r' '\n' <typescript >out
has "how far a study is" out 'chain8 .* % *1 of 2 *[0-9]* s, about [0-9]* s left'
run help nothing; exits "help of nothing" 2; has "is told" err 'no command'
run help rank; exits "help of a command" 0; has "is its --help" out '^Usage: holonom rank'

finish
