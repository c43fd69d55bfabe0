#!/bin/bash
# live.sh - runs of `holonom view` over its protocol: speed, pause, energy, session files on their way, pages
# that do not read, and copies of runs. Needs HOLONOM, the command, and python3.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$source/tests/support/lib.sh"
export HOLONOM
[ -e "$built/.libs/hn_view.so" ] || without "holonom view was not built"
python3 "$source/tests/view/live_tests.py" >results 2>err
status=$?
cat results err
passed=$(grep -c '^ok ' results); failed=$(grep -c '^FAILED ' results)
exits "all checks passed" 0
finish
