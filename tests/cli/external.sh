#!/bin/sh
# external.sh - solver `external`: programs that answer lines of JSON. The example of the documentation has its order, and
# agrees with impulse-sle, which is the same method for one rod; programs that fail end their run with a sentence.
# Needs HOLONOM and python3.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
command -v python3 >/dev/null || without "python3 is missing"
rods="external:command=python3 $top/doc/external/rods.py"

echo "# the example"
run converge pendulum --solver "$rods" --expect declared --exactly; exits "its order is 2" 0
has "which it declares" out 'the solver declares 2'
run run pendulum --solver "$rods" --json; cp out theirs.json; exits "a run" 0
run run pendulum --solver impulse-sle:tolerance=1e-13 --json; cp out ours.json
python3 - theirs.json ours.json <<'PY'
import json, sys
theirs, ours = (json.load(open(name)) for name in sys.argv[1:])
apart = max(abs(a - b) for x, y in zip(theirs["bodies"], ours["bodies"]) for a, b in zip(x["position"], y["position"]))
print(f"#   distance of the bob from that of impulse-sle {apart:.1e} m, bound 1e-11")
sys.exit(not apart <= 1e-11)
PY
verdict "the same motion as impulse-sle" $?
run run double_pendulum --solver "$rods" --duration 0.5; exits "two rods" 0
run run box_pendulum --solver "$rods"; exits "a model that is not for it" 1
has "is unsupported" out ': unsupported'; has "with its own words" err 'rigid: rods.py has particles only'
run sweep pendulum --solvers "impulse-sle,$rods" --steps 0.02,0.01 --duration 0.2 --output s.csv; exits "in a sweep" 0
[ "$(grep -c converged s.csv)" -eq 4 ]; verdict "of four runs" $?

echo "# programs that fail"
fails() { # WHAT COMMAND PATTERN
  run compare pendulum --solvers "impulse-sle,external:command=$2" --duration 0.1
  has "$1" out "the program: $3"; has "and the others go on" out '^impulse-sle *converged'
}
cat >program.py <<'PY'
import json, sys
kind = sys.argv[1]
sys.stdin.readline()
print(json.dumps({"name": "program.py"}), flush=True)
for line in sys.stdin:
    bodies = json.loads(line)["bodies"]
    if kind == "short": bodies = bodies[:1]
    if kind == "text": bodies[1][0] = "x"
    if kind == "few": bodies[1] = bodies[1][:7]
    if kind == "long": bodies[1][3] = 1.01
    if kind == "dies": sys.exit(5)
    print("{\"bodies\": " if kind == "cut" else "[1]" if kind == "list" else json.dumps({"bodies": bodies}), flush=True)
PY
cat >restarts.py <<'PY'
import json, sys
sys.stdin.readline()
print(json.dumps({"name": "restarts.py"}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    print(request["restart"], request["time"], file=sys.stderr, flush=True)
    print(json.dumps({"bodies": request["bodies"]}), flush=True)
PY
run run pendulum --solver "external:command=python3 restarts.py 2>restarts.txt" --duration 0.05
[ "$(grep -c "True" restarts.txt)" -eq 1 ] && [ "$(wc -l <restarts.txt)" -eq 5 ] && grep -q "^True 0" restarts.txt
verdict "the program starts anew at the first of five steps only" $?
fails "a program that ends" "exit 3" "it ended with status 3"
fails "one that is killed" 'kill -9 $$' "it was ended by signal 9"
fails "one that is not there" "./no-such-program" "it ended with status 127"
fails "one that does not answer" "sleep 61.73,time_limit=0.2" 'it did not answer within 0.2 s'
fails "one that does not introduce itself" "cat" 'its first answer has no "name"'
fails "one that ends later" "python3 program.py dies" "it ended with status 5"
fails "too few bodies" "python3 program.py short" 'its answer has no "bodies" for all 2 bodies'
fails "a text for a number" "python3 program.py text" 'its answer for body "bob" has no 13 numbers'
fails "too few numbers" "python3 program.py few" 'its answer for body "bob" has no 13 numbers'
fails "an orientation that is none" "python3 program.py long" 'its answer for body "bob" has an orientation that is no unit quaternion'
fails "half a value" "python3 program.py cut" "its answer is no JSON object"
fails "another value" "python3 program.py list" "its answer is no JSON object"
run run pendulum --solver external; exits "no command" 2; has "is said" err 'command=... must give'

echo "# the command line alone starts programs"
cat >trap.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system {}
sys:particle { name = "stone", mass = 1, position = { 0, 0, 0 } }
sys:defaults { solver = "external:command=touch started", step = 0.1, duration = 0.1 }
return sys
LUA
run run ./trap.lua; exits "a scene that names a program" 2
run run ./trap.lua --output external.csv; exits "also if the command line has the word" 2
has "is refused" err 'by the command line only'
run run ./trap.lua --output "touch started external.csv"; exits "or elsewhere the command" 2
has "is refused as well" err 'by the command line only'
[ ! -e started ]; verdict "nothing was started" $?
run run pendulum --solver external --command "python3 $top/doc/external/rods.py"; exits "--command gives one" 0
run list parameters external; has "parameters are listed" out time_limit
if command -v pgrep >/dev/null; then
  pgrep -f "^sleep 61.73" >/dev/null; [ $? -eq 1 ]; verdict "no program is left" $?
fi
finish
