#!/bin/sh
# tutorial.sh - doc/tutorial.md, literally: its files are saved and its commands run, in order, in an empty folder. Needs
# HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
text=$top/doc/tutorial.md
# Blocks of Lua are saved under the name in their first line.
awk '/^```lua/ { getline; name = $2; sub(/:$/, "", name); out = 1 } /^```$/ { out = 0 } out { print > name }' "$text"
for file in swing.lua euler.lua; do [ -s $file ]; verdict "$file is in the text" $?; done
grep '^    holonom ' "$text" >commands
count=$(wc -l <commands); [ "$count" -gt 12 ]; verdict "$count commands" $?
page=$top/web/dist/report.html
while read -r holonom words; do
  case $words in *.html) [ -e "$page" ] || { echo "skipped $words: the page was not built"; continue; } ;; esac
  run $words </dev/null
  exits "holonom $words" 0
  case $words in
  rank*) has "four constraints" out '^constraints *4'; has "five degrees of freedom" out '^degrees of freedom *5' ;;
  *--output*) file=$(echo "$words" | sed 's/.*--output \([^ ]*\).*/\1/'); [ -s "$file" ]; verdict "$file is there" $? ;;
  esac
done <commands
finish
