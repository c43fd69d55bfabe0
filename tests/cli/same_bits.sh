#!/bin/bash
# same_bits.sh - runs do not depend on the elementary functions of the C library: equal hashes of scenes and solvers on
# this processor, without FMA and AVX2 in glibc, and with functions that differ in the last place (other_libm.c). Needs
# HOLONOM, the command, and OTHER_LIBM, that library.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}" "${OTHER_LIBM:?set OTHER_LIBM to tests/.libs/other_libm.so}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
: >err
plain=(env)
without_fma=(env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA)
off=(env LD_PRELOAD="$OTHER_LIBM")
mechanism=$top/tests/support/elementary.lua

# Effect on a program that does call the C library.
sines() { "$@" awk 'BEGIN { for (i = 1; i < 20000; i++) printf "%.17g ", sin(0.37 * i) }' | cksum; }
echo "# surroundings"
[ "$(sines "${plain[@]}")" != "$(sines "${off[@]}")" ]; verdict "other_libm.so changes the sines of awk" $?
if [ "$(sines "${plain[@]}")" != "$(sines "${without_fma[@]}")" ]; then
  echo "        without FMA the sines of awk are others too"
else
  echo "        no difference without FMA here: this processor has none, or this C library makes none"
fi

# hash SURROUNDINGS... -- ARGUMENTS... : prints the hash of a run, or nothing if it is refused or takes no step.
hash() {
  local -a around=()
  while [ "$1" != -- ]; do around+=("$1"); shift; done
  shift
  "${around[@]}" "$HOLONOM" run "$@" --json 2>/dev/null | sed -n 's/^  "hash": "\([0-9a-f]*\)".*/\1/p'
}
pairs=0
# try SCENE ARGUMENTS SOLVER... : compares the hashes in all surroundings.
try() {
  local scene=$1 arguments=$2 name solver first second third
  name=$(basename "$scene" .lua)
  shift 2
  for solver in "$@"; do
    # shellcheck disable=SC2086
    set -- "$scene" $arguments --solver "$solver"
    first=$(hash "${plain[@]}" -- "$@")
    second=$(hash "${without_fma[@]}" -- "$@")
    third=$(hash "${off[@]}" -- "$@")
    [ -n "${first/cbf29ce484222325/}" ] && [ "$first" = "$second" ] && [ "$first" = "$third" ]
    verdict "$name $solver: ${first:-no hash}" $? "without FMA $second, off $third"
    pairs=$((pairs + 1))
  done
}

echo "# a mechanism with many elementary functions: every solver, flight, stepper and back end"
try "$mechanism" "" impulse-gs impulse-gs:flight=taylor,flight_adaptive=true impulse-gs:flight=exact impulse-sle \
  impulse-sle:flight=exact,linear=dense impulse-sle:redundancy=min-norm impulse-extrapolated impulse-composed half-explicit \
  generalised-alpha blie variational variational:derivative=exponential articulated taylor taylor:adaptive=true,order=9 xpbd \
  tgs-soft
! has_module hn_sundials || try "$mechanism" "" ida
! has_module hn_petsc || try "$mechanism" "" impulse-sle:linear=ksp impulse-sle:linear=mumps impulse-sle:linear=cholmod \
  impulse-newton
for stepper in rk2 rk4 rkf45 rkck rk8pd msadams rk1imp rk2imp rk4imp bsimp msbdf; do
  try "$mechanism" "--duration 0.03" "lagrange:adaptive=true,error_tolerance=1e-6,stepper=$stepper"
done

echo "# limits, machines, starts placed by angles"
for solver in impulse-gs impulse-sle xpbd tgs-soft; do
  try ragdoll "--duration 0.3" $solver
  try walking_machine "--duration 0.05" $solver
  try car "--duration 0.05" $solver
done
try bricard "--duration 0.05" impulse-gs impulse-sle:redundancy=remove xpbd tgs-soft
try rolling_disc "--duration 0.2" impulse-gs impulse-sle lagrange taylor generalised-alpha
try chain8 "--duration 0.1" impulse-gs impulse-composed half-explicit xpbd tgs-soft
try free_top "--duration 1" impulse-gs:flight=exact
try heavy_top "--duration 0.2" impulse-sle:flight=exact lagrange:stepper=rk8pd,adaptive=true
try cart_pole "--duration 0.1" impulse-sle taylor:adaptive=true
echo "$pairs pairs of scene and solver"
finish
