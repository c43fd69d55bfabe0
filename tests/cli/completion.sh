#!/bin/bash
# completion.sh - completion in bash, the examples of --help, and the man pages. Needs HOLONOM, the command, and bash;
# man(1) and zsh for some checks.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
source_dir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
build_dir=$(pwd)
. "$source_dir/tests/support/lib.sh"

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
mkdir fclib; run problem sliding_cubes --contact newton --output fclib/cubes.hdf5
run problem fclib --contact newton,admm --tolerances 1e-4,1e-8 --output fclib.csv --quiet; exits "a table for the examples of plot" 0
for command in run compare converge sweep plot rank equilibrium modes sensitivity problem list check; do
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
