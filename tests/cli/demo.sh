#!/bin/sh
# demo.sh - the README shows what scripts/demo prints: the same lines, words and digits. Numbers below 1e-7 come from
# rounding and may differ by a factor of a hundred, others by one in the last digit. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"

words=$(sed -n 's/^build\/holonom \(compare .*\) --output .*/\1/p' "$top/scripts/demo")
[ -n "$words" ]; verdict "the demo runs: $words" $?
run $words; exits "it" 0
"$HOLONOM" list solvers --json | sed -n 's/^    "name": "\(.*\)",$/\1/p' >solvers
sed -n '/^`scripts\/demo` prints/,/^Between them/s/^    //p' "$top/README.md" >shown
[ "$(wc -l <shown)" -ge 20 ]; verdict "the README has $(wc -l <shown) lines of it" $?
cat >agree.awk <<'END'
FILENAME == "solvers" { built[$1] = 1; next }
FILENAME == "out" { line[++count] = $0; next }
/^(impulse|ida|lagrange|[a-z-]*  )/ && $2 == "converged" && !($1 in built) { next } # built without its library
{
  found = 0
  for (k = at + 1; k <= count && !found; k++) if (agree($0, line[k])) found = at = k
  print (found ? "ok      " : "FAILED  ") $0
}
function agree(a, b,    x, y, i, n) {
  n = split(a, x); if (split(b, y) != n) return 0
  for (i = 1; i <= n; i++) if (x[i] != y[i] && !near(x[i], y[i])) return 0
  return 1
}
function near(x, y,    d) {
  if (x !~ /^[0-9.]+e[-+][0-9]+$/ || y !~ /^[0-9.]+e[-+][0-9]+$/) return 0
  if (x < 1e-7 && y < 1e-7) return x < 100 * y && y < 100 * x
  d = x - y; return (d < 0 ? -d : d) < 0.011 * x
}
END
awk -f agree.awk solvers out shown >seen
counts "every line of the README is printed, in this order" "$(grep -c '^FAILED' seen)"
sed 's/  8\.02/  8.12/' shown >wrong
[ "$(awk -f agree.awk solvers out wrong | grep -c '^FAILED')" -eq 1 ]; verdict "another digit is noticed" $?

finish
