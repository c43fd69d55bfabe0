#!/bin/sh
# engine_process.sh - the process of an engine: crashes and endless steps end its run with a sentence and leave the
# comparison going; a run repeats to the bit, also in the process of the command. Needs HOLONOM.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
build=$(cd "$(dirname "$HOLONOM")" && pwd)
. "$top/tests/support/lib.sh"
plugin=$build/tests/engines/.libs/failing_engine.so
[ -e "$plugin" ] || without "the failing engine is not built"

echo "# faults"
fault() { # FAULT OPTIONS SENTENCE STATUS
  timeout -k 5 20 "$HOLONOM" run pendulum --duration 0.1 --plugin "$plugin" --solver "failing:fault=$1$2" >out 2>err
  status=$?
  exits "$1$2" ${4:-1}
  has "$1$2: says why" err "$3"
}
fault abort "" "stalled in Failing 1.0: crashed (Aborted); it printed: assertion 2 < 1 failed, step"
fault segment "" "stalled in Failing 1.0: crashed (Segmentation fault), step"
fault exit "" "stalled in Failing 1.0: ended its process with status 7, step"
fault say "" "stalled in Failing 1.0: the matrix is singular, step"
fault say ",worker=false" "stalled in Failing 1.0: the matrix is singular, step"
fault hang ",time_limit=0.2" "stalled in Failing 1.0: took longer than 0.2 s for a step (time_limit), step"
fault not-finite "" "not-finite"
fault abort ",early=true" "Failing 1.0: crashed (Aborted); it printed: assertion 2 < 1 failed" 2
fault say ",early=true" "Failing 1.0: the matrix is singular" 2
fault hang ",early=true,time_limit=0.2" "Failing 1.0: took longer than 0.2 s" 2

run compare pendulum --duration 0.1 --plugin "$plugin" \
  --solvers "failing:fault=abort,impulse-sle,failing:fault=exit,failing:fault=abort,lagrange"
has "a comparison goes on: first" out "^failing:fault=abort  *stalled"
has "a comparison goes on: last" out "^lagrange  *converged"
has "both ends are told" out "crashed (Aborted)"
has "and" out "status 7"

echo "# interruption"
end_in_a_step() { # SIGNAL : sends it to the command in an endless step; sets status; no process may be left
  "$HOLONOM" run pendulum --plugin "$plugin" --solver failing:fault=hang >out 2>err &
  pid=$!
  sleep 0.5
  worker=$(pgrep -P $pid)
  kill -$1 $pid
  wait $pid 2>/dev/null
  status=$?
  sleep 0.2
  left=$(ps -o stat= -p "$worker")
  case $worker:$left in : | *:[!Z]*) false ;; esac
  verdict "$1 in an endless step: process ${worker:-none} has ended" $? "it is there: ${left:-no process was seen}"
}
end_in_a_step INT
test $status -ne 0 && grep -q interrupted err
verdict "an endless step can be interrupted (status $status)" $?
end_in_a_step KILL

if [ -e "$build/engines/.libs/mujoco.so" ]; then
  cat >stiff.lua <<'LUA'
-- stiff.lua: a spring far too stiff for the step
local scene = require "holonom.scene"
local sys = scene.system {}
local body = sys:body { name = "body", mass = 1, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }
sys:spring { sys.ground, body, at_a = { 0, 0, 0 }, at_b = { 1.5, 0, 0 }, length = 0.5, stiffness = 1e14 }
sys:defaults { solver = "lagrange", step = 0.01, duration = 1 }
return sys
LUA
  run run ./stiff.lua --solver mujoco
  has "MuJoCo's new beginning ends the run" err "stalled in MuJoCo .*the run began anew"
fi

echo "# bits"
[ -e "$build/engines/.libs/ode.so" ] || [ -e "$build/engines/.libs/mujoco.so" ] || without "no engine is built"
run compare pendulum --duration 0.05 --solvers impulse-sle,engines
for name in ode mujoco bullet simbody dart; do
  [ ! -e "$build/engines/.libs/$name.so" ] || has "engines: $name among them" out "^$name  *[a-z]"
done
run list solvers
[ ! -e "$build/engines/.libs/ode.so" ] || has "list solvers marks an engine, with its version" out "^ode  *engine ODE 0"
for engine in ode ode:stepper=quick mujoco bullet simbody dart box2d; do
  [ -e "$build/engines/.libs/${engine%%:*}.so" ] || continue
  scene=compound_pendulum
  [ $engine = box2d ] && scene=seesaw
  hash() { "$HOLONOM" run $scene --step 0.005 --duration 0.2 --solver "$1" | sed -n 's/^hash //p'; }
  separator=:
  case $engine in *:*) separator=, ;; esac
  one=$(hash $engine) two=$(hash $engine) here=$(hash "$engine${separator}worker=false")
  test -n "$one" && test "$one" = "$two" && test "$one" = "$here"
  verdict "$engine: hash $one, again, and in this process" $?
done
finish
