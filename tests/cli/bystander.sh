#!/bin/sh
# bystander.sh - a body without forces moves on by v t, whatever the others need: whole steps, halves of steps that
# stall, parts of steps in which another body turns far, steps under control of their error. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
: >err
moves() { # DIVIDED OPTIONS... : checks the free body; DIVIDED: yes if steps must be divided, "" if not
  divided=$1; shift
  rm -f b.csv
  run run "$top/tests/support/bystander.lua" --duration 0.5 --output b.csv --quiet "$@"
  awk -F, -v divided="$divided" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { parts += $at["halvings"] }
    END { t = $at["time"]; x = $at["\"free.x\""] - 2 - 1.3 * t; y = $at["\"free.y\""] - 3 + 0.7 * t; z = $at["\"free.z\""] + 1 - 0.4 * t
          off = sqrt(x * x + y * y + z * z); printf "%d halvings, off by %.1e m of 1e-11", parts, off
          exit !(t == 0.5 && off <= 1e-11 && (!divided || parts > 0)) }' b.csv >seen 2>&1
  verdict "$*: $(cat seen)" $?
}

for solver in $("$HOLONOM" list solvers --json | sed -n 's/^    "name": "\(.*\)",$/\1/p'); do
  [ "$solver" = box2d ] || moves "" --solver "$solver" --step 0.01 # it has planar models alone
done
for solver in impulse-sle:iterations=2 impulse-gs:iterations=2 impulse-newton:iterations=1 impulse-contact:iterations=2; do
  case $solver in impulse-newton*) has_module hn_petsc || continue ;; esac
  moves yes --solver "$solver,halvings=10" --step 0.1
  moves yes --solver "$solver,halvings=10" --step 0.1 --set rate=75
done
for solver in impulse-gs impulse-contact moreau tgs-soft; do
  moves "" --solver "$solver" --step 0.1 --set floor=true
done
moves yes --solver impulse-sle:flight=taylor,step_control=1e-9 --step 0.1 --set rate=20

finish
