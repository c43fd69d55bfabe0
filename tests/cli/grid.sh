#!/bin/sh
# grid.sh - order of the rows of `holonom sweep`, and accuracy of its references. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"
columns() { # NAME... : prints these columns of table.csv, row by row
  sed 's/"[^"]*"/quoted/g' table.csv | awk -F, -v names="$*" '
    NR == 1 { n = split(names, name, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
    { for (k = 1; k <= n; k++) printf "%s%s", $at[name[k]], k < n ? " " : "\n" }'
}

echo "# order of rows: points, the last parameter first, then solvers, then steps"
for length in 0.5 1; do
  for mass in 1 2 3; do
    for side in -1 1; do
      for solver in impulse-sle lagrange; do
        for step in 0.02 0.01 0.005; do echo "$length $mass $side $solver $step"; done
      done
    done
  done
done >expected
run sweep pendulum --set length=0.5,1 --set mass=1,2,3 --set side=-1,1 --solvers impulse-sle,lagrange \
  --steps 0.02,0.01,0.005 --duration 0.02 --output table.csv; exits "a grid of 72 runs" 0
columns length mass side solver step >found
cmp -s expected found; verdict "its rows are those of nested loops" $? "$(diff expected found | sed -n 2p)"

echo "# references are finer than the finest of the steps, in whichever order these are given"
# The reference is a run of the same solver, of order 8, with half of the finest step: errors are off by 2^-8.
# The largest step is unstable.
cat >run.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 } }
sys:particle { name = "p", mass = 1, position = { 1.5, 0, 0 } }
sys:spring { sys.ground, "p", stiffness = 40000, length = 1 }
sys:defaults { solver = "lagrange:stepper=rk8pd,stabilisation=projection", duration = 1 }
return sys
LUA
motion='function(t) return { p = { position = { 1 + 0.5 * math.cos(200 * t), 0, 0 } } } end'
sed "s/^return.*/sys:reference($motion)\n&/" run.lua >closed.lua
for known in closed run; do
  run sweep ./$known.lua --steps 0.001953125,0.03125 --output table.csv; exits "$known" 0
  columns error | head -n 1 >$known
done
paste closed run | awk '{ d = ($1 - $2) / $1; d = d < 0 ? -d : d
  printf "#   relative difference %.2e, bound 1e-2\n", d
  exit !($2 != "" && d <= 1e-2) }'
verdict "errors are those from the closed form" $?

finish
