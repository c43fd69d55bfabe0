# engine_scenes.sh - scenes for the tests of other engines. To be sourced after lib.sh; writes them to the directory.

# Two bodies on joints of the same kind, turned against the axes of the world and moving; swapped: the moving
# body, or the outer one, comes first. The third body hangs on a ball joint.
cat >joints.lua <<'LUA'
local scene = require "holonom.scene"
local kind = scene.param("kind", "hinge", "type of the joints")
local swapped = scene.param("swapped", false, "the outer body is the first one of a joint")
local sys = scene.system { gravity = { 1, -9, 2 } }
local function body(name, at, turn)
  return sys:body { name = name, mass = 2, inertia = { 0.1, 0.2, 0.25 }, position = at, axis_angle = turn,
                    velocity = { 0.5, 1, -0.3 }, angular_velocity = { 1, -0.5, 2 } }
end
local function joint(name, a, b, at, far, axis, other)
  local one, two = swapped and b or a, swapped and a or b
  local spec = { one, two, name = name }
  if kind == "distance" then spec.at_a, spec.at_b = swapped and far or at, swapped and at or far
  else spec.at = at end
  if kind == "universal" then spec.axis_a, spec.axis_b = axis, other
  elseif kind ~= "ball" and kind ~= "fixed" and kind ~= "distance" then spec.axis = axis end
  sys[kind](sys, spec)
end
local arm, bob = body("arm", { 0.5, 0, 0.1 }, { 1, 2, 3, 0.7 }), body("bob", { 1.1, 0.8, -0.2 }, { 3, 0, 1, -0.4 })
local tail = body("tail", { 1.3, 1.3, -0.2 }, { 1, 1, 0, 1 })
joint("first", sys.ground, arm, { 0, 0, 0 }, { 0.4, 0.1, 0.1 }, { 1, 0.5, 2 }, { 2, 0, -1 })
joint("second", arm, bob, { 0.8, 0.4, 0 }, { 1, 0.7, -0.1 }, { 0, 1, -1 }, { 3, 1, 1 })
sys:ball { tail, bob, at = { 1.2, 1.1, -0.2 }, name = "socket" }
sys:defaults { solver = "lagrange", step = 0.01, duration = 0.5 }
return sys
LUA

# Two bodies, each on a ball joint to the ground, and a joint of the kind between them, which closes a loop.
cat >loop.lua <<'LUA'
local scene = require "holonom.scene"
local kind = scene.param("kind", "hinge", "type of the joint that closes the loop")
local swapped = scene.param("swapped", false, "the other body is its first one")
local sys = scene.system { gravity = { 1, -9, 2 } }
local function body(name, at, turn)
  return sys:body { name = name, mass = 2, inertia = { 0.1, 0.2, 0.25 }, position = at, axis_angle = turn,
                    velocity = { 0.5, 1, -0.3 }, angular_velocity = { 1, -0.5, 2 } }
end
local one, two = body("one", { 0.5, 0, 0.1 }, { 1, 2, 3, 0.7 }), body("two", { 1.1, 0.8, -0.2 }, { 3, 0, 1, -0.4 })
sys:ball { sys.ground, one, at = { 0, 0, 0 }, name = "left" }
sys:ball { sys.ground, two, at = { 1.5, 0.6, 0.3 }, name = "right" }
local a, b = swapped and two or one, swapped and one or two
local spec = { a, b, name = "closing" }
if kind == "distance" then spec.at_a, spec.at_b = { 0.8, 0.4, 0 }, { 1, 0.7, -0.1 } else spec.at = { 0.8, 0.4, 0 } end
if kind == "universal" then spec.axis_a, spec.axis_b = { 0, 1, -1 }, { 3, 1, 1 }
elseif kind ~= "ball" and kind ~= "fixed" and kind ~= "distance" then spec.axis = { 0, 1, -1 } end
sys[kind](sys, spec)
sys:defaults { solver = "lagrange", step = 0.01, duration = 0.5 }
return sys
LUA

# An arm on a hinge, or a slider, whose motor has a rate that depends on time, and a bob on a ball joint.
cat >motor.lua <<'LUA'
local scene = require "holonom.scene"
local kind = scene.param("kind", "hinge", "hinge or slider")
local swapped = scene.param("swapped", false, "the body is the first one of the joint")
local crossed = scene.param("crossed", false, "the motor has the other order of bodies, and the opposite axis")
local limit = scene.param("limit", 0.0, "largest force or torque of the motor; 0: none")
local sys = scene.system { gravity = { 1, -9, 2 } }
local arm = sys:body { name = "arm", mass = 2, inertia = { 0.1, 0.2, 0.25 }, position = { 0.5, 0, 0.1 } }
local bob = sys:body { name = "bob", mass = 1, inertia = { 0.1, 0.2, 0.25 }, position = { 1.1, 0.8, -0.2 },
                       axis_angle = { 3, 0, 1, -0.4 }, angular_velocity = { 1, -0.5, 2 } }
local axis = kind == "hinge" and { 0, 0, 1 } or { 1, 2, 0 }
local at = { 0, 0, 0 }
local a, b = swapped and arm or sys.ground, swapped and sys.ground or arm
sys[kind](sys, { a, b, at = at, axis = axis, name = "joint" })
local spec = { a, b, axis = axis, motion = { polynomial = { 0.5 }, amplitude = 1.5, frequency = 3 }, name = "motor" }
if crossed then spec[1], spec[2], spec.axis = b, a, { -axis[1], -axis[2], -axis[3] } end
if limit > 0 then spec.limit = limit end
if kind == "slider" then spec.at = at end
sys[kind == "hinge" and "motor_angle" or "motor_position"](sys, spec)
sys:ball { arm, bob, at = { 0.8, 0.4, 0 }, name = "socket" }
sys:defaults { solver = "lagrange", step = 0.01, duration = 0.5 }
return sys
LUA

# A free body welded to another one, spinning about an axis between the principal ones.
cat >spin.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 } }
local top = sys:body { name = "top", mass = 2, inertia = { 0.1, 0.2, 0.25 }, position = { 0, 0, 0 },
                       angular_velocity = { 1, 4, 2 } }
local tip = sys:body { name = "tip", mass = 0.5, inertia = { 0.01, 0.02, 0.02 }, position = { 0.3, 0.1, 0 },
                       angular_velocity = { 1, 4, 2 }, velocity = { -0.2, 0.6, -1.1 } }
sys:fixed { top, tip, at = { 0.1, 0, 0 }, name = "weld" }
sys:defaults { solver = "lagrange", step = 0.01, duration = 0.5 }
return sys
LUA

# Falls: of a free body, turning and flying; of one on a slider along (1, 2, 2) / 3, which comes first.
cat >fall.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9, 0 } }
local free = sys:body { name = "free", mass = 2, inertia = { 0.2, 0.2, 0.2 }, position = { 1, 2, 3 },
                        velocity = { 1, 5, -2 }, angular_velocity = { 1, 2, 3 } }
local slide = sys:body { name = "slide", mass = 3, inertia = { 0.1, 0.2, 0.25 }, position = { 0, 0, 0 } }
sys:slider { slide, sys.ground, at = { 0, 0, 0 }, axis = { 1, 2, 2 }, name = "rail" }
sys:reference(function(t)
  local s = -6 * t * t / 2 / 3
  return { free = { position = { 1 + t, 2 + 5 * t - 4.5 * t * t, 3 - 2 * t } },
           slide = { position = { s, 2 * s, 2 * s } } }
end)
sys:defaults { solver = "lagrange", step = 0.01, duration = 1 }
return sys
LUA

# A planar model: particle, rod, hinge, slider, fixed and ball joint in a loop, a spring with a damper.
cat >plane.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 1, -9, 0 }, planar = true }
local rod = scene.param("rod", true, "the first body stands on a particle on a rod; false: on the ground")
local p = rod and sys:particle { name = "p", position = { 1, 0, 0 }, mass = 1 } or sys.ground
local function body(name, x, y, rate)
  return sys:body { name = name, mass = 2, inertia = 0.25, position = { x, y, 0 },
                    angular_velocity = { 0, 0, rate } }
end
local b, c = body("b", 1, 0.4, 0.5), body("c", 1, 1.4, 0.5)
local d, e = body("d", 1.5, 1.4, 0), body("e", 2.5, 1.4, 0)
if rod then sys:distance { sys.ground, p, at_a = { 0, 0, 0 }, name = "rod" } end
sys:ball { b, p, at = { 1, 0, 0 }, name = "foot" }
sys:hinge { c, b, at = { 1, 0.8, 0 }, axis = { 0, 0, 1 }, name = "knee" }
sys:slider { d, c, at = { 1, 1.2, 0 }, axis = { 1, 1, 0 }, name = "rail" }
sys:fixed { d, e, at = { 2, 1.2, 0 }, name = "weld" }
sys:ball { e, sys.ground, at = { 2.7, 1.5, 0 }, name = "pivot" }
sys:spring { sys.ground, b, at_a = { 0, 3, 0 }, at_b = { 1.1, 0.4, 0 }, stiffness = 20, damping = 3, length = 1,
             name = "spring" }
sys:defaults { solver = "lagrange", step = 0.01, duration = 0.5 }
return sys
LUA

# order NAME ORDER ARGUMENTS... : the order fitted by `converge` is within 0.2 of ORDER.
order() {
  name=$1; wanted=$2; shift 2
  run converge "$@"
  fitted=$(sed -n 's/^fitted order \([^ ]*\).*/\1/p' out)
  awk -v p="${fitted:-nan}" -v q="$wanted" 'BEGIN { exit !(p - q < 0.2 && q - p < 0.2) }'
  verdict "$name: order ${fitted:-none}, $wanted within 0.2" $?
}
# below NAME BOUND VALUE : prints both.
below() {
  awk -v x="$3" -v most="$2" 'BEGIN { exit !(x + 0 == x && x <= most) }'
  verdict "$1: $3, at most $2" $?
}
# error_of ARGUMENTS... : sets error, that at the end of a run against the scene's reference, m.
error_of() {
  run run "$@"
  error=$(sed -n 's/^error  *\([^ ]*\).*/\1/p' out)
}
# column NAME ARGUMENTS... : prints its value at the end of a run.
column() {
  what=$1; shift
  "$HOLONOM" run "$@" --output column.csv --quiet >out 2>err
  awk -F, -v name="\"$what\"" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } END { print c ? $c : "nan" }' column.csv
}
exact=lagrange:stepper=rk8pd,stabilisation=projection,redundancy=min-norm

# A pendulum without gravity on a hinge, or a body on a slider, with 1 kg m^2 (2 kg) at a rate of 1: a limit at
# 0.5 of either sign, dry friction of 2, or a motor of rate 3 with a largest force of 2.
cat >part.lua <<'LUA'
local scene = require "holonom.scene"
local kind = scene.param("kind", "hinge", "hinge or slider")
local swapped = scene.param("swapped", false, "the body is the first one of the joint")
local part = scene.param("part", "limit", "limit, friction or motor")
local rate = scene.param("rate", 1.0, "rate at the start")
local sys = scene.system { gravity = { 0, 0, 0 } }
local hinge = kind == "hinge"
local arm = sys:body { name = "arm", mass = 2, inertia = { 1, 1, 1 }, position = { 0, 0, 0 },
                       velocity = hinge and { 0, 0, 0 } or { 0, 0, rate },
                       angular_velocity = hinge and { 0, 0, rate } or { 0, 0, 0 } }
local a, b = swapped and arm or sys.ground, swapped and sys.ground or arm
local side = swapped and -1 or 1 -- of the coordinate, against that of the body
local spec = { a, b, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = "joint" }
if part == "limit" then
  if rate * side > 0 then spec.upper = 0.5 else spec.lower = -0.5 end
elseif part == "friction" then spec.friction = 2 end
sys[kind](sys, spec)
if part == "motor" then
  local motor = { a, b, axis = { 0, 0, 1 }, motion = 3 * side, limit = 2, name = "motor" }
  if not hinge then motor.at = { 0, 0, 0 } end
  sys[hinge and "motor_angle" or "motor_position"](sys, motor)
end
sys:defaults { solver = "moreau", step = 0.001, duration = 0.5 }
return sys
LUA

# A cube of 0.1 m and 1 kg on a plane inclined by 0.3 rad; x points down the slope.
cat >slope.lua <<'LUA'
local scene = require "holonom.scene"
local friction = scene.param("friction", 0.1, "coefficient of friction")
local speed = scene.param("speed", 0.0, "velocity at the start, m/s")
local sys = scene.system { gravity = { 9.81 * math.sin(0.3), -9.81 * math.cos(0.3), 0 } }
sys:body { name = "slope", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } },
           material = "slope" }
sys:body { name = "cube", mass = 1, shape = scene.box { 0.1, 0.1, 0.1 }, position = { 0, 0.05, 0 },
           velocity = { speed, 0, 0 }, material = "cube" }
sys:material_pair { "slope", "cube", friction = friction }
sys:contact { margin = 0.02 }
sys:defaults { solver = "moreau", step = 0.001, duration = 1 }
return sys
LUA
