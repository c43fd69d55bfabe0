#!/bin/sh
# output.sh - output files are complete or absent: records and reports beside simultaneous runs, JSON without memory.
# Needs HOLONOM, the command of a build tree in which `make check` has made tests/preload.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"

whole() { # NAME FILE : every line has the number of fields of the first
  [ -s "$2" ] && [ "$(awk -F, 'NR == 1 { n = NF } NF != n' "$2" | wc -l)" -eq 0 ]; verdict "$1" $?
}

echo "# two runs with one output"
"$HOLONOM" run pendulum --duration 1e7 --output both.csv --json >first 2>first.err &
pid=$!
waits_for -s both.csv.part
refused "a second run with the same record" "cannot write both.csv: another run is writing it (both.csv.part is in use)" \
  run pendulum --duration 1 --output both.csv
refused "a table of that name" "cannot write both.csv: another run" \
  converge pendulum --duration 1 --steps 0.1,0.05 --output both.csv
stops $pid; exits "the first run, interrupted" 1
whole "the first one's record is whole" both.csv
steps=$(sed -n 's/^  "steps": \(.*\),$/\1/p' first)
[ "$(wc -l <both.csv)" -eq $((steps + 2)) ]; verdict "it has a line for each of its $steps steps" $?
run run pendulum --duration 1 --output both.csv; exits "the next run may use the name" 0
yes 'left by a run that was killed' | head -n 100000 >both.csv.part # longer than the record
run run pendulum --duration 1 --output both.csv; exits "files of a killed run are no obstacle" 0
whole "and not in the record" both.csv; hasnt "no file remains" both.csv killed
"$HOLONOM" compare chain8 --duration 1e6 --solvers impulse-sle --output report --quiet >first 2>first.err &
pid=$!
waits_for -d report.part; sleep 0.2
refused "a second report into the directory" "cannot write into report: another run is writing it" \
  compare pendulum --duration 0.1 --solvers lagrange --output report
[ -d report.part ]; verdict "the directory of the first report is unchanged" $?
stops $pid; exits "the first comparison, interrupted" 1
[ ! -e report.part ]; verdict "its directory is removed" $?

echo "# the file of contacts"
run run ball_tray --duration 0.01 --output tray.csv --record-contacts; exits "a record with contacts" 0
whole "the record is whole" tray.csv; whole "and so are the contacts" tray.contacts.csv
[ "$(wc -l <tray.contacts.csv)" -eq $((10 * 29 + 1)) ]; verdict "29 contacts after each of 10 steps" $?
cp tray.contacts.csv before.csv
run run ball_tray --duration 0.01 --output tray.csv --record-contacts
cmp -s before.csv tray.contacts.csv; verdict "a second record is equal" $?
refused "without a record" "--record-contacts needs a record" run ball_tray --record-contacts
run run pendulum --output none.csv --record-contacts; exits "a scene without contacts" 2
has "it is reported" err "contacts cannot be recorded: nothing collides"
[ ! -e none.csv ] && [ ! -e none.csv.part ] && [ ! -e none.contacts.csv.part ]; verdict "no file remains" $?

echo "# a body with offset centre of mass and rotated principal axes"
cat >angle.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 } }
sys:body { name = "angle", density = 1000, position = { 3, -2, 1 }, axis_angle = { 1, 2, 3, 0.7 },
           shapes = { { shape = scene.box { 1, 0.1, 0.1 }, position = { 0.5, 0, 0 } },
                      { shape = scene.box { 0.1, 0.6, 0.1 }, position = { 0, 0.35, 0 } } } }
sys:body { name = "plain", mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, 0 } }
return sys
LUA
run run ./angle.lua --duration 0.01 --json; exits "run" 0
[ "$(grep -c '"frame": {' out)" -eq 1 ]; verdict "the frame of this body is in JSON, of no other one" $?
awk '/"(position|orientation)": \[/ { n = 0; what = /position/ ? "x" : "q"; if (seen++ > 3) what = ""; if (seen > 2) what = what "f" }
     what != "" && /^ *-?[0-9]/ { v[what, n++] = $1 + 0 }
     END { w = v["q", 0]; a = v["q", 1]; b = v["q", 2]; c = v["q", 3]; x = v["xf", 0]; y = v["xf", 1]; z = v["xf", 2]
           tx = 2 * (b * z - c * y); ty = 2 * (c * x - a * z); tz = 2 * (a * y - b * x)
           X = v["x", 0] + x + w * tx + b * tz - c * ty; Y = v["x", 1] + y + w * ty + c * tx - a * tz
           Z = v["x", 2] + z + w * tz + a * ty - b * tx
           printf "#   centre of mass at %g %g %g, origin at %.12g %.12g %.12g\n", v["x", 0], v["x", 1], v["x", 2], X, Y, Z
           d = (X - 3) ^ 2 + (Y + 2) ^ 2 + (Z - 1) ^ 2; off = (v["x", 0] - 3) ^ 2; exit !(d < 1e-24 && off > 1e-4) }' out
verdict "the frame gives the origin of the scene" $?

echo "# runs that fail before the first frame leave an earlier record"
run run pendulum --duration 1 --output good.csv; cp good.csv before.csv
cat >huge.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 } }
sys:particle { name = "p", position = { 1, 0, 0 }, mass = 1, velocity = { 1e200, 0, 0 } }
return sys
LUA
cat >names.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 } }
local p = sys:body { name = "p", position = { 1, 0, 0 }, mass = 1, inertia = { 1, 1, 1 } }
sys:planar { sys.ground, p, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = "p" }
return sys
LUA
keeps() { # NAME EXPECTED ARGUMENTS... : a failing run leaves the earlier record unchanged
  name=$1; expected=$2; shift 2
  run run "$@" --output good.csv; exits "$name" "$expected"
  cmp -s before.csv good.csv; verdict "the earlier record is unchanged" $?
  [ ! -e good.csv.part ]; verdict "no other file remains" $?
}
keeps "an energy that is not finite at the start" 1 ./huge.lua
keeps "a solver that cannot do the scene" 1 ragdoll --solver impulse-extrapolated
keeps "columns that would have the same names" 2 ./names.lua --record-joints

echo "# outputs that are inputs or other outputs"
printf 'local scene = require "holonom.scene"\nlocal sys = scene.system {}\nsys:body { mass = 1, position = { 0, 0, 0 } }\nreturn sys\n' >mine.lua
cp mine.lua mine.kept; cp mine.lua mine.json; ln -sf mine.lua link.json; ln -sf "$PWD" here
refuses() { # WHAT MESSAGE ARGUMENTS... : exit status 2 with the message, and the scene is as it was
  what=$1 message=$2; shift 2
  run "$@"; exits "$what" 2; has "its message" err "$message"
  cmp -s mine.lua mine.kept; verdict "the scene is as it was" $?
}
refuses "a model over its scene" '--model mine.lua: the file must end in .json' run ./mine.lua --model mine.lua
refuses "a model over its scene, by a link" '--model link.json: this is the file that is read' run ./mine.lua --model link.json
refuses "a model over its scene, by another path" '--model here/mine.json: this is the file' run ./mine.json --model here/mine.json
refuses "a session over its scene" '--session mine.lua: .lua is the ending of scenes' view ./mine.lua --session mine.lua
refuses "a model over a record" '--output and --model are one file' run ./mine.lua --output both.json --model ./both.json
refuses "events over a record" '--output and --record-events are one file' run ./mine.lua --output both.csv --record-events here/both.csv
refuses "events over contacts" '--record-contacts and --record-events are one file' run ./mine.lua --output b.csv --record-contacts --record-events b.contacts.csv
echo "{}" >answer.csv
refuses "a table over its reference" '--output answer.csv: this is the file of --reference' converge ./mine.lua --reference answer.csv --output answer.csv
run run pendulum --duration 0.01 --output apart.csv --record-events apart.events.csv --model apart.json; exits "three outputs" 0

echo "# outputs that are links"
mkdir -p elsewhere; echo old >elsewhere/kept.csv; ln -s elsewhere/kept.csv linked.csv; ln -s nowhere.csv dangling.csv
run run pendulum --duration 0.01 --output linked.csv; exits "a record by a link" 0
[ -L linked.csv ] && [ "$(wc -l <elsewhere/kept.csv)" -gt 1 ]; verdict "the link stays, and its file has the record" $?
run run pendulum --duration 0.01 --output plain.csv; cmp -s plain.csv elsewhere/kept.csv; verdict "the same record" $?
[ "$(ls elsewhere)" = kept.csv ]; verdict "nothing else is beside it" $?
run run pendulum --duration 0.01 --output dangling.csv; exits "a link that leads to no file" 2; has "its message" err 'the link leads to no file'

echo "# JSON is complete or absent"
run rank box_pendulum --at 2 --step 0.5 --json; exits "rank at a time that is not reached" 1
has "the failure is in JSON" out '"reason": "stalled"'; has "no rank in JSON" out '"rank": null'
has "the reason in JSON" out '"explanation": "impulse-sle: stalled'
run rank box_pendulum --json; has "a computed rank has a reason, too" out '"reason": "converged"'
# If an allocation and all later ones fail, output is complete or absent.
failing=$built/tests/preload/.libs/failing_malloc.so
without_memory() { # N ARGUMENTS... : like run, with failing allocations from the Nth on
  n=$1; shift
  LD_PRELOAD=$failing FAIL_AT=$n LD_LIBRARY_PATH=$built/.libs "$built/.libs/holonom" "$@" >out 2>err
  status=$?
}
for command in "rank pendulum --solver impulse-gs" "list joints" "run pendulum --duration 0.02 --solver impulse-gs" \
  "run stack --duration 0.01 --solver moreau:contact=newton"; do
  without_memory 0 $command --json; sed -e '/"wall_s"/d' -e '/"us_per_step"/d' out >good
  total=$(sed -n 's/^allocations: //p' err); bad=0; tried=0
  for n in $(seq $((total > 300 ? total - 300 : 1)) 7 "$total"); do
    without_memory "$n" $command --json; tried=$((tried + 1))
    sed -e '/"wall_s"/d' -e '/"us_per_step"/d' out >got
    if [ "$status" -eq 0 ]; then cmp -s good got || bad=$n
    else [ "$status" -eq 2 ] && [ ! -s out ] && [ -s err ] || bad=$n; fi
  done
  [ $tried -gt 10 ] && [ $bad -eq 0 ]
  verdict "$command --json, $tried of its last $total allocations failing: all of it, or status 2 and nothing" $? \
    "wrong at allocation $bad"
done

finish
