#!/bin/bash
# page.sh - reports as pages: written by the command, tested in a headless browser (page.mjs). Skipped, with the reason,
# if the page was not built, or without node, a browser or its driver. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"

if [ ! -e "$top/web/dist/report.html" ]; then
  refused "without the page: how to get it" "install npm.*--output DIR writes" compare chain8 --duration 0.1 --output x.html
  [ ! -e x.html ]; verdict "without the page: nothing is written" $?
  without "the page of reports was not built (npm, scripts/setup)"
fi

# A scene without shapes whose names could end the script of the page or insert an image.
cat >names.lua <<'LUA'
-- names.lua: </script><img src=x onerror="alert(1)">
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local a = sys:particle { name = 'a "quoted" </script><b>', mass = 1, position = { 1, 0, 0 } }
local b = sys:particle { name = "b, <!-- 'and' & \\", mass = 1, position = { 2, 0, 0 } }
sys:distance { sys.ground, a, name = '</script><img src=x onerror="alert(1)">' }
sys:distance { a, b }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 0.5 }
return sys
LUA
cat >many.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
for i = 1, 12000 do sys:particle { name = "p" .. i, mass = 1, position = { i % 110, 0, i // 110 } } end
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 3.01 }
return sys
LUA

# A pendulum of 0.6 m above a floor of 60 m x 50 m, beside a small post.
cat >hall.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
sys:body { name = "floor", fixed = true, shape = scene.box { 60, 1, 50 }, position = { 7, -1.6, -3 } }
sys:body { name = "post", fixed = true, shape = scene.box { 0.1, 0.3, 0.1 }, position = { 0.5, -0.95, 0.2 } }
local arm = sys:body { name = "arm", density = 600, shape = scene.box { 0.3, 0.05, 0.05 }, position = { 0.15, 0, 0 } }
local hand = sys:body { name = "hand", density = 500, shape = scene.box { 0.3, 0.04, 0.06 }, position = { 0.45, 0, 0 }, angular_velocity = { 0.7, 0, 0 } }
sys:hinge { sys.ground, arm, axis = { 0, 0, 1 }, at = { 0, 0, 0 } }
sys:ball { arm, hand, at = { 0.3, 0, 0 } }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 0.6 }
return sys
LUA

page() { # NAME SCENE OPTIONS... : writes the page NAME.html
  name=$1; shift
  run compare "$@" --output "$name.html"
  [ "$status" -le 1 ] && [ -s "$name.html" ] && grep -q "report: $name.html" out
  verdict "$name: the page is written" $? "exit status $status"
}
page demo chain8 --duration 2
size=$(stat -c %s demo.html)
[ "$size" -le 3000000 ]; verdict "demo: at most 3 MB" $? "$size bytes"
echo "        $size bytes"
page tray ball_tray --duration 0.05 --solvers moreau,tgs-soft
page tree tree --duration 0.5 --solvers impulse-sle,lagrange,xpbd
page names ./names.lua --solvers impulse-sle,lagrange
page hall ./hall.lua --solvers moreau,lagrange,tgs-soft,impulse-gs:iterations=1 # the last one fails
run run pendulum --quiet --duration 0.01 --output one.html; exits "one: the page of a run of one step is written" 0
run run pendulum --quiet --output single.html; exits "single: the page of a run is written" 0
run run ./many.lua --quiet --output many.html; exits "many: the page of a run is written" 0
run run chain --set n=100 --step 0.001 --duration 10 --quiet --output hundred.html; exits "hundred: the page of a run is written" 0
size=$(stat -c %s hundred.html)
[ "$size" -le 30000000 ]; verdict "hundred: 100 bodies in 10 001 frames, at most 30 MB" $? "$size bytes"
echo "        $size bytes"
run run chain8 --solver impulse-sle --duration 2 --output demo.csv; exits "demo: its record" 0
run run ./names.lua --duration 0.5 --output names.csv; exits "names: its record" 0
[ "$(grep 'id="report"' names.html | grep -o '</script' | wc -l)" -eq 1 ]; verdict "names: no name ends the data" $?

# All solvers and contact solvers, engines included, have a BibTeX entry.
for name in $("$HOLONOM" list solvers --json | sed -n 's/^ *"name": "\(.*\)",$/\1/p') $("$HOLONOM" list contact --json | sed -n 's/^ *"name": "\(.*\)",$/\1/p'); do
  grep -q "keywords = {\(.*, \)\?$name\(,.*\)\?}" "$top/web/src/solvers.bib"; verdict "$name: cited" $?
done

with_browser
node "$top/tests/view/page.mjs" "$playwright" "$browser" "$dir" >seen 2>err
counts "all checks in the browser ran" $?
finish
