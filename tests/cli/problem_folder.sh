#!/bin/sh
# problem_folder.sh - `holonom problem FOLDER`: a table of problems x contact solvers x tolerances, interrupted and
# resumed. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"
has_module hn_hdf5 || without "Holonom was built without HDF5"
field() { # PROBLEM SOLVER TOLERANCE COLUMN : prints a field of t.csv
  awk -F, -v p="$1" -v s="$2" -v t="$3" -v c="$4" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) k = i }
    $1 == p && $5 == s && $6 == t { print $k }' t.csv
}
without_times() { # FILE : prints the table without its column of times
  awk -F, '{ $12 = ""; print }' "$1"
}

mkdir set none; echo "no problem" >set/broken.hdf5; echo "a note" >set/notes.txt
run problem sliding_cubes --at 0.1 --contact newton --output set/cubes.hdf5; exits "a problem" 0
run problem pyramid --set rows=8 --contact newton --output set/heap.h5; exits "another one" 0
echo "# the table"
run problem set --contact newton,admm,apgd --tolerances 1e-4,1e-8 --jobs 2 --output t.csv --quiet; exits "a folder" 0
[ "$(wc -l <t.csv)" -eq 19 ]; verdict "3 files x 3 solvers x 2 tolerances, and a head" $?
[ "$(cut -d, -f1 t.csv | sed 1d | uniq | tr '\n' ' ')" = "broken.hdf5 cubes.hdf5 heap.h5 " ]; verdict "in the order of their names" $?
[ "$(grep -c '^broken.hdf5,.*,error,.*not an HDF5 file' t.csv)" -eq 6 ]; verdict "a file that is no problem has rows of errors" $?
for solver in newton admm; do
  for tolerance in 0.0001 1e-08; do
    residual=$(field cubes.hdf5 $solver $tolerance residual)
    awk -v r="$residual" -v t=$tolerance 'BEGIN { exit !(r != "" && r <= t) }'; verdict "$solver, $tolerance: residual $residual" $?
  done
done
"$HOLONOM" problem set/cubes.hdf5 --contact admm:tolerance=1e-8 --json >one
same=$(sed -n 's/.*"residual": \([^,]*\),.*/\1/p' one); [ "$(field cubes.hdf5 admm 1e-08 residual)" = "$same" ]
verdict "the residual of the problem alone: $same" $?
[ "$(field cubes.hdf5 newton 1e-08 contacts)" = 40 ] && [ "$(field cubes.hdf5 newton 1e-08 rows)" = 120 ]
verdict "40 contacts of 3 rows" $?
[ "$(field cubes.hdf5 apgd 1e-08 reason)" = converged ] && awk -v r="$(field cubes.hdf5 apgd 1e-08 residual)" 'BEGIN { exit !(r > 0.1) }'
verdict "apgd converges to another law" $?
run problem set --contact newton,admm,apgd --tolerances 1e-4,1e-8 --jobs 1; exits "with one worker, on standard output" 0
without_times t.csv >a; without_times out >b; cmp -s a b; verdict "the table is the same but for times" $?
run problem set --contact newton --output t.h5 --quiet; exits "as HDF5" 0; [ "$(head -c 4 t.h5 | tail -c 3)" = HDF ]; verdict "it has the format" $?
run problem set --contact newton --output t.csv; has "default tolerance" t.csv '^cubes.hdf5,40,120,0,newton,1e-09,'

echo "# interrupted and resumed"
rm -f set/broken.hdf5; set -- problem set --contact newton,pgs:iterations=100000 --tolerances 1e-13 --jobs 1
run "$@" --output whole.csv --quiet; exits "a table with a slow row" 0
"$HOLONOM" "$@" --output part.csv --quiet >out 2>err & pid=$!
tries=0; while [ "$(grep -c '^r' part.csv.journal 2>/dev/null)" != 2 ] && kill -0 $pid 2>/dev/null && [ $tries -lt 500 ]; do sleep 0.01; tries=$((tries + 1)); done
kill -KILL $pid; wait $pid 2>/dev/null; [ -e part.csv.journal ]; verdict "killed: the journal remains" $?
rows=$(grep -c '^r' part.csv.journal); [ "$rows" -ge 2 ] && [ "$rows" -lt 4 ]; verdict "with $rows of 4 rows" $?
refused "a journal is not overwritten" "resume" "$@" --output part.csv
refused "other solvers are another table" "another sweep" problem set --contact admm --tolerances 1e-13 --output part.csv --resume
cp part.csv.journal first; run "$@" --output part.csv --quiet --resume; exits "resumed" 0
without_times whole.csv >a; without_times part.csv >b; cmp -s a b; verdict "the whole table" $?
[ "$(sed -n 2p part.csv)" = "$(sed -n 's/^r 0 [0-9a-f]* .//p' first)" ]; verdict "the first row is that of the journal, with its time" $?

echo "# misuse"
refused "an empty folder" "none holds no problem" problem none
refused "an unknown contact solver" '"newtom"; did you mean "newton"' problem set --contact newtom
refused "a tolerance of 0" "greater than zero" problem set --tolerances 0
refused "a parameter of a scene" "not for problems of a folder" problem set --set n=2
refused "a parameter of a solver" "not for problems of a folder" problem set --tolerance 1e-3
refused "JSON" "json: not for problems of a folder" problem set --json
refused "tolerances of a file" "not for problems of a file" problem set/cubes.hdf5 --tolerances 1e-3
refused "workers of a scene" "not for problems of a scene" problem sliding_cubes --jobs 2
refused "a time of a file" "at: not for problems of a file" problem set/cubes.hdf5 --at 0.1
refused "resume without a table" "needs the --output" problem set --resume
refused "a table of another kind" "csv" problem set --output t.json
finish
