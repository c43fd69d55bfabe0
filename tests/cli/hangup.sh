#!/bin/bash
# hangup.sh - signals that stop a run between two steps: its record remains. A hangup that is ignored when the
# command begins, as by nohup, does not stop it. Needs HOLONOM.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"

for signal in INT TERM HUP; do
  rm -f r.csv
  "$HOLONOM" run chain8 --duration 100000 --output r.csv >out 2>err & process=$!
  waits_for -s r.csv.part; stops $process $signal; exits "SIG$signal: exit status 1" 1
  has "it is told" err '^holonom: interrupted (stopped at t = '
  awk -F, 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad || NR < 2 }' r.csv
  verdict "the record has $(($(wc -l <r.csv) - 1)) whole lines" $?
done

rm -f r.csv
# Two seconds of work, and the signal as soon as the record has its first lines.
long="run chain8 --duration 200 --step 0.001 --every 10 --output r.csv --quiet"
(trap '' HUP; exec "$HOLONOM" $long) >out 2>err & process=$!
waits_for -s r.csv.part; kill -HUP $process; running=$?; wait $process; status=$?
[ $running -eq 0 ]; verdict "a hangup reaches the run" $?
exits "a hangup that is ignored: exit status 0" 0; hasnt "no message" err interrupted
time=$(tail -n 1 r.csv | cut -d, -f2); [ "$time" = 200 ]; verdict "the record ends at t = $time s" $?

finish
