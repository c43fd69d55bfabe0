#!/bin/sh
# sweep.sh - `holonom sweep`: equal tables for any number of processes, interruption and resumption, error messages.
# Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"
same() { # NAME FILE FILE
  cmp -s "$2" "$3"; verdict "$1" $? "$2 and $3 differ"
}
field() { # NAME ROW COLUMN EXPECTED : a field; no commas in earlier columns
  found=$(awk -F, -v row="$2" -v column="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
    NR == row + 1 { print $at }' table.csv)
  [ "$found" = "$4" ]; verdict "$1: $found" $? "expected $4"
}
grid() { # OPTIONS...: 60 runs, 6 of which fail
  run sweep chain --set n=2:6:5 --solvers impulse-sle,lagrange,taylor --steps log:0.002:0.5:4 --duration 0.5 "$@"
}

echo "# ranges"
run sweep pendulum --set length=0.1:0.9:9 --step 0.1 --duration 0.1 --output table.csv; exits "a range" 0
field "the third of nine" 3 length 0.3
field "the last" 9 length 0.9
run sweep pendulum --steps log:1e-3:0.1:3,1/30 --duration 0.1 --output table.csv; exits "a logarithmic range and a value" 0
field "its second" 2 step 0.01
field "the value" 4 step 0.03333333333333333

echo "# rows equal those of run"
run run pendulum --set length=0.3 --step 0.02 --duration 1 --solver lagrange --json
hash=$(sed -n 's/^  "hash": "\(.*\)".*/\1/p' out)
run sweep pendulum --set length=0.3,0.5 --steps 0.01,0.02 --duration 1 --solver lagrange --output table.csv
field "hash" 2 hash "$hash"
field "order of rows" 3 length 0.5
run converge pendulum --set length=0.3 --step 0.02 --steps 0.01,0.02 --duration 1 --solver lagrange --output converge.csv
error=$(awk -F, 'NR == 3 { printf "%.12g", $2 }' converge.csv)
[ "$(awk -F, 'NR == 3 { printf "%.12g", $10 }' table.csv)" = "$error" ]; verdict "error is that of converge: $error" $?

echo "# equal tables on any number of processes"
grid --jobs 1 --output one.csv; exits "on one" 0; has "progress is printed" out '^60 runs, 6 of which failed: one.csv'
grid --jobs 3 --output three.csv; same "on three" one.csv three.csv
grid >/dev/null; same "on standard output" one.csv out
[ "$(wc -l <one.csv)" -eq 61 ]; verdict "a line per run, and a header" $?
if [ "$(id -u)" -eq 0 ]; then root=--allow-run-as-root; else root=; fi
for ranks in 1 2 4; do
  mpirun $root --oversubscribe -n $ranks "$HOLONOM" sweep chain --set n=2:6:5 --solvers impulse-sle,lagrange,taylor \
    --steps log:0.002:0.5:4 --duration 0.5 --output ranks.csv >out 2>err
  status=$?; exits "$ranks ranks" 0; same "an equal table" one.csv ranks.csv; rm -f ranks.csv
done

echo "# as HDF5"
grid --output table.h5; exits "HDF5" 0
grid --jobs 3 --output again.h5; same "the same bytes" table.h5 again.h5
if python_with h5py; then
  "$python" - >out 2>err <<'END'
import csv, h5py
rows = list(csv.DictReader(open("one.csv")))
table, numbers = h5py.File("table.h5"), 0
assert set(table) == set(rows[0]), set(table) ^ set(rows[0])
for name, column in table.items():
    assert len(column) == len(rows) == 60
    for cell, row in zip(column[()], rows):
        if isinstance(cell, bytes): assert cell.decode() == row[name], (name, cell, row[name])
        else:
            assert cell == float(row[name]) if row[name] else cell != cell, (name, cell, row[name])
            numbers += 1
print(numbers, "numbers")
END
  status=$?; exits "read back by h5py, it is the CSV" 0
  has "numbers are numbers" out '^[0-9][0-9][0-9]* numbers'
fi
run sweep pendulum --step 0.1 --duration 0.1 --output table.h5 --figure x.svg; exits "a figure needs CSV" 2
run sweep pendulum --step 0.1 --duration 0.1 --output table.parquet; exits "another ending" 2
has "the formats are listed" err '\.csv'

echo "# killed and resumed"
# About two seconds:
long="sweep chain --set n=20:31:12 --solvers impulse-sle,taylor --steps 0.001,0.01 --duration 1 --jobs 2"
run $long --output whole.csv; exits "uninterrupted" 0
for time in 1 2 3; do
  "$HOLONOM" $long --resume --output cut.csv >out 2>err & process=$!
  while [ "$(grep -c '^r' cut.csv.journal 2>/dev/null || :)0" -lt $((time * 80)) ] && kill -0 $process 2>/dev/null; do sleep 0.01; done
  kill -9 $process; wait $process 2>/dev/null
done
[ -z "$(grep '^r' cut.csv.journal | cut -d ' ' -f 2 | sort | uniq -d)" ]; verdict "no row is run twice" $?
[ -f cut.csv.journal ] && [ ! -f cut.csv ]; held=$?; verdict "there is a journal of $(grep -c '^r' cut.csv.journal) runs and no table" $held
printf 'r 30 +cha' >>cut.csv.journal
run $long --output cut.csv; exits "refused without --resume" 2; has "the reason is printed" err 'resume continues it'
run sweep chain --resume --output cut.csv; exits "refused with another grid" 2; has "the reason is printed" err 'of another sweep'
run $(echo "$long" | sed 's/0.001,0.01/0.001,0.02/') --resume --output cut.csv
exits "refused with other steps" 2; has "the reason is printed" err 'of another sweep'
run $long --resume --output cut.csv; exits "resumed" 0; same "an equal table" whole.csv cut.csv
[ ! -f cut.csv.journal ]; verdict "no journal remains" $?
"$HOLONOM" $long --output interrupted.csv >out 2>err & process=$!
while ! grep -q '^r' interrupted.csv.journal 2>/dev/null; do sleep 0.01; done
"$HOLONOM" $long --resume --output interrupted.csv >out2 2>err2
[ $? -eq 2 ] && grep -q 'another run is writing it' err2; verdict "two sweeps of one table" $?
kill -INT $process; wait $process; status=$?; exits "interrupted" 1; has "kept runs are reported" err 'which are kept in interrupted.csv.journal'

echo "# a process that dies"
"$HOLONOM" $long --output dead.csv >out 2>err & process=$!
while ! grep -q '^r' dead.csv.journal 2>/dev/null; do sleep 0.01; done
kill -9 $(pgrep -P $process | head -n 1); wait $process; status=$?
exits "other runs continue, and it is told" 1
[ "$(wc -l <dead.csv)" -eq "$(wc -l <whole.csv)" ]; verdict "all rows are present" $?
has "the lost run has its reason" dead.csv 'ended by signal 9'; [ -f dead.csv.journal ]; verdict "the journal remains" $?
run $long --resume --output dead.csv; exits "resumed" 0; same "the lost run is made again" whole.csv dead.csv

echo "# failures are rows"
run sweep chain --set n=2,-1 --duration 0.1 --output table.csv; exits "a scene that refuses a value" 0
field "its reason" 2 reason error
has "its error is in the table" table.csv 'n must be at least 1, not -1'
[ "$(sed 's/"[^"]*"//g' table.csv | awk -F, '{ print NF }' | uniq | wc -l)" -eq 1 ]; verdict "all rows have the fields of the header" $?

echo "# refused before anything runs"
refused "an unknown parameter of the scene" 'did you mean "span"' sweep chain8 --set spna=1,2
refused "an unknown solver" 'did you mean' sweep chain --solvers impulse-sle,lagrnge
refused "an unknown parameter of a solver" 'tolerance' sweep chain --solvers lagrange --tolerence 1e-3,1e-4
refused "a value out of range" 'tolerance' sweep chain --tolerance 1e-3,-1
refused "an empty grid" 'empty value' sweep chain --set n=
refused "an empty value" 'empty value' sweep chain --set n=1,,2
refused "a range of 1e9" 'the maximum is 1000000' sweep chain --set n=1:2:1000000000
refused "1e9 runs" '1e+09 runs' sweep chain --set n=1:1000:1000 --steps log:1e-3:1e-2:1000 --tolerance log:1e-9:1e-3:1000
refused "a range without a count" 'write FROM:TO:COUNT' sweep chain --steps log:1:2
refused "a logarithm of zero" 'greater than zero' sweep chain --steps log:0:1:3
refused "a range of one value" 'two ends and one value' sweep chain --set n=1:2:1
refused "one parameter twice" 'given twice' sweep chain --set n=2 --set n=3
refused "one setting twice" 'given twice' sweep chain --tolerance 1 --tolerance 2
refused "no scene" 'did you mean' sweep chian
refused "--resume without a journal" 'needs the --output' sweep chain --resume
refused "no jobs" 'from 1 to 1024' sweep chain --jobs 0
refused "a table that is not CSV" 'csv' sweep chain --output table.txt


echo "# a full disk"
ln -s /dev/full full.csv.journal
refused "it is reported" 'No space left' sweep chain --duration 0.1 --output full.csv

finish
