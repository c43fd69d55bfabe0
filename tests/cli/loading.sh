#!/bin/sh
# loading.sh - commands load what they need: no library before a run needs it, and scenes without long computations.
# Needs HOLONOM, the command, and a dynamic linker that reports the files it loads (glibc).
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"
petsc() { # ARGUMENTS... : prints how many of the command's processes load PETSc
  rm -f loaded.*
  LD_DEBUG=files LD_DEBUG_OUTPUT=$dir/loaded "$HOLONOM" "$@" >out 2>err
  grep -l 'calling init: .*libpetsc' loaded.* | wc -l
}

if has_module hn_petsc && [ "$(petsc run pendulum --duration 0.01 --solver impulse-newton)" -gt 0 ]; then
  while read -r words; do
    count=$(petsc $words); [ "$count" -eq 0 ]; verdict "no PETSc: $words" $? "loaded in $count processes"
  done <<'END'
list solvers
list linear
compare pendulum --duration 0.01 --solvers impulse-sle,lagrange
compare ball_tray --duration 0.002
compare bouncing_balls --duration 0.002 --solvers impulse-newton,moreau
compare pendulum --solvers impulse-newton,nonsense
compare pendulum --solvers impulse-newton:tolerance=-1
sweep ball_tray --duration 0.002 --solvers impulse-newton
END
  refused "options of a linear back end are checked" 'ksp_tipe' run pendulum --linear ksp --petsc '-ksp_tipe cg'
fi

# Loading a scene is declarations; the longest has 2e5 instructions of Lua. The bound is five times that.
run list scenes --limit-instructions 1e6
exits "all scenes are listed" 0; hasnt "each with less than a million instructions" out 'stopped after'

finish
