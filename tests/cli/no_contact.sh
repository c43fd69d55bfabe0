#!/bin/sh
# no_contact.sh - the warning of scenes that forget sys:contact {}: once, where shapes with friction would pass through a
# plane or each other, and not where contacts are declared or not meant. Needs HOLONOM.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"
scene() { # NAME PLANE-KEYS BALL-KEYS LINE
  cat >"$1.lua" <<LUA
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } } $2 }
sys:body { name = "ball", position = { 0, 1, 0 }, density = 500, shape = scene.sphere { radius = 0.1 } $3 }
$4
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 0.1 }
return sys
LUA
}
warned() { # NAME COUNT ARGUMENTS...
  name=$1 expected=$2; shift 2
  run "$@"
  found=$(grep -c 'warning: .*passes through "floor": shapes collide once the scene calls sys:contact {}' err)
  [ "$status" -eq 0 ] && [ "$found" -eq "$expected" ]; verdict "$name: $found warnings of $expected" $? "status $status"
}
scene floor ', friction = 0.3' '' ''; warned "friction of the plane" 1 run ./floor.lua
has "the body is named" err 'warning: ./floor.lua: body "ball"'
warned "with --quiet" 0 run ./floor.lua --quiet
warned "compare" 1 compare ./floor.lua --solvers impulse-sle,lagrange
run run ./floor.lua --json; python3 -c 'import json; json.load(open("out"))'; verdict "standard output is JSON still" $?
scene ball '' ', friction = 0.3' ''; warned "friction of the ball" 1 run ./ball.lua
scene smooth '' '' ''; warned "no friction" 0 run ./smooth.lua
scene off '' ', friction = 0.3, collides = false' ''; warned "collides = false" 0 run ./off.lua
scene group ', friction = 0.3, group = "g"' ', collides = { "other" }' ''; warned "another group" 0 run ./group.lua
scene on ', friction = 0.3' '' 'sys:contact {}'; warned "with contact" 0 run ./on.lua --solver moreau
scene law ', friction = 0.3' '' 'sys:contact { law = "hertz", stiffness = 1e6 }'; warned "with compliant contact" 0 run ./law.lua
sed -i 's/scene.plane { normal = { 0, 1, 0 } }/scene.box { 1, 1, 1 }/' floor.lua ball.lua smooth.lua off.lua group.lua on.lua
warned "friction of a box" 1 run ./floor.lua; warned "friction of a ball on a box" 1 run ./ball.lua
warned "compare of a box" 1 compare ./floor.lua --solvers impulse-sle,lagrange
for name in smooth off group; do warned "a box, $name" 0 run "./$name.lua"; done
warned "a box with contact" 0 run ./on.lua --solver moreau
scene joined ', friction = 0.3' '' 'sys:ball { sys.floor, sys.ball, at = { 0, 0, 0 } }'
sed -i 's/^sys:body { name = "floor"/local floor = &/; s/^sys:body { name = "ball"/local ball = &/; s/sys.floor, sys.ball/floor, ball/' joined.lua
warned "bodies that a joint connects" 0 run ./joined.lua
count=0 all=0
for name in $("$HOLONOM" list scenes --json | sed -n 's/^ *"name": "\(.*\)".*/\1/p'); do
  all=$((all + 1)); "$HOLONOM" rank "$name" 2>&1 >/dev/null | grep -q 'sys:contact' && count=$((count + 1)) && echo "# $name"
done
[ $count -eq 0 ] && [ $all -gt 20 ]; verdict "$count of $all installed scenes are warned of" $?
finish
