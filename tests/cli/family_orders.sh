#!/bin/sh
# family_orders.sh - the fitted orders of the standard formulations on scenes that were written for other purposes:
# positions, orientations, velocities and joint forces, each within 0.1 of the declared order, or 0.3 from order 8 on.
# The reference is that of converge: lagrange with rk8pd and projection, or Taylor's series where that is the solver.
# A solver must show an order of positions, of velocities and of the joint forces that it reports on ten scenes.
# Needs HOLONOM and python3.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
command -v python3 >/dev/null || without "python3 is missing"

solvers="lagrange,half-explicit,generalised-alpha,radau,variational,variational:derivative=exponential,penalty,energy-momentum"

orders() { # SCENE [OPTIONS]...
  run converge --all "$@" --solvers "$solvers" --json
  cp out "orders-$(echo "$*" | tr -s " -=" _).json"
  [ "$status" -lt 2 ]; verdict "orders on $*" $? "exit status $status"
}
orders pendulum
orders spherical_pendulum
orders compound_pendulum
orders double_pendulum
orders triple_pendulum
orders box_pendulum
orders free_top
orders heavy_top --duration 1
orders knife_edge --duration 1
orders rolling_disc
orders car_axis --duration 0.3
orders chain8 --duration 0.5
orders cart_pole --duration 0.5
orders tree --set n=7 --duration 0.5
orders star --set n=7 --duration 0.5
python3 "$top/tests/support/family_orders.py" orders-*.json; verdict "orders are as declared" $?
finish
