#!/bin/sh
# progress.sh - the line on the terminal during runs and studies. Needs HOLONOM, the command, and script(1).
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"
shows() { # NAME PATTERN ARGUMENTS... : runs the command on a terminal until a line matches, at most 20 s
  name=$1; pattern=$2; shift 2
  rm -f typescript
  script -qfc "exec '$HOLONOM' $*" typescript >/dev/null 2>&1 </dev/null & process=$!
  tries=0
  until tr '\r' '\n' 2>/dev/null <typescript | grep -q "$pattern" || [ $tries -ge 200 ] ||
    ! kill -0 $process 2>/dev/null
  do
    sleep 0.1; tries=$((tries + 1))
  done
  kill $process 2>/dev/null; wait $process 2>/dev/null
  tr '\r' '\n' <typescript >out; has "$name" out "$pattern"
}
# Runs of many seconds, ended when the line has appeared. The first of two runs is done at once.
shows "progress of a run" 'chain8 .* % *[0-9]* s, about [0-9]* s left' run chain8 --duration 100 --step 1e-4
run run chain8 --duration 1 --json; cp out ref.json; exits "a run to compare with" 0
shows "progress of a study" 'chain8 .* % *1 of 2 *[0-9]* s, about [0-9]* s left' \
  converge chain8 --reference ref.json --duration 1 --steps 0.1,1e-6

finish
