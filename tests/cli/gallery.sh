#!/bin/sh
# gallery.sh - the gallery: every scene has a picture, a summary and a command. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
HOLONOM=$HOLONOM "$top/scripts/gallery" "$dir/gallery" >out 2>err; verdict "scripts/gallery" $?
for scene in "$top"/scenes/*.lua; do
  name=$(basename "$scene" .lua)
  drawn=$(grep -c '<path\|<polygon\|<circle\|<use' "gallery/$name.svg" 2>/dev/null)
  [ "${drawn:-0}" -gt 8 ]; verdict "$name: $drawn lines and faces" $? "no picture"
  grep -q "^!\[$name\]($name.svg)\$" gallery/gallery.md && grep -q "^    holonom run $name " gallery/gallery.md
  verdict "$name is shown, with its command" $?
done
grep -q '^    --set n=8 *number of links' gallery/gallery.md; verdict "parameters are listed" $?
finish
