#!/bin/bash
# view.sh - the server of `holonom view`: access control, hostile clients, runs, and sessions that replay to the bit. The
# page itself is tested in a browser. Needs HOLONOM, the command, and python3.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$source/tests/support/lib.sh"
export HOLONOM
if [ ! -e "$built/.libs/hn_view.so" ]; then
  refused "without libwebsockets: an error message" "libwebsockets" view chain8
  finish
fi
python3 "$source/tests/view/view_tests.py" >results 2>err
status=$?
cat results err
passed=$(grep -c '^ok ' results); failed=$(grep -c '^FAILED ' results)
exits "all checks passed" 0
finish
