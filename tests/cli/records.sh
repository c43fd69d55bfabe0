#!/bin/sh
# records.sh - records of runs: selected steps and columns, standard output, HDF5 and glTF compared with CSV, unusual
# names, full disks, and pictures of G and K. Needs HOLONOM, the command, and h5py for Python; uses a glTF validator if
# there is one.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$source/tests/support/lib.sh"
column() { # NAME FILE : prints the values of a column; names have no commas here
  awk -F, -v name="$1" 'NR == 1 { gsub("\"", ""); for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' "$2"
}
lines() { # NAME FILE COUNT
  [ "$(wc -l <"$2")" -eq "$3" ]; verdict "$1" $? "$(wc -l <"$2") lines of $3"
}

echo "# --every"
run run chain8 --duration 1 --output all.csv --quiet; lines "all: a head, the start, 100 steps" all.csv 102
run run chain8 --duration 1 --output some.csv --every 10 --quiet; lines "every 10" some.csv 12
awk -F, 'NR == 1 || $1 % 10 == 0' all.csv | cmp -s - some.csv; verdict "selected steps equal those of a full record" $?
run run chain8 --duration 1 --output some.csv --every 7 --quiet; lines "every 7, and the last" some.csv 17
[ "$(tail -n 1 some.csv)" = "$(tail -n 1 all.csv)" ]; verdict "the end is recorded" $?
run run chain8 --duration 1 --output some.csv --every 1000 --quiet; lines "every 1000 of 100: both ends" some.csv 3
run run ball_tray --duration 0.01 --output tray.csv --every 5 --record-contacts --quiet; exits "contacts of every 5 steps" 0
[ "$(column step tray.contacts.csv | sort -u | tr '\n' ' ')" = "10 5 " ]; verdict "contacts are those of the selected steps" $?
for n in 0 -3 1.5 1e30 ten; do refused "--every $n" "--every $n: must be a whole number" run pendulum --output x.csv --every $n; done
refused "--every without a record" "--every needs a record" run pendulum --every 5

echo "# shortest digits"
run run bouncing_balls --solver events --step 0.002 --duration 1 --output digits.csv --record-events digits.events.csv --quiet
exits "a run" 0
run converge pendulum --duration 0.5 --output digits.converge.csv --quiet
python3 - >out 2>err <<'END'
import csv
numbers, longer, lengths = 0, 0, [0] * 3
for name in ("digits.csv", "digits.events.csv", "digits.converge.csv"):
    for row in csv.DictReader(open(name)):
        for key, text in row.items():
            if not text or key in ("hash", "us_per_step", "factor") or not text[-1].isdigit() or "." not in text: continue
            x = float(text)
            shortest = next(p for p in (15, 16, 17) if float(f"{x:.{p}g}") == x)
            numbers += 1
            lengths[shortest - 15] += 1
            longer += text != f"{x:.{shortest}g}" and text != f"{x:.6g}"
print(numbers, "numbers, with 15, 16 and 17 digits:", *lengths)
assert numbers > 1000 and min(lengths) > 0 and longer == 0, longer
END
held=$?; verdict "$(cat out); all are the shortest that read back" $held "$(tail -n 1 err)"
grep -q '^209,0.418,' digits.csv; verdict "0.418 s is written as 0.418, not 0.41799999999999998" $?

echo "# events"
run run bouncing_balls --set restitution=0.8 --solver events --step 0.05 --duration 6 --record-events e.csv --json --list-events
exits "a run" 0
lines "a head, 49 impacts, closed, zeno" e.csv 52
[ "$(head -n 1 e.csv)" = "step,time,kind,body_a,body_b,joint,impulse,friction,force,until,angular" ]; verdict "the header of events" $?
[ "$(column kind e.csv | sort | uniq -c | tr -s ' \n' ' ')" = " 1 closed 49 impact 1 zeno " ]; verdict "the kinds of events" $?
until=$(column until e.csv | tail -n 1)
awk -v t="$until" 'BEGIN { d = t - 4.0637127688715781; exit !(d * d < 1e-14) }'; verdict "the limit time $until" $?
has "the same number in JSON" out '"impact": 49,'; has "no event is lost" out '"lost": 0,'; has "all events are in the record" out "\"until\": ${until%????}"
run run bouncing_balls --set restitution=0.8 --solver events --step 0.05 --duration 6 --record-events e2.csv --quiet
cmp -s e.csv e2.csv; verdict "a second run writes an equal file" $?
run run bouncing_balls --duration 1 --record-events - --quiet; has "on standard output" out "ball1"
refused "events beside JSON" "something else goes to standard output" run bouncing_balls --record-events - --json
refused "no CSV without its option" "must end in .csv" run bouncing_balls --record-events e.txt
refused "a list without JSON" "needs --json" run bouncing_balls --list-events
run run pendulum --json; hasnt "a run without events" out '"events"'

echo "# standard output"
run run chain8 --duration 1 --output -; exits "a record on standard output" 0; cmp -s out all.csv; verdict "equal to the record in a file" $?
refused "beside JSON" "would both write to standard output" run pendulum --output - --json
refused "with contacts" "standard output cannot have" run ball_tray --output - --record-contacts
(trap '' PIPE; "$HOLONOM" run chain8 --duration 1 --output - 2>err; echo $? >code) | true
[ "$(cat code)" -eq 2 ] && grep -q "cannot write standard output: Broken pipe" err; verdict "a closed pipe" $? "$(cat code)"
"$HOLONOM" run chain8 --duration 1 --output - >/dev/full 2>err
[ $? -eq 2 ] && grep -q "cannot write standard output: No space left" err; verdict "to a full disk" $?

echo "# figures reported by the solver"
run run chain8 --solver impulse-gs --duration 1 --output gs.csv --json; exits "a run" 0
sum=$(column impulses gs.csv | awk '{ s += $1 } END { print s }'); told=$(sed -n 's/^    "impulses": \(.*\),$/\1/p' out)
[ "$sum" -eq "$told" ]; verdict "impulses of all steps: $sum of $told" $?
most=$(column position_iterations gs.csv | sort -n | tail -n 1)
has "the largest number of iterations: $most" out "\"position_max\": $most,"
[ -z "$(column impulses gs.csv | head -n 1)" ]; verdict "the start has no iterations" $?
sum=$(column operations gs.csv | awk '{ s += $1 } END { print s }')
run compare chain8 --duration 1 --solvers impulse-gs --json
has "joint operations: $sum" out "\"joint_operations\": $sum.0"
hasnt "no times by default" gs.csv us_per_step
run run chain8 --duration 1 --output times.csv --times --quiet; has "times on request" times.csv us_per_step
[ "$(column us_per_step times.csv | awk 'NR > 1 && $1 > 0' | wc -l)" -eq 100 ]; verdict "times of every step" $?

echo "# recorded forces"
cat >forces.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
local p = sys:body { name = "p", mass = 2, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }
sys:hinge { sys.ground, p, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = "axle" }
sys:spring { sys.ground, p, at_a = { 2, 1, 0 }, at_b = { 1, 0, 0 }, stiffness = 30, damping = 2, length = 0.5, name = "spring" }
sys:motor { sys.ground, p, axis = { 0, 0, 1 }, gain = 3, limit = 100, target = 2, name = "motor" }
sys:force { p, at = { 1, 0, 0 }, force = { 1, 2, 3 }, name = "wind" }
return sys
LUA
run run ./forces.lua --duration 1 --step 0.01 --solver lagrange --output f.csv --record-forces --quiet; exits "springs, motors" 0
for what in "spring -30*(value-0.5)-2*rate" "motor 3*(2-rate)"; do
  name=${what%% *}
  off=$( (column "$name.value" f.csv >v; column "$name.rate" f.csv >r; column "$name.force" f.csv >q; paste v r q) |
    awk -v law="$name" '{ q = law == "spring" ? -30 * ($1 - 0.5) - 2 * $2 : 3 * (2 - $2); d = q - $3; if (d < 0) d = -d
                          if (d > most) most = d; if ($3 * $3 > 0.01) big++ } END { print (big > 50 ? most : 1e9) }')
  awk -v off="$off" 'BEGIN { exit !(off < 1e-13) }'; verdict "$name: ${what#* }, off by $off of 1e-13" $?
done
[ "$(paste -d' ' - - - <<X
$(column wind.force_x f.csv | sort -u) $(column wind.force_y f.csv | sort -u) $(column wind.force_z f.csv | sort -u)
X
)" = "1 2 3  " ]; verdict "a force has its vector" $?
refused "--record-forces without a record" "needs a record" run pendulum --record-forces

echo "# HDF5 and glTF beside CSV, and names of any kind"
cat >names.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, -9.81 } }
local names = { 'a, "b"', "Größe µ", "back\\slash", "'", "%s %n" }
local previous = sys.ground
for i, name in ipairs(names) do
  local b = sys:body { name = name, shape = scene.convex { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, density = 1,
                       position = { i, 0, 0 } }
  sys:hinge { previous, b, at = { i, 0, 0 }, axis = { 0, 1, 0 }, name = "joint of " .. name }
  previous = b
end
return sys
LUA
cat >shapes.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 }, planar = true }
sys:body { name = "disc", shape = scene.circle { radius = 0.5 }, density = 1, position = { 0, 2, 0 }, angular_velocity = { 0, 0, 1 } }
sys:body { name = "block", shape = scene.polygon { { 1, 1 }, { 0, 0 }, { 1, 0 }, { 0, 1 } }, density = 1, position = { 3, 2, 0 } }
return sys
LUA
agree() { # NAME ARGUMENTS... : CSV, HDF5 and glTF of one run agree
  name=$1; shift
  run run "$@" --output x.csv --quiet --record-joints --record-forces; before=$status
  case $name in *contacts*) run run "$@" --output x.csv --quiet --record-joints --record-forces --record-contacts ;; esac
  run run "$@" --output x.h5 --record-events x.events.csv --quiet; run run "$@" --output x.glb --model x.json --quiet
  [ "$before" -eq 0 ] && [ "$status" -eq 0 ]; verdict "$name" $?
  if [ "$h5" = yes ]; then
    case $name in *contacts*) beside=x.contacts.csv ;; *) beside= ;; esac
    "$python" "$source/tests/cli/check_record.py" x.h5 x.csv x.events.csv $beside 2>err; verdict "HDF5 is CSV" $?
  fi
  "$python" "$source/tests/cli/check_glb.py" x.glb x.csv x.json 2>err; verdict "bodies have equal motion in glTF" $?
  [ -z "$validator" ] || { valid x.glb; verdict "the glTF file is valid" $? "$(cat err)"; }
}
valid() { # FILE : true if it is valid glTF
  NODE_PATH=$validator node -e 'require("gltf-validator").validateBytes(new Uint8Array(require("fs").readFileSync(process.argv[1])))
    .then(r => { for (const m of r.issues.messages) console.error(m.code, m.message, m.pointer)
                 process.exit(r.issues.numErrors + r.issues.numWarnings + r.issues.numInfos > 0 ? 1 : 0) })' "$1" 2>err
}
h5=yes; python_with h5py numpy || h5=no
validator=
for place in "$built/node_modules" ${NODE_PATH:-}; do [ -d "$place/gltf-validator" ] && validator=$place; done
[ -n "$validator" ] && command -v node >/dev/null || { validator=; echo "skipped no gltf-validator (npm install --prefix $built gltf-validator)"; }
agree "joints and forces" car --solver lagrange --duration 0.1
agree "contacts" ball_tray --duration 0.02
cat >breaks.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 },
           shape = scene.plane { normal = { 0, 1, 0 } } }
local bob = sys:body { name = 'the "bob"', mass = 2, shape = scene.sphere { radius = 0.1 },
                       position = { 1, 1.5, 0 }, restitution = 0.5 }
sys:distance { sys.ground, bob, at_a = { 0, 1.5, 0 }, at_b = { 1, 1.5, 0 }, breaks_at = 35, name = "rod" }
sys:contact { margin = 0.1 }
sys:on("broken", function(event, s) s:impulse { bob, impulse = { 0, 0, 1 } } end)
return sys
LUA
cat >pushed.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 } }
local p = sys:particle { name = "p", mass = 1, position = { 0, 0, 0 } }
sys:control(function(t, s)
  if math.floor(t * 100 + 0.5) % 10 == 3 then s:impulse { p, impulse = { 1, 0, 0 } } end
end)
return sys
LUA
events() { # NAME COUNT WORDS : the last record has COUNT events, of these kinds
  [ "$h5" = yes ] || return
  "$python" - "$2" "$3" <<'PY' 2>err
import h5py, sys
e = h5py.File("x.h5")["events"]
kinds = [w.decode() for w in e["kinds"]]
found = [kinds[k] for k in e["kind"]]
assert len(found) == int(sys.argv[1]) and sorted(set(found)) == sys.argv[2].split(), found
PY
  verdict "$1: $2 events" $? "$(cat err)"
}
broken="./breaks.lua --solver events --duration 1 --step 0.01"
agree "contacts, events" $broken; events "a rod that breaks" 3 "broken impact impulse"
agree "contacts, events of steps that are not written" $broken --every 7
events "and they are all there" 3 "broken impact impulse"
agree "events of control alone" ./pushed.lua --duration 1 --step 0.01 --every 4
events "impulses" 10 "impulse"
agree "names of any kind" ./names.lua --duration 0.05 --step 0.01
agree "shapes of the plane" ./shapes.lua --duration 0.05 --step 0.01
agree "springs, a motor and a force" ./forces.lua --solver lagrange --duration 1 --step 0.01
# Bodies, shapes and gravity without a special axis; along z; up.
for gravity in '1.7, -8.1, 3.9' '-3.2, 6.7, -5.1' '0, 0, -9.81' '0, 9.81, 0' '0, 0, 0'; do
  cat >upright.lua <<LUA
local scene = require "holonom.scene"
local sys = scene.system { gravity = { $gravity } }
sys:body { name = "plank", density = 300, shape = scene.box { 0.5, 0.7, 0.3 }, position = { 1.3, 0.7, -0.9 },
           axis_angle = { 0.6, -0.48, 0.64, 1.1 }, velocity = { 0.3, 1.2, -0.7 }, angular_velocity = { 1.9, -0.6, 2.3 } }
sys:body { name = "mace", mass = 2.3, inertia = { 0.2, 0.31, 0.17 }, position = { -0.8, 2.4, 1.1 },
           axis_angle = { 0.48, 0.6, -0.64, 0.8 }, angular_velocity = { -0.8, 2.1, 0.4 },
           shapes = { { shape = scene.capsule { radius = 0.11, height = 0.9 }, position = { 0.2, -0.35, 0.13 } },
                      { shape = scene.cylinder { radius = 0.23, height = 0.37 }, position = { -0.15, 0.4, 0.07 },
                        axis_angle = { 0.64, 0.6, 0.48, 0.9 } } } }
sys:body { name = "wedge", mass = 1.7, inertia = { 0.3, 0.2, 0.4 }, position = { 2.1, 1.3, 3.4 }, axis_angle = { 0.64, 0.48, -0.6, 2.1 },
           shape = scene.convex { { -0.3, -0.2, -0.15 }, { 0.45, -0.25, -0.1 }, { 0.1, 0.55, -0.2 }, { 0.05, 0.1, 0.6 } } }
sys:body { name = "pebble", density = 700, shape = scene.ellipsoid { 0.3, 0.5, 0.2 }, position = { -2.1, 0.3, -1.4 },
           axis_angle = { 0.6, 0.64, 0.48, 1.3 }, angular_velocity = { 1.2, 0.7, -1.9 } }
sys:body { name = "slope", fixed = true, shape = scene.plane { normal = { 0.36, 0.8, 0.48 } }, position = { 0.4, -7.3, 1.9 } }
sys:body { name = "hill", fixed = true, position = { -4.2, -3.1, 2.7 }, axis_angle = { 0.36, 0.8, -0.48, 0.6 },
           shape = scene.height_field { size = { 3, 2 }, heights = { { 0.3, 0.1, -0.2, 0.4 }, { 0, 0.9, 0.5, 0.2 }, { 0.1, 0, 0.6, -0.3 } } } }
sys:body { name = "stone", fixed = true, shape = scene.sphere { radius = 0.6 }, position = { 3.1, -2.2, 0.7 } }
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 0.2 }
return sys
LUA
  agree "upright, gravity $gravity" ./upright.lua
done
agree "point masses" cuboid28 --solver taylor --redundancy loop-split --duration 0.1
for kind in h5 glb csv; do
  run run car --duration 0.1 --output a.$kind --quiet; run run car --duration 0.1 --output b.$kind --quiet
  cmp -s a.$kind b.$kind; verdict "$kind: a second file is equal" $?
done
run run car --duration 0.1 --output a.h5 --model model.json --quiet
if [ "$h5" = yes ]; then
  "$python" - <<'PY' 2>err
import h5py, json
f = h5py.File("a.h5")
assert json.loads(f["model"][()]) == json.load(open("model.json"))
assert f.attrs["scene"] == b"car" and f.attrs["solver"].startswith(b"impulse-sle:") and f.attrs["step"] == 0.01
PY
  verdict "the file has model, scene, solver and step" $?
fi

echo "# interrupted runs, full disks"
readable() { # NAME FILE STEPS : has all steps from 0 on, at least STEPS
  [ "$h5" = yes ] || return
  "$python" - "$2" "$3" <<'PY' 2>err
import h5py, sys
f = h5py.File(sys.argv[1])
steps = list(f["steps/step"])
assert steps == list(range(len(steps))) and len(steps) > int(sys.argv[2]), len(steps)
assert len(f["bodies/position"]) == len(steps) == len(f["steps/hash"])
print("  %d steps" % (len(steps) - 1))
PY
  verdict "$1" $?
}
"$HOLONOM" run car --duration 1e6 --output cut.h5 --json >out 2>err &
pid=$!; tries=0
while [ "$(stat -c %s cut.h5.part 2>/dev/null || echo 0)" -lt 6000000 ] && [ $tries -lt 200 ]; do sleep 0.1; tries=$((tries + 1)); done
cp cut.h5.part killed.h5; kill -INT $pid; wait $pid; status=$?; exits "an interrupted run" 1
readable "has all its steps" cut.h5 "$(sed -n 's/^  "steps": \(.*\),$/\1/p' out | awk '{ print $1 - 1 }')"
"$HOLONOM" run car --duration 1e6 --output killed.h5 2>err &
pid=$!; tries=0
while [ "$(stat -c %s killed.h5.part 2>/dev/null || echo 0)" -lt 6000000 ] && [ $tries -lt 200 ]; do sleep 0.1; tries=$((tries + 1)); done
kill -KILL $pid; wait $pid 2>/dev/null
readable "one that is killed has those until then" killed.h5.part 1000
full() { # BLOCKS FILE ARGUMENTS... : a run with a disk of BLOCKS blocks of 512 bytes
  blocks=$1; file=$2; shift 2
  (trap '' XFSZ; ulimit -f "$blocks"; "$HOLONOM" run "$@" --output "$file" --quiet) >out 2>err
  status=$?
  [ $status -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "cannot write $file: File too large" err && [ ! -e "$file" ]
  verdict "a full disk, $file" $? "status $status"
}
full 20000 full.h5 car --duration 100 --step 0.001; readable "the written part remains" full.h5.part 3000
full 20 tiny.h5 car --duration 1; [ ! -e tiny.h5.part ]; verdict "no file without space for a header" $?
full 60 full.csv car --duration 1; [ -s full.csv.part ]; verdict "the written part remains" $?
full 60 full.glb car --duration 1
full 40000 lists.h5 balls216 --duration 0.5 --step 0.001; readable "with contacts" lists.h5.part 100

echo "# refused options"
refused "an unknown kind" "a record must end in .csv, .h5 or .glb" run pendulum --output x.mat
refused "no file extension" "must end in" run pendulum --output x
for kind in csv h5 glb; do
  refused "a directory that is not there, $kind" "cannot write no/x.$kind: No such file" run pendulum --output no/x.$kind
  mkdir -p dir.$kind; refused "a directory, $kind" "this is a directory" run pendulum --output dir.$kind
done
printf 'local sys = require("holonom.scene").system {}\nsys:particle { name = "two\\nlines", mass = 1 }\nreturn sys\n' >two.lua
refused "a name of two lines" "name must be printable text" run ./two.lua --output x.csv
refused "a model that does not fit the disk" "cannot write no/m.json" run pendulum --model no/m.json
mkdir -p broken; for name in $(ldd "$built/.libs/hn_hdf5.so" | sed -n 's/^[[:space:]]*\(libhdf5[^ ]*\) .*/\1/p'); do : >"broken/$name"; done
LD_LIBRARY_PATH=$PWD/broken "$HOLONOM" run pendulum --output x.h5 >out 2>err; status=$?
exits "HDF5 that cannot be loaded" 2; has "it is reported" err "cannot load hn_hdf5_record"; [ ! -e x.h5.part ]; verdict "no file remains" $?
LD_LIBRARY_PATH=$PWD/broken "$HOLONOM" run pendulum --output y.csv --quiet >out 2>err; status=$?; exits "CSV works without HDF5" 0

echo "# pictures of G and K"
for kind in pdf:%PDF svg:'<?xml' png:"$(printf '\211PNG')"; do
  run rank cuboid28 --output k.${kind%%:*}; exits "${kind%%:*}" 0
  [ "$(head -c "$(printf %s "${kind#*:}" | wc -c)" k.${kind%%:*})" = "${kind#*:}" ]; verdict "it has the format" $?
done
has "a picture beside the table" out '^rank  *18'
run rank pendulum --output k.gp --json; exits "a script, and JSON" 0
# A rod along x to a point mass: one entry in G, one in K.
[ "$(sed -n '/^\$rows/,/^EOD/p' k.gp | grep -c '^[0-9.]* [0-9.]* [0-9]')" -eq 2 ]; verdict "a pendulum has an entry in each" $?
has "G is 1 by 3" k.gp "G  1 × 3' at"; has "K is 1 by 1" k.gp "K  1 × 1' at"
has "a picture of part of G" k.gp "'33.3 % not zero"; has "a picture of all of K" k.gp "'100 % not zero"
run rank cuboid28 --output k.gp --quiet; has "redundant rows" k.gp "10 rows that can be removed together"
refused "an unknown kind" '.pdf, .svg or .png' rank pendulum --output k.csv
refused "nothing to draw" 'there are no joints' rank free_top --output k.pdf

finish
