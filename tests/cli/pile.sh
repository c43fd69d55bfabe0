#!/bin/bash
# pile.sh - 216 mixed bodies fall into a bin by default settings, with more than 600 contacts in one island. Redundant
# contacts contradict each other by the gaps that the projection leaves, up to its tolerance of 1e-9 m over the step:
# no residual of the law may exceed that. Needs HOLONOM and python3.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
command -v python3 >/dev/null || without "python3 is missing"

"$HOLONOM" run pile --duration 1.6 --json >out 2>err
verdict "the pile falls for 1.6 s" $? "$(tail -1 err)"
python3 - <<'PY'
import json
run = json.load(open("out"))
residual, contacts = run["contact"]["residual_max"], run["contact"]["count_max"]
print("  largest residual of the law, m/s %.3g, bound 1e-7; steps above the tolerance %d; contacts %d"
      % (residual, run["contradictions"], contacts))
assert residual <= 1e-7 and contacts > 600
PY
verdict "contacts meet the law as accurately as gaps are known" $?

finish
