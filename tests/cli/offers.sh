#!/bin/sh
# offers.sh - `holonom complete`: the words that are offered to complete a command line. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"

offers() { # NAME EXPECTED WORDS... : completions, in order
  name=$1; wanted=$2; shift 2
  run complete "$@"
  [ "$status" -eq 0 ] && [ "$(paste -sd' ' out)" = "$wanted" ]; verdict "$name" $? "wanted $wanted, got $(paste -sd' ' out)"
}
offers "a command" "compare converge" co
offers "a command, of two" "rank" ra
offers "help of a command" "rank" help ra
offers "a scene" "triple_pendulum" run trip
offers "a scene, options before it" "triple_pendulum" run --step 0.1 trip
offers "an option" "--record-rank --record-joints --record-forces --record-contacts --record-events" run pendulum --record
offers "none that the command does not take" "" rank pendulum --record
offers "a parameter of a solver as an option" "--flight_order" run pendulum --flight_o
offers "its choices" "rk4 taylor exact" run pendulum --flight ''
offers "a solver" "impulse-composed" run pendulum --solver impulse-com
offers "a key" "impulse-sle:tolerance=" run pendulum --solver impulse-sle:tol
offers "a key after another" "taylor:adaptive=true,order=" run pendulum --solver taylor:adaptive=true,ord
offers "no key of what is not there" "" run pendulum --solver nothing:fl
offers "a value" "impulse-sle:linear=ksp,flight=exact" run pendulum --solver impulse-sle:linear=ksp,flight=e
offers "a back end" "lagrange:linear=dense" run pendulum --solver lagrange:linear=de
offers "a second solver" "xpbd,impulse-composed" compare pendulum --solvers xpbd,impulse-com
offers "a second solver after settings" "taylor:order=4,impulse-composed" compare pendulum --solvers taylor:order=4,impulse-com
offers "a list of contact solvers" "pgs,newton" compare stack --contact pgs,new
offers "a parameter of the scene" "M=" run cart_pole --set ''
offers "whose name is before or after" "M=" run --solver taylor cart_pole --set M
offers "what a reference may be" "scene self" converge pendulum --reference s
offers "what can be listed" "parameters petsc" list p
offers "parameters of a solver" "taylor" list parameters tay
offers "nothing for files" "" plot ''
offers "nothing for what there is not" "" run no_such_scene --set ''

echo "# every option of every command, offered"
for command in $("$HOLONOM" complete '' | grep -v '^help$'); do
  "$HOLONOM" help "$command" | sed -n 's/^  \(--[a-z][a-z-]*\).*/\1/p' >told
  "$HOLONOM" complete "$command" -- >offered
  [ -s told ] && [ -z "$(grep -vxFf offered told)" ]; held=$?; verdict "$command: $(wc -l <told) options" $held
done

finish
