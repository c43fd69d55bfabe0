#!/bin/bash
# view.sh - the server of `holonom view`: who gets in, what harms nobody, lanes, and sessions that repeat to the bit. The
# page itself is tested in a browser. Needs HOLONOM, the command, and python3.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$source/tests/support/lib.sh"
export HOLONOM
if [ ! -e "$built/.libs/hn_view.so" ]; then
  refused "without libwebsockets it says so" "libwebsockets" view chain8
  finish
fi
python3 "$source/tests/view/view_tests.py" >told 2>err
status=$?
cat told err
passed=$(grep -c '^ok ' told); failed=$(grep -c '^FAILED ' told)
exits "all of it was held" 0
finish
