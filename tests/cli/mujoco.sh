#!/bin/sh
# mujoco.sh - MuJoCo 3 as an external solver (engines/mujoco3.mjs): its published behaviour in contact, its order on
# smooth mechanisms, and refusals. Needs HOLONOM, node, python3 and `scripts/setup --engines`.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
command -v node >/dev/null || without "node is missing"
command -v python3 >/dev/null || without "python3 is missing"
[ -e "$top/engines/node_modules/mujoco-js" ] || without "MuJoCo 3 is missing: scripts/setup --engines"
mujoco="external:command=node $top/engines/mujoco3.mjs"

echo "# a cube of 0.1 m with friction 0.5: creep on a slope of 10 degrees, lift when launched on the level"
cube() { # NAME GRAVITY VELOCITY
  cat >"$1.lua" <<LUA
-- $1.lua: a cube on a plane
local scene = require "holonom.scene"
local sys = scene.system { gravity = $2 }
sys:body { name = "plane", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } },
           material = "plane" }
sys:body { name = "cube", mass = 1, shape = scene.box { 0.1, 0.1, 0.1 }, position = { 0, 0, 0.05 },
           velocity = $3, material = "cube" }
sys:material_pair { "plane", "cube", friction = 0.5 }
sys:contact { margin = 0.02 }
sys:defaults { solver = "moreau", step = 0.002, duration = 10 }
return sys
LUA
}
cube creep "{ 9.81 * math.sin(math.rad(10)), 0, -9.81 * math.cos(math.rad(10)) }" "{ 0, 0, 0 }"
cube launch "{ 0, 0, -9.81 }" "{ 6, 0, 0 }"
measured() { # WHAT SCENE OPTIONS DURATION PUBLISHED: the figure of the tracker within 5 %
  run run "./$2.lua" --duration "$4" --solver "$mujoco$3" --output m.csv --quiet
  python3 - "$1" "$2" "$5" <<'PY'
import csv, sys
what, scene, published = sys.argv[1], sys.argv[2], float(sys.argv[3])
rows = list(csv.DictReader(open("m.csv")))
t, x, z = ([float(row[key]) for row in rows] for key in ("time", "cube.x", "cube.z"))
if scene == "creep":
    after = next(i for i, at in enumerate(t) if at >= 1)
    value = (x[-1] - x[after]) / (t[-1] - t[after]) * 1e6
else:
    value = (max(z) - 0.05) * 1e3
print(f"#   {what}: {value:.1f}, published {published:g}, within 5 %")
sys.exit(not abs(value / published - 1) <= 0.05)
PY
  verdict "$1" $?
}
measured "creep by default, um/s" creep "" 10 562
measured "creep with an elliptic cone and impratio 10, um/s" creep " cone=elliptic impratio=10" 10 44
measured "lift after a launch at 6 m/s, mm" launch "" 1.5 43

echo "# orders"
cat >mechanism.lua <<'LUA'
-- mechanism.lua: a hinge given from the body to the ground, a slider on it, a ball joint on that, a fixed body, all of them
-- turned against the axes of the world and moving
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 1, -9, 2 } }
local function body(name, at, turn)
  return sys:body { name = name, mass = 2, inertia = { 0.1, 0.2, 0.25 }, position = at, axis_angle = turn,
                    velocity = { 0.5, 1, -0.3 }, angular_velocity = { 1, -0.5, 2 } }
end
local arm, sledge = body("arm", { 0.5, 0, 0.1 }, { 1, 2, 3, 0.7 }), body("sledge", { 0.9, 0.3, 0 }, { 0, 1, 1, 1.9 })
local bob, tail = body("bob", { 1.1, 0.8, -0.2 }, { 3, 0, 1, -0.4 }), body("tail", { 1.3, 1, -0.2 }, { 1, 1, 0, 1 })
sys:hinge { arm, sys.ground, at = { 0, 0, 0 }, axis = { 1, 0.5, 2 }, name = "pin" }
sys:slider { arm, sledge, at = { 0.9, 0.3, 0 }, axis = { 0, 1, -1 }, name = "rail" }
sys:ball { bob, sledge, at = { 1, 0.6, -0.1 }, name = "socket" }
sys:fixed { bob, tail, at = { 1.2, 0.9, -0.2 }, name = "weld" }
sys:defaults { solver = "lagrange", step = 0.01, duration = 0.5 }
return sys
LUA
run converge ./mechanism.lua --consistent --solver "$mujoco" --steps 0.002,0.001,0.0005,0.00025 \
  --reference lagrange:stepper=rk8pd,stabilisation=projection --expect 1 --exactly
exits "order 1 on hinge, slider, ball and fixed joints, in either direction" 0; grep fitted out | sed 's/^/#   /'
run converge compound_pendulum --solver "$mujoco" --steps 0.01,0.005,0.0025,0.00125 --expect 1 --exactly
exits "order 1 on the closed form of a pendulum" 0
run converge free_top --solver "$mujoco" --steps 0.004,0.002,0.001,0.0005 --duration 0.5 --expect 1 --exactly
exits "order 1 on free rotation" 0
run converge heavy_top --solver "$mujoco integrator=RK4" --duration 0.2 --steps 0.002,0.001,0.0005,0.00025 --expect 2 --exactly
exits "its RK4 has order 2 where the axis of rotation changes" 0

echo "# what it cannot do"
refuses() { run run $1 --duration 0.1 --solver "$mujoco"; has "$1: $2" err "unsupported in the program: MuJoCo: .*$2"; }
refuses bricard "closes a loop"; refuses spherical_pendulum "of type distance"; refuses cart_pole "is not translated"
refuses bouncing_balls "there is no restitution"
finish
