#!/bin/sh
# columns.sh - every figure of a run is the same in each place where it is written: records, JSON of run, compare and
# sweep, tables on the screen, reports and pages. On a scene in which no two numbers are equal and no axis is special,
# so that two columns cannot be exchanged unseen. Needs HOLONOM and python3.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
command -v python3 >/dev/null || without "python3 is missing"

cat >generic.lua <<'LUA'
-- generic.lua: a chain of unequal bodies, and a brick on a leaning floor
local scene = require "holonom.scene"
local touch = scene.param("touch", false, "a brick falls onto the floor, too")
local sys = scene.system { gravity = { 1.3, -8.7, 2.9 }, consistent = true }
local a = sys:body { name = "arm", mass = 2.3, inertia = { 0.21, 0.34, 0.27 }, position = { 0.4, -0.7, 0.9 },
                     axis_angle = { 0.6, -0.48, 0.64, 0.7 } }
local b = sys:body { name = "rod", density = 830, shape = scene.box { 0.35, 0.12, 0.21 }, position = { 1.1, -1.2, 0.5 },
                     axis_angle = { 0.48, 0.64, 0.6, 1.9 }, angular_velocity = { 0.3, 0.2, -0.4 } }
sys:ball { sys.ground, a, at = { 0.1, 0.2, 1.3 }, name = "shoulder" }
sys:universal { a, b, at = { 0.8, -0.9, 0.6 }, axis_a = { 0.6, 0.48, 0.64 }, axis_b = { -0.8, 0.36, 0.48 }, name = "wrist" }
if touch then
  sys:body { name = "floor", fixed = true, position = { 1.9, -2.6, 0.3 }, shape = scene.plane { normal = { -0.132, 0.988, -0.0804 } },
             friction = 0.31 }
  sys:body { name = "brick", density = 640, shape = scene.box { 0.33, 0.19, 0.27 }, position = { 3.1, -1.97, 0.7 },
             velocity = { 0.9, -0.4, 0.6 }, angular_velocity = { 1.1, 0.7, -0.9 }, friction = 0.62, restitution = 0.2 }
  sys:contact {}
end
sys:defaults { solver = "lagrange:stabilisation=baumgarte", step = 0.01, duration = 0.4 }
return sys
LUA

chain="./generic.lua --solver lagrange:stabilisation=baumgarte"
brick="./generic.lua --set touch=true --solver tgs-soft"
for name in chain brick; do
  [ $name = chain ] && run="$chain" || run="$brick"
  run run $run --output $name.csv --record-joints --json; cp out $name.json; exits "$name: a run with its record" 0
  run run $run; cp out $name.txt
  run sweep $run --output $name.sweep.csv --quiet; exits "$name: a sweep" 0
  solvers="${run##* },moreau"; scene="${run% --solver *}"
  run compare $scene --solvers $solvers --norm max --steps 0.01,0.005,0.0025 --wide --output $name.report; exits "$name: a report" 0
  cp out $name.compare.txt
  run compare $scene --solvers $solvers --norm max --steps 0.01,0.005,0.0025 --json; cp out $name.compare.json
  page=no
  if [ -e "$top/web/dist/report.html" ]; then
    run compare $scene --solvers $solvers --norm max --steps 0.01,0.005,0.0025 --output $name.html --quiet; exits "$name: a page" 0
    page=$name.html
  fi
  python3 "$top/tests/cli/columns.py" $name $page >seen 2>err; counts "$name: all figures were compared" $?
done

echo "# events"
run run ./generic.lua --set touch=true --solver events --json --list-events --record-events events.csv; exits "a run with impacts" 0
python3 - >seen 2>err <<'PY'
import csv, json
rows = list(csv.DictReader(open("events.csv")))
run = json.load(open("out"))["events"]
keys = ["time", "impulse", "friction", "force", "until", "angular"]
number = lambda text: float(text) if text else None
good = len(rows) == len(run["list"]) == run["count"] > 10 and all(
    [number(row[k]) for k in keys] == [event[k] for k in keys]
    and (row["kind"], row["body_a"], row["body_b"]) == (event["kind"], *event["bodies"]) for row, event in zip(rows, run["list"]))
print("%s %d events are the same in the record and in the JSON" % ("ok     " if good else "FAILED ", len(rows)))
kinds = {k: sum(row["kind"] == k for row in rows) for k in run["kinds"]}
print("%s so are their numbers: %s" % ("ok     " if kinds == run["kinds"] else "FAILED ", {k: n for k, n in kinds.items() if n}))
PY
counts "events were compared" $?
echo "# runs of more steps than a report has points"
run run pendulum --step 0.002 --duration 9 --output long.csv --quiet; exits "a record" 0
run compare pendulum --solvers impulse-sle --step 0.002 --duration 9 --steps 0.002 --output long.report --quiet
exits "its report" 0
python3 - >seen 2>err <<'PY'
import csv
rows = list(csv.DictReader(open("long.csv")))[1:]
points = list(csv.DictReader(open("long.report/series.csv")))
stride = -(-len(rows) // len(points))
while stride & (stride - 1):
    stride += 1
groups = [rows[i:i + stride] for i in range(0, len(rows), stride)]
good = stride > 1 and len(groups) == len(points) and all(
    float(p["joint_error"]) == max(float(r["position_error"]) for r in g)
    and float(p["joint_velocity_error"]) == max(float(r["velocity_error"]) for r in g)
    and float(p["time"]) == float(g[0]["time"]) for p, g in zip(points, groups))
print("%s each of %d points is the largest of %d steps" % ("ok     " if good else "FAILED ", len(points), stride))
PY
counts "points of several steps" $?
echo "# runs that fail"
run compare chain8 --solvers impulse-gs:iterations=1,impulse-sle --duration 0.1; exits "one of two fails: a row of the table" 0
has "it is listed with its time" out '^- impulse-gs:iterations=1 ended at t = 0 s: '
has "it has no error" out '^impulse-gs:iterations=1  stalled  *- '
echo "# equal work"
run compare chain8 --budget 2e5 --solvers impulse-sle,lagrange,taylor --json
sed -n 's/^      "joint_operations": \([0-9.]*\),*$/\1/p' out | awk '{ n++; if ($1 > 2e5 || $1 < 0.985 * 2e5) bad++ } END { exit !(n == 3 && !bad) }'
verdict "each solver uses 98.5 to 100 % of the budget: $(sed -n 's/^      "joint_operations": //p' out | tr -d '\n')" $?
finish
