#!/bin/bash
# memory.sh - peak memory of `holonom run` for each body and each contact of large scenes, by the difference of
# two sizes: a million bodies with 3.5 contacts each need less than 8 GB. Needs HOLONOM, python3 and Linux.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
command -v python3 >/dev/null || without "python3 is missing"
[ "$(uname -s)" = Linux ] || without "peak memory is in kB on Linux alone"
for file in "$built"/.libs/libholonom.so "$built"/holonom; do
  grep -qa -e __asan_init -e __tsan_init "$file" 2>/dev/null && without "sanitizers need memory of their own"
done
few=2000 many=6000 # columns of 6 bodies
peak() { # COLUMNS GAP : peak resident memory, bytes
  python3 - "$HOLONOM" run "$top/tests/support/columns.lua" --json --set columns="$1" --set gap="$2" \
    --limit-time 300 2>err <<'PY'
import os, sys
child = os.fork()
if child == 0:
    os.dup2(os.open("out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
    os.execv(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print(1024 * usage.ru_maxrss)
sys.exit(status != 0)
PY
}
growth() { # NAME GAP : sets bytes, the growth of the peak for each body
  small=$(peak $few "$2"); verdict "$1, $((6 * few)) bodies" $?
  large=$(peak $many "$2"); verdict "$1, $((6 * many)) bodies" $?
  bytes=$(((large - small) / (6 * (many - few))))
}
below() { # WHAT BYTES BOUND
  [ "$2" -gt 0 ] && [ "$2" -lt "$3" ]; verdict "$1: $2 bytes, bound $3" $?
}

growth "bodies without contacts" 0.3; apart=$bytes
below "a body" "$apart" 4000
growth "columns at rest" 0; settled=$bytes
contacts=$(sed -n 's/.*"count_max": \([0-9]*\).*/\1/p' out)
[ "$contacts" -eq $((21 * many)) ]; verdict "3.5 contacts a body" $? "$contacts contacts"
below "a contact" $(((settled - apart) * 2 / 7)) 1500
below "a body with 3.5 contacts" "$settled" 8000

finish
