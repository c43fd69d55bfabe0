#!/bin/sh
# draw.sh - `holonom draw`: pictures of mechanisms, checked by the contents of their scripts. Needs HOLONOM, the
# command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"

# Counts faces, lines of two points or more, marks, and points inside the frame; all numbers must be finite.
shown() {
  awk '/^set xrange/ { split(substr($3, 2), r, "[:\\]]"); x0 = r[1]; x1 = r[2] }
    /^set yrange/ { split(substr($3, 2), r, "[:\\]]"); y0 = r[1]; y1 = r[2] }
    /^set object/ && !/F1F1F1/ { faces++; split($6, c, ","); if (c[1] >= x0 && c[1] <= x1 && c[2] >= y0 && c[2] <= y1) inside++ }
    /^\$line/ { line = 1; n = 0; next } /^\$mark/ { line = 0; next }
    /^EOD/ { if (line && n > 1) lines++; next }
    /^[-0-9.e+]+ [-0-9.e+]+/ { n++; if (!line) marks++; if ($1 >= x0 && $1 <= x1 && $2 >= y0 && $2 <= y1) inside++ }
    tolower($0) ~ /[^a-z]-?(nan|inf)[^a-z]/ && !/^  NaN$/ { bad++ }
    END { print faces + 0, lines + 0, marks + 0, inside + 0, bad + 0 }' "$1"
}
echo "# every scene"
for scene in "$top"/scenes/*.lua; do
  name=$(basename "$scene" .lua)
  run draw "$name" --output p.gp --width 85; drawn=$(shown p.gp)
  set -- $drawn
  [ "$status" -eq 0 ] && [ $(($1 + $2 + $3)) -gt 0 ] && [ "$4" -gt 0 ] && [ "$5" -eq 0 ]
  verdict "$name: $1 faces, $2 lines, $3 marks, $4 points inside" $? "status $status, $5 lines not finite"
done
count() { run draw "$@" --output p.gp; set -- $(shown p.gp); faces=$1 lines=$2 marks=$3; }
count cubes1000; [ "$faces" -eq 3000 ]; verdict "three faces of each of 1000 cubes: $faces" $?
count balls216; [ "$faces" -eq 216 ]; verdict "an outline of each of 216 balls: $faces" $?
count cubes1000 --view xz; [ "$faces" -eq 1000 ]; verdict "one face of each, from the side: $faces" $?
count double_pendulum; [ "$lines" -eq 2 ]; verdict "two rods: $lines" $?

echo "# kinds of files"
for kind in pdf:%PDF svg:'<?xml' png:"$(printf '\211PNG')"; do
  run draw bricard --output f.${kind%%:*}; exits "${kind%%:*}" 0
  [ "$(head -c 4 f.${kind%%:*})" = "$(printf '%.4s' "${kind#*:}")" ]; verdict "it has the format" $?
done
[ ! -e f.pdf.gp ]; verdict "no script remains" $?
run draw bricard --output f.png --width 85
size=$(od -An -j16 -N4 -tu1 f.png | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }')
[ "$size" -eq 1004 ]; verdict "85 mm at 300 dots an inch: $size of 1004" $?

echo "# views, times and paths"
# A standing cylinder: its outline is a rectangle from the side and a circle from above.
cat >tin.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
sys:body { name = "tin", position = { 3, 2, 1 }, density = 1000, shape = scene.cylinder { radius = 0.5, height = 4 } }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
LUA
extent() { # prints the range of the faces: smallest and largest x, smallest and largest y
  awk '/^set object/ { for (i = 6; i <= NF; i++) if (split($i, c, ",") == 2 && c[1] ~ /^[-0-9.]/) {
      if (!n++) { x0 = x1 = c[1] + 0; y0 = y1 = c[2] + 0 }
      x0 = c[1] < x0 ? c[1] : x0; x1 = c[1] > x1 ? c[1] : x1; y0 = c[2] < y0 ? c[2] : y0; y1 = c[2] > y1 ? c[2] : y1 } }
    END { printf "%.3f %.3f %.3f %.3f", x0, x1, y0, y1 }' p.gp
}
run draw ./tin.lua --view xy --output p.gp; [ "$(extent)" = "2.500 3.500 0.000 4.000" ]; held=$?; verdict "from the front: $(extent)" $held
run draw ./tin.lua --view xz --output p.gp; [ "$(extent)" = "2.500 3.500 0.500 1.500" ]; held=$?; verdict "from direction y: $(extent)" $held
run draw ./tin.lua --view yz --output p.gp; [ "$(extent)" = "0.000 4.000 0.500 1.500" ]; held=$?; verdict "from direction x: $(extent)" $held
# An ellipsoid: its outline has its half axes.
sed 's/shape = .* }/shape = scene.ellipsoid { 0.4, 1.2, 0.8 } }/; s/tin/egg/' tin.lua >egg.lua
run draw ./egg.lua --view xy --output p.gp; [ "$(extent)" = "2.600 3.400 0.800 3.200" ]; held=$?; verdict "ellipsoid from the front: $(extent)" $held
run draw ./egg.lua --view yz --output p.gp; [ "$(extent)" = "0.800 3.200 0.200 1.800" ]; held=$?; verdict "ellipsoid from direction x: $(extent)" $held
# A height field that falls towards the eye: all its triangles.
cat >hill.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system {}
sys:body { name = "hill", fixed = true, position = { 1, 2, 3 },
           shape = scene.height_field { size = { 2, 1.6 }, heights = { { 0.2, 0.4, 0.1 }, { 0, 0.1, -0.1 } } } }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
LUA
run draw ./hill.lua --view xy --output p.gp; [ "$(extent) $(grep -c "^set object" p.gp)" = "0.000 2.000 1.900 2.400 4" ]; held=$?; verdict "height field from the front: $(extent)" $held
run run double_pendulum --duration 0.5 --output r.csv --quiet
record() { awk -F, -v n="\"$1\"" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == n) c = i } END { printf "%.4f", $c }' r.csv; }
run draw double_pendulum --at 0.5 --output p.gp; exits "at a time" 0
sed -n '/^\$mark2/,/^EOD/p' p.gp | awk -v x="$(record lower.x)" -v y="$(record lower.y)" \
  'NF == 3 && ($1 - x) ^ 2 + ($2 - y) ^ 2 < 1e-8 { found = 1 } END { exit !found }'
held=$?
verdict "the lower mass is at $(record lower.x), $(record lower.y), as in the record" $held
run draw double_pendulum --trajectory lower --duration 0.5 --output p.gp; exits "a path" 0
sed -n '/^\$line2/,/^EOD/p' p.gp | awk -v x="$(record lower.x)" -v y="$(record lower.y)" \
  'NF == 2 { n++; if (n == 1) first = $1 " " $2; px = $1; py = $2 } END { exit !(n == 51 && first == "2 0" && (px - x) ^ 2 + (py - y) ^ 2 < 1e-8) }'
verdict "the path from the start to that time has 51 points" $?
has "the path is labelled" p.gp "^set label 'lower' at first"
run draw double_pendulum --trajectory lower --step 1e-4 --duration 1 --output p.gp
n=$(sed -n '/^\$line2/,/^EOD/p' p.gp | awk 'NF == 2' | wc -l); [ "$n" -le 4096 ] && [ "$n" -ge 2048 ]
verdict "a long path is thinned: $n points of 10001" $?
# In free flight x = t: the points of a path are as far apart along x as their times.
cat >flight.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -2, 0 } }
sys:particle { name = "p", mass = 1, position = { 0, 0, 0 }, velocity = { 1, 0, 0 } }
return sys
LUA
run draw ./flight.lua --solver lagrange --view xy --trajectory p --step 1e-4 --duration 1 --output p.gp
sed -n '/^\$line/,/^EOD/p' p.gp | awk 'NF == 2 { if (n++) { d = $1 - last - 4e-4; d = d < 0 ? -d : d; worst = d > worst ? d : worst }; last = $1 }
  END { printf "#   %d points; apart by 4e-4 within %.1e, bound 1e-12\n", n, worst; exit !(n == 2501 && worst <= 1e-12) }'
verdict "a thinned path has evenly spaced points" $?

echo "# the frame and its floors"
cat >floor.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
sys:body { name = "floor", fixed = true, shape = scene.box { 40, 1, 30 }, position = { 3, -1.5, 2 } }
sys:body { name = "post", fixed = true, shape = scene.box { 0.1, 0.3, 0.1 }, position = { 1.9, -0.85, 0 } }
local previous = sys.ground
for i = 1, 6 do
  local link = sys:body { name = "link" .. i, density = 600, shape = scene.box { 0.3, 0.05, 0.05 }, position = { 0.3 * i - 0.15, 0, 0 } }
  sys:hinge { previous, link, at = { 0.3 * (i - 1), 0, 0 }, axis = { 0, 0, 1 } }
  previous = link
end
sys:contact {}
sys:defaults { solver = "moreau", step = 0.002, duration = 0.4 }
return sys
LUA
# The part of the frame's width that the moving bodies fill: their colours are not the grey of fixed ones.
share() {
  awk '/^set xrange/ { split(substr($3, 2), r, "[:\\]]") }
    /^set object/ { match($0, /fc rgb .#......./); c = substr($0, RSTART + 9, 6); g = substr(c, 1, 2); if (g == substr(c, 3, 2) && g == substr(c, 5, 2) && !dark[c]) next
      for (i = 6; i <= NF; i++) if (split($i, x, ",") == 2 && x[1] ~ /^[-0-9.]/) { v = x[1] + 0; if (!n++) a = b = v; a = v < a ? v : a; b = v > b ? v : b } }
    END { printf "%.3f", (b - a) / (r[2] - r[1]) }' p.gp
}
for view in xy xz iso; do
  run draw ./floor.lua --view $view --output p.gp; part=$(share)
  awk -v part="$part" 'BEGIN { exit !(part >= 0.4 && part <= 1) }'; verdict "$view: the chain fills $part of the width, at least 0.4" $?
done
run draw ./floor.lua --view xy --output p.gp
awk '/^set yrange/ { split(substr($3, 2), r, "[:\\]]"); exit !(r[1] < -1.001 && r[2] > 0.025) }' p.gp
verdict "the floor below the chain is visible" $?
run draw ./floor.lua --view iso --output p.gp # the floor's top is nearer on average, but behind all bodies
floor=$(grep -n '^set object' p.gp | awk '{ for (i = 1; i < NF; i++) if (split($i, x, ",") == 2 && x[1] * x[1] > 4) { print NR; exit } }')
[ "$floor" -eq 1 ]; verdict "the floor is drawn first, and hides nothing" $? "place $floor"

echo "# parts of a picture"
cat >parts.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
sys:body { name = "far", density = 500, shape = scene.box { 0.7, 0.4, 0.3 }, position = { 1.1, 0.6, -2 } }
sys:body { name = "near", density = 500, shape = scene.box { 0.5, 0.9, 0.2 }, position = { 1.3, 0.5, 1.5 }, axis_angle = { 0, 0, 1, math.pi / 2 } }
local bare = sys:body { name = "bare", mass = 2, inertia = { 0.2, 0.3, 0.4 }, position = { -1.4, 0.3, 0.2 }, axis_angle = { 0, 0, 1, 0.6 } }
local bob = sys:particle { name = "bob", mass = 1, position = { -0.7, -1.2, 0.4 } }
sys:ball { sys.ground, bare, at = { -2.1, 0.9, 0.1 } }
sys:spring { bare, bob, at_a = { -1.1, 0.2, 0.3 }, at_b = { -0.7, -1.2, 0.4 }, stiffness = 40, damping = 1, length = 1 }
sys:body { name = "flat", mass = 3, inertia = { 0.35, 0.45, 0.2 }, position = { 3.1, -0.8, 0.3 } }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
LUA
run draw ./parts.lua --view xy --output p.gp; exits "bodies with and without shapes, a spring" 0
line() { # X Y X Y : true if a line has these two points and no others
  awk -v a="$1 $2" -v b="$3 $4" '/^\$line/ { n = 0; next } /^EOD/ { if (n == 2 && p[1] == a && p[2] == b) found = 1; next } { p[++n] = $0 } END { exit !found }' p.gp
}
line -1.4 0.3 -2.1 0.9; verdict "a body without a shape is linked to its joint" $?
line -1.4 0.3 -1.1 0.2; verdict "and to the end of its spring" $?
# The zigzag from (-1.1, 0.2) to (-0.7, -1.2): between its ends the side of the straight line alternates.
turns=$(awk '/^\$/ { n = turns = last = 0; next } /^EOD/ { if (n > most) { most = n; all = turns } next }
  { n++; side = ($1 + 1.1) * -1.4 - ($2 - 0.2) * 0.4; if (side * last < -1e-6) turns++; if (side * side > 1e-6) last = side } END { print most, all }' p.gp)
[ "$turns" = "20 15" ]; verdict "a spring has 16 corners on alternate sides" $? "points and changes of side: $turns"
nearest=$(grep '^set object' p.gp | awk '{ match($0, /from [^ ]*/); print substr($0, RSTART + 5, RLENGTH - 5) }' | tail -n 1)
[ "$(grep -c '^set object' p.gp)" -eq 3 ] && [ "$nearest" = 0.85,0.25 -o "$nearest" = 1.75,0.25 -o "$nearest" = 1.75,0.75 -o "$nearest" = 0.85,0.75 ]
verdict "the nearer box is drawn last, turned by a quarter" $? "$nearest"
# The box with mass 3 and moments 0.35, 0.45, 0.2: edges from J = m (b^2 + c^2) / 12.
box=$(grep '^set object' p.gp | grep 'transparent' | awk '{ for (i = 1; i <= NF; i++) if (split($i, c, ",") == 2 && c[1] ~ /^[-0-9.]/) { x = c[1] + 0; y = c[2] + 0
  if (!n++) { x0 = x1 = x; y0 = y1 = y } x0 = x < x0 ? x : x0; x1 = x > x1 ? x : x1; y0 = y < y0 ? y : y0; y1 = y > y1 ? y : y1 } } END { printf "%.4f %.4f", x1 - x0, y1 - y0 }')
[ "$box" = "0.7746 0.4472" ]; held=$?; verdict "moments of inertia are drawn as the box that has them: $box" $held
# The bar of the scale has the length that its label says.
awk '/^set label .* m. at screen/ { split($0, q, "\x27"); split(q[2], label, " ") } /^set arrow from screen.*nohead lw 1.5/ { split($5, a, ","); split($8, b, ","); part = b[1] - a[1] }
  /^set xrange/ { split(substr($3, 2), r, "[:\\]]") } END { off = part * (r[2] - r[1]) / label[1] - 1; printf "%.4f\n", off; exit !(off < 1e-3 && -off < 1e-3) }' p.gp >off
verdict "the scale is as long as it says: off by $(cat off) of 0.001" $?

# A box 0.7 x 0.4 x 0.3 turned by 0.5 rad about y, in a body turned by 0.25 about y as well: width 0.7 cos 0.75 + 0.3 sin 0.75.
cat >turned.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
sys:body { name = "a", mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, 0 }, axis_angle = { 0, 1, 0, 0.25 },
           shapes = { { shape = scene.box { 0.7, 0.4, 0.3 }, axis_angle = { 0, 1, 0, 0.5 }, position = { 0, 0.3, 0 } } } }
return sys
LUA
run draw ./turned.lua --view xy --output p.gp; [ "$(extent)" = "-0.358 0.358 0.100 0.500" ]; held=$?; verdict "a box in oblique sight: $(extent)" $held

run draw double_pendulum --output p.gp; hasnt "a mechanism in its plane is seen from the front" p.gp "^set label 'z' at screen"
sed 's/position = { 0, 0, 0 }, axis/position = { 0, 0, 0 }, velocity = { 0, 0, 0.1 }, axis/; s/axis_angle = { 0, 1, 0, 0.25 },//' turned.lua >leaves.lua
sed 's/^return sys/sys:particle { name = "b", mass = 1, position = { 2, 1, 0 } } return sys/' leaves.lua >leaving.lua
run draw ./leaving.lua --output p.gp; has "one that leaves it, obliquely" p.gp "^set label 'z' at screen"

echo "# names of paths"
overlaps() { # WIDTH : pairs of names that overlap, and names outside a picture WIDTH mm wide, with letters 1.6 mm wide and 3 mm high
  awk -v width="$1" '/^set xrange/ { split(substr($3, 2), r, "[:\\]]"); scale = width / (r[2] - r[1]) }
    /^set label .* at first/ { split($0, name, "\x27"); for (i = 1; i < NF; i++) if ($i == "first") split($(i + 1), x, ",")
      n++; a[n] = (x[1] - r[1]) * scale; b[n] = a[n] + 1.6 * length(name[2]); y[n] = x[2] * scale; if (a[n] < 0 || b[n] > width) bad++ }
    END { for (i = 1; i <= n; i++) for (k = 1; k < i; k++) if (a[i] < b[k] && a[k] < b[i] && y[i] - y[k] < 3 && y[k] - y[i] < 3) bad++
      print n + 0, bad + 0 }' p.gp
}
run draw ./floor.lua --view iso --trajectory link1,link2,link3,link4,link5,link6 --output p.gp
[ "$(overlaps 120)" = "6 0" ]; held=$?; verdict "six names, none over another: $(overlaps 120)" $held
run draw ./floor.lua --view yz --duration 0.01 --trajectory link1,link2,link3,link4,link5,link6 --output p.gp --width 60 # all ends at one place
[ "$(overlaps 60)" = "6 0" ]; held=$?; verdict "six names at one place, none over another: $(overlaps 60)" $held

echo "# refused options"
refused "a view" 'xy, xz, yz or iso' draw chain8 --view top --output p.gp
refused "a missing body" 'no body "link99"' draw chain8 --trajectory link99 --output p.gp
refused "the ground" 'does not move' draw chain8 --trajectory ground --output p.gp
refused "no output file" '--output' draw chain8
refused "an unknown kind" '.pdf, .svg or .png' draw chain8 --output p.jpg
run draw chain8 --solver impulse-gs:iterations=1 --at 1 --output none.gp; exits "a failing run" 1
[ ! -e none.gp ]; verdict "no picture of a time that was not reached" $?

finish
