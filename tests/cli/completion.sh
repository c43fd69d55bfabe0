#!/bin/bash
# completion.sh - completion in shells, the examples of --help, and the man pages. Needs HOLONOM, the command, and bash;
# man(1) and zsh for some checks.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
source_dir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
build_dir=$(pwd)
. "$source_dir/tests/support/lib.sh"

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

echo "# bash"
bash_completes() { # NAME EXPECTED LINE
  name=$1
  reply=$(PATH="$(dirname "$HOLONOM"):$PATH"; . "$source_dir/cli/completion/holonom.bash"
    compopt() { printf '[%s] ' "$*"; }
    COMP_LINE=$3 COMP_POINT=${#3}; _holonom; echo "${COMPREPLY[*]}")
  [ "$reply" = "$2" ]; verdict "$name" $? "wanted $2, got $reply"
}
bash_completes "a word" "triple_pendulum" "holonom run trip"
bash_completes "after a blank" "rk4 taylor exact" "holonom run pendulum --flight "
bash_completes "after a colon, what follows it" "[-o nospace] tolerance=" "holonom run pendulum --solver impulse-sle:tol"
bash_completes "after =" "exact" "holonom run pendulum --solver impulse-sle:flight=e"
bash_completes "nothing" "" "holonom plot "

echo "# zsh"
if command -v zsh >/dev/null; then zsh -n "$source_dir/cli/completion/_holonom"; verdict "is a script of zsh" $?
else echo "skipped zsh: it is not there"; fi

echo "# examples"
cp "$source_dir/scenes/chain.lua" my.lua; cp "$source_dir/doc/slope.lua" slope.lua; cp "$source_dir/doc/friction.lua" study.lua
for command in run compare converge sweep plot rank problem list check; do
  "$HOLONOM" help "$command" | sed '1,/^Examples:/d; s/^ *//; s/^mpirun -n 4 //; s/^holonom //' >examples
  [ -s examples ]; verdict "$command has examples" $?
  while read -r words; do
    [ "$words" = check ] && continue # all scenes: an own test
    case $words in *.html) [ -e "$source_dir/web/dist/report.html" ] || { echo "skipped $words: the page was not built"; continue; } ;; esac
    run $words --quiet; [ "$status" -eq 2 ] && run $words
    exits "holonom $words" 0
  done <examples
done

echo "# man pages"
for command in '' $("$HOLONOM" complete '' | grep -v '^help$'); do
  page=$build_dir/doc/holonom${command:+-$command}.1
  [ -s "$page" ]; held=$?; verdict "there is $(basename "$page")" $held
  man -l --warnings "$page" >page 2>warnings; [ -s page ] && [ ! -s warnings ]; verdict "without a warning" $?
  "$HOLONOM" help $command | sed -n 's/^  \(--[a-z][a-z-]*\).*/\1/p' >told
  tr -d '\010' <page | sed 's/\xe2\x80\x90/-/g' >plain
  missing=$(while read -r option; do grep -q -e "^ *$option" plain || echo "$option"; done <told)
  [ -z "$missing" ]; held=$?; verdict "with all $(wc -l <told) options" $held "without $missing"
done

finish
