#!/bin/sh
# family_orders.sh - the fitted orders of the standard formulations on scenes that were written for other purposes. On at
# least ten scenes the orders of positions, of velocities and of the joint forces that a solver reports are within 0.1 of
# the declared one, or 0.3 from order 8 on; on none does converge mark an order as too low. The reference is that of
# converge: lagrange with rk8pd and projection, or Taylor's series where that is the solver. Needs HOLONOM and python3.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
command -v python3 >/dev/null || without "python3 is missing"

solvers="lagrange,lagrange:formulation=ggl,lagrange:group=rkmk,lagrange:group=commutator-free,half-explicit,hem5,generalised-alpha,radau,radau:stages=2,articulated,variational,variational:derivative=exponential,blie,penalty,augmented,energy-momentum,partition,null-space"

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
