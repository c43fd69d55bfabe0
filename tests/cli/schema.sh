#!/bin/sh
# schema.sh - the JSON of every command conforms to doc/schema, which has no other keys. Needs HOLONOM, the command, and
# jsonschema for Python.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$source/tests/support/lib.sh"
python_with jsonschema || finish

count=0
agrees() { # SCHEMA STATUS ARGUMENTS... : the command exits with STATUS; its JSON is kept for validate
  schema=$1; expected=$2; shift 2
  run "$@"; exits "$schema: $*" "$expected"
  count=$((count + 1)); mv out "kept.$count"
  echo "$schema kept.$count" >>pairs; echo "kept.$count $schema: $*" >>told
}
validate() { # validates all JSON that was kept, in one process
  "$python" -W ignore "$source/tests/cli/check_schema.py" "$source/doc/schema" - <pairs >why 2>err; ended=$?
  while read -r kept told; do
    ! grep -q "^$kept " why; verdict "valid: $told" $? "$(grep "^$kept " why | head -n 3 | cut -c1-200)"
  done <told
  [ "$ended" -eq 0 ] && [ "$count" -ge 39 ]; verdict "all $count are valid" $? "status $ended"
}
differs() { # NAME SCHEMA PATTERN : out, edited by PATTERN, is invalid
  ! "$python" -W ignore "$source/tests/cli/check_schema.py" "$source/doc/schema" "$2" out >why 2>/dev/null && grep -q -e "$3" why
  verdict "$1" $? "$(head -n 3 why)"
}

echo "# run"
for scene in pendulum "car --duration 0.1" "bricard --duration 0.1" "ball_tray --duration 0.02" "pendulum --duration 0.105" \
  "pendulum --consistent" "cart_pole --solver lagrange --duration 0.1" "stack --duration 0.02"; do agrees run 0 run $scene --json; done
agrees run 1 run cuboid28 --solver lagrange --json; agrees run 1 run table --solver impulse-extrapolated --json
agrees run 1 run pendulum --budget 100 --json
agrees run 0 run double_pendulum --solver lagrange --at 0,0.1234,0.5 --duration 0.5 --json
agrees run 0 run bouncing_balls --solver events --duration 2 --json --list-events
cat >change.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local bob = sys:body { name = "bob", mass = 2, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }
sys:ball { sys.ground, bob, at = { 0, 0, 0 }, breaks_at = 30, name = "thread" }
local old = sys:particle { name = "old", mass = 1, position = { 0, 5, 0 } }
sys:on("broken", function(event, s)
  sys:remove(old)
  sys:particle { name = "new", mass = 1, position = { 3, 0, 0 } }
  s:impulse { bob, impulse = { 0, 1, 0 } }
end)
sys:defaults { solver = "lagrange", step = 0.01, duration = 1 }
return sys
LUA
agrees run 0 run ./change.lua --json --list-events
for what in '"changes": 2' '"broken": 1' '"impulse": 1' '"removed": 1' '"added": 1' '"name": "new"' '"joint": "thread"'; do has "$what" "kept.$count" "$what"; done
hasnt "a removed key" "kept.$count" '"name": "old"'
run run ./change.lua --output change.csv --record-joints --record-events events.csv --quiet; exits "its records" 0
[ "$(cut -d, -f3 events.csv | tr '\n' ' ')" = "kind broken impulse removed added " ]; verdict "its events" $? "$(cut -d, -f3 events.csv | tr '\n' ' ')"

echo "# JSON that violates a schema"
run run pendulum --json; cp out good
sed 's/"time": 1.0/"time": "1"/' good >out; differs "a text for a number" run "time"
sed 's/"steps"/"stepz"/' good >out; differs "a key that nobody knows" run "stepz"
sed '/"hash"/d' good >out; differs "a key that is missing" run "'hash' is a required"
sed 's/"reason": "converged"/"reason": "fine"/' good >out; differs "a reason that is none" run "fine"

echo "# several runs"
agrees compare 0 compare pendulum --duration 0.5 --steps 0.1,0.05 --solvers lagrange,impulse-sle,ida --json
agrees compare 0 compare chain8 --duration 0.1 --solvers impulse-sle,xpbd,impulse-extrapolated --json
agrees compare 0 compare chain8 --duration 0.2 --budget 20000 --solvers lagrange,impulse-sle --json
agrees compare 0 compare ball_tray --duration 0.02 --contact pgs,newton --json
agrees converge 0 converge pendulum --json; agrees converge 0 converge pendulum --expect 2 --json
agrees converge 1 converge pendulum --expect 6 --json; agrees converge 0 converge pendulum --budget 1 --json
agrees converge-all 0 converge pendulum --all --duration 0.5 --solvers impulse-sle,lagrange:adaptive=true --json
agrees check 0 check pendulum --json; agrees check 0 check double_pendulum --solver impulse-sle --json

echo "# other commands"
agrees rank 0 rank cuboid28 --json; agrees rank 0 rank chain8 --at 0.1 --json
agrees rank 1 rank box_pendulum --at 2 --step 0.5 --json
agrees inverse 0 inverse car_axis --duration 0.1 --json; agrees inverse 1 inverse flyball --step 0.01 --solver lagrange --json
agrees problem 0 problem ball_tray --json
agrees equilibrium 0 equilibrium four_bars --json; agrees equilibrium 1 equilibrium table --json
agrees sensitivity 0 sensitivity pendulum --parameters length,mass --duration 0.2 --solver lagrange --json
agrees modes 0 modes flyball --equilibrium --json; agrees modes 0 modes heavy_top --json
for what in solvers joints forces scenes linear petsc contact "parameters lagrange" "parameters impulse-gs" \
  laws "parameters spring" "parameters chain8" "parameters newton"; do agrees list 0 list $what --json; done

echo "# all validated"
validate

echo "# models"
for scene in $("$HOLONOM" list scenes --json | sed -n 's/^    "name": "\(.*\)",$/\1/p'); do
  run run "$scene" --model "$scene.json" --duration 1e-4 --step 1e-4 --quiet
done
count=$(ls ./*.json | wc -l)
"$python" -W ignore "$source/tests/cli/check_schema.py" "$source/doc/schema" model ./*.json >why 2>&1
verdict "model: $count scenes" $? "$(head -n 3 why)"
[ "$count" -ge 50 ]; verdict "these are all scenes" $?

finish
