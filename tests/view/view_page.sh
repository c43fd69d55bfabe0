#!/bin/bash
# view_page.sh - the live page: served by the command, tested in a headless browser with mouse and keys
# (view_page.mjs) and by touch (view_touch.mjs). Skipped, with the reason, if the page was not built, or without
# libwebsockets, node, a browser or its driver. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
servers=()
trap 'kill -KILL "${servers[@]}" 2>/dev/null; rm -rf "$dir" "$dir.bin"' EXIT
[ -e "$top/web/dist/live.html" ] || without "the live page was not built (npm, scripts/setup)"
with_browser

serve() { # NAME OPTIONS... : starts a server, writes its address to NAME.address
  name=$1; shift
  "$HOLONOM" view "$@" --port 0 --session "$name.session" >"$name.address" 2>"$name.err" &
  servers+=($!)
  waits_for -s "$name.address"
  ! grep -q 'libwebsockets' "$name.err" || without "this build has no holonom view"
  [ -s "$name.address" ]; verdict "$name: an address is printed" $?
}
# A free ball and a free box without gravity, at places and in orientations without a special axis.
cat >free.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 } }
sys:body { name = "ball", shape = scene.sphere { radius = 0.43 }, mass = 3.7, inertia = { 0.31, 0.31, 0.31 },
           position = { 1.3, 0.7, -0.9 }, axis_angle = { 0.6, -0.48, 0.64, 1.1 } }
sys:body { name = "box", shape = scene.box { 0.5, 0.7, 0.3 }, density = 40, position = { -0.8, -0.4, 1.1 },
           axis_angle = { 0.48, 0.6, -0.64, 0.8 } }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 10 }
return sys
LUA
# Shapes of all kinds in general positions; a ball and a brick lie on a leaning floor.
cat >solid.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 1.3, -8.7, 2.9 } }
local n = { -0.132, 0.988, -0.08 }
local size = math.sqrt(n[1] ^ 2 + n[2] ^ 2 + n[3] ^ 2)
for k = 1, 3 do n[k] = n[k] / size end
local function above(x, z, d) return { x, -2.6 - (n[1] * (x - 1.9) + n[3] * (z - 0.3) - d) / n[2], z } end
sys:body { name = "floor", fixed = true, position = { 1.9, -2.6, 0.3 }, shape = scene.plane { normal = n }, friction = 0.4 }
sys:body { name = "slab", fixed = true, position = { -2.2, 0.4, 0.9 }, axis_angle = { 0.6, 0.48, 0.64, 0.7 }, shape = scene.box { 0.9, 0.2, 0.5 } }
sys:body { name = "ball", density = 500, position = above(0.7, 1.1, 0.31), shape = scene.sphere { radius = 0.31 }, friction = 0.4 }
sys:body { name = "plank", density = 300, shape = scene.box { 0.5, 0.7, 0.3 }, position = { 1.3, 1.7, -0.9 }, axis_angle = { 0.6, -0.48, 0.64, 1.1 } }
sys:body { name = "tin", density = 700, shape = scene.cylinder { radius = 0.23, height = 0.61 }, position = { -0.4, 2.1, 0.5 },
           axis_angle = { 0.48, 0.64, -0.6, 0.8 }, angular_velocity = { 3, -5, 2 } }
sys:body { name = "pebble", density = 700, shape = scene.ellipsoid { 0.3, 0.5, 0.2 }, position = { -2.1, 1.3, -1.4 },
           axis_angle = { 0.6, 0.64, 0.48, 1.3 }, angular_velocity = { 1.2, 0.7, -1.9 } }
sys:body { name = "wedge", mass = 1.7, inertia = { 0.3, 0.2, 0.4 }, position = { 0.2, 1.3, -1.4 }, axis_angle = { 0.64, 0.48, -0.6, 2.1 },
           shape = scene.convex { { -0.3, -0.2, -0.15 }, { 0.45, -0.25, -0.1 }, { 0.1, 0.55, -0.2 }, { 0.05, 0.1, 0.6 } } }
sys:body { name = "mace", mass = 2.3, inertia = { 0.2, 0.31, 0.17 }, position = { -1.3, 1.4, -0.8 }, axis_angle = { 0.48, 0.6, -0.64, 0.8 },
           shapes = { { shape = scene.capsule { radius = 0.11, height = 0.9 }, position = { 0.2, -0.35, 0.13 } },
                      { shape = scene.box { 0.23, 0.37, 0.31 }, position = { -0.15, 0.4, 0.07 }, axis_angle = { 0.64, 0.6, 0.48, 0.9 } } } }
sys:contact {}
sys:defaults { solver = "moreau", step = 0.002, duration = 10 }
return sys
LUA
serve machine walking_machine --solver impulse-sle --paused
serve ground walking_ground --solver tgs-soft --paused
serve plane seesaw --solver moreau --paused
serve free ./free.lua --paused
serve solid ./solid.lua --paused
serve many tree --set n=1023 --solver impulse-sle --step 0.01

timeout 300 node "$top/tests/view/view_page.mjs" "$playwright" "$browser" "$dir" \
  "$(head -n 1 machine.address)" "$(head -n 1 ground.address)" "${servers[1]}" \
  "$(head -n 1 many.address)" "$(head -n 1 free.address)" "$(head -n 1 solid.address)" >seen 2>err
counts "all checks with mouse and keys ran" $?
timeout 100 node "$top/tests/view/view_touch.mjs" "$playwright" "$browser" "$(head -n 1 machine.address)" \
  "$(head -n 1 plane.address)" >seen 2>err
counts "all checks by touch ran" $?

for i in 0 2 3 4 5; do
  kill -INT "${servers[i]}"; wait "${servers[i]}"; status=$?; exits "server $((i + 1)): ends on SIGINT" 0
done
for name in downloaded machine ground plane free; do
  run replay "$name.session"; exits "$name: the session replays to its hash" 0
  echo "        $(tr '\n' ' ' <out)"
done
downloaded=$(tail -n 1 downloaded.session | sed 's/.*"hash":"\([0-9a-f]*\)".*/\1/')
grep -q "hash $downloaded" out || run replay downloaded.session
has "the downloaded session has the hash of its replay" out "hash $downloaded"
finish
