#!/bin/sh
# commands.sh - commands of sessions: the point that a mouse spring holds, and vectors of other than three
# numbers. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"
version=$("$HOLONOM" --version | cut -d' ' -f2)

# A free body at rest, turned by a right angle.
cat >rest.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 } }
sys:body { name = "b", mass = 2, inertia = { 1, 1, 0.5 }, position = { 1, 2, 0 },
           axis_angle = { 0, 0, 1, math.pi / 2 } }
return sys
LUA
session() { # LINE... >FILE
  printf '{"format":"holonom session","format_version":1,"version":"%s","scene":"./rest.lua",' "$version"
  echo '"set":{},"consistent":false,"solver":"impulse-sle","step":0.001}'
  for line in "$@"; do echo "$line"; done
}
grip='{"at_step":0,"do":"grip","id":"h","body":"b","at":[1.5,2,0],"stiffness":20,"damping":0}'
last() { # NAME : prints the last value of a column
  awk -F, -v name="\"b.$1\"" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
    END { print $at }' s.csv
}

echo "# a mouse spring"
session "$grip" '{"at_step":100,"do":"end"}' >s; run replay s --output s.csv --quiet
[ "$(last x) $(last y) $(last vx) $(last wz)" = "1 2 0 0" ]
verdict "without a pull the body stays at rest" $?
# A force F along y at 0.5 m from the centre: m v = F h and J w = 0.5 F h.
session "$grip" '{"at_step":0,"do":"target","id":"h","to":[1.5,2.1,0]}' '{"at_step":1,"do":"end"}' >s
run replay s --output s.csv --quiet
awk -v v="$(last vy)" -v w="$(last wz)" 'BEGIN { d = 0.5 * w / (0.5 * 2 * v) - 1
  printf "#   v = %s m/s, w = %s rad/s: off by %.1e, bound 1e-10\n", v, w, d
  exit !(v > 0 && d * d <= 1e-20) }'
verdict "a pull turns the body about its centre" $?

echo "# vectors"
for vector in '[1,2]' '[1,2,0,0]' '[]' '1' 'null'; do
  session '{"at_step":5,"do":"impulse","body":"b","impulse":[0,0,0],"at":'"$vector}" >s
  refused "at $vector" ':2: .*"at" must be three finite numbers' replay s
done
session '{"at_step":5,"do":"impulse","body":"b","at":[1,2,0],"impulse":[0,0,0]}' '{"at_step":9,"do":"end"}' >s
run replay s; exits "at [1,2,0]" 0

finish
