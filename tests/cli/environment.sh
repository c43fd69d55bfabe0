#!/bin/sh
# environment.sh - environment variables of libraries do not change runs: equal numbers and no other output. Needs
# HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"

told() { # FILE SOLVER : a run, without its cost
  "$HOLONOM" run double_pendulum --duration 0.1 --solver "$2" --json 2>err | sed -e '/"wall_s"/d' -e '/"us_per_step"/d' >"$1"
}
solvers=impulse-sle:linear=dense
has_module hn_petsc && solvers="impulse-sle:linear=ksp impulse-newton impulse-sle:linear=mumps"
for solver in $solvers; do
  told plain "$solver"
  [ "$(wc -l <plain)" -gt 20 ]; verdict "$solver runs" $?
  PETSC_OPTIONS="-help -options_left" told shouted "$solver"
  cmp -s plain shouted; verdict "$solver ignores PETSC_OPTIONS" $?
  OPENBLAS_NUM_THREADS=3 OMP_NUM_THREADS=3 told threads "$solver"
  cmp -s plain threads; verdict "$solver does not depend on threads" $?
done
finish
