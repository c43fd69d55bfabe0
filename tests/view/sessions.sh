#!/bin/bash
# sessions.sh - sessions of interactive runs: 200 commands of all kinds, replayed ten times to the same hash; records
# verified against sessions; and invalid files. Needs HOLONOM, the command, and python3.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$source/tests/support/lib.sh"
version=$("$HOLONOM" --version | cut -d' ' -f2)
fnv() { python3 -c 'import sys
h = 0xcbf29ce484222325
for b in open(sys.argv[1], "rb").read(): h = ((h ^ b) * 0x100000001b3) & (2**64 - 1)
print("%016x" % h)' "$1"; }
opening() { # SCENE.lua SOLVER STEP [SET] : prints the first line of a session
  echo "{\"format\":\"holonom session\",\"format_version\":1,\"version\":\"$version\",\"scene\":\"$1\",\"file\":\"$(fnv "$1")\",\"set\":{${4-}},\"consistent\":false,\"solver\":\"$2\",\"step\":$3}"
}
hash() { sed -n 's/^  "hash": "\(.*\)",*$/\1/p' "$1"; }
for scene in chain8 car pyramid cart_pole; do cp "$source/scenes/$scene.lua" .; done

echo "# no commands: a run"
for solver in impulse-sle lagrange xpbd ida; do
  (opening ./chain8.lua $solver 0.01; echo '{"at_step":100,"do":"end"}') >plain
  run replay plain --json; exits "$solver: a replay" 0; cp out replayed
  run run ./chain8.lua --solver $solver --step 0.01 --duration 1 --json
  [ "$(hash replayed)" = "$(hash out)" ]; held=$?; verdict "$solver: the hash of a run, $(hash out)" $held
done
(opening ./cart_pole.lua impulse-sle 0.01; echo '{"at_step":100,"do":"end"}') >plain
run replay plain --json; cp out replayed; run run ./cart_pole.lua --solver impulse-sle --step 0.01 --duration 1 --json
[ "$(hash replayed)" = "$(hash out)" ]; held=$?; verdict "with control: the hash of a run, $(hash out)" $held

echo "# 200 commands, ten times"
many() { # NAME HEAD ARGUMENTS... : writes the session NAME and replays it
  name=$1; first=$2; shift 2
  python3 "$source/tests/view/session.py" --seed 2 --head "$first" "$@" >"$name"
  run replay "$name" --json --output "$name.csv"; exits "$name: replayed" 0
  first=$(hash out); commands=$(sed -n 's/^  "commands": \(.*\),$/\1/p' out)
  [ "$commands" -eq 200 ]; held=$?; verdict "$name: $commands commands in $(sed -n 's/^  "steps": \(.*\),$/\1/p' out) steps, $first" $held
  same=0
  for i in 1 2 3 4 5 6 7 8 9 10; do run replay "$name" --json; [ "$(hash out)" = "$first" ] && same=$((same + 1)); done
  [ $same -eq 10 ]; verdict "$name: the same hash ten times" $? "$same times"
  kinds=$(grep -o '"do": "[a-z]*"' "$name" | sort -u | wc -l); echo "        $kinds kinds"
  sed -i "\$s|}|, \"hash\": \"$first\"}|" "$name"; run replay "$name"; exits "$name: with its hash" 0
  run verify "$name.csv" "$name"; exits "$name: its record is verified against it" 0
}
many chain "$(opening ./chain8.lua impulse-sle 0.002)" --bodies link1:0.4:-0.3:0 link4:2.6:-2.3:0 link8:5.6:-0.3:0 --steps 1000 \
  --solvers impulse-sle impulse-gs lagrange:stabilisation=projection xpbd tgs-soft taylor half-explicit ida
many pyramid "$(opening ./pyramid.lua tgs-soft 0.002 '"rows":"3"')" --bodies box1_1:-1:0:0.5 box3_1:0:0:2.5 --steps 300 \
  --set friction=0.2:0.9 --solvers tgs-soft xpbd --add
many car "$(opening ./car.lua impulse-sle 0.002)" --bodies chassis:0:0.6:0 --motors servo --steps 400 --solvers impulse-sle impulse-gs lagrange:stabilisation=projection
# Control adds a ball at 0.1 s and removes the first one at 0.2 s; solvers and step sizes change.
cat >throws.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, -9.81 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } } }
local ball = scene.sphere { radius = 0.1 }
local first = sys:body { name = "first", shape = ball, density = 500, position = { 0, 0, 0.5 } }
local rod = sys:body { name = "rod", shape = scene.box { 0.4, 0.1, 0.1 }, density = 500, position = { 1, 0, 1 } }
sys:ball { sys.ground, rod, at = { 0.8, 0, 1 } }
sys:contact {}
local thrown = 0
sys:control(function(t, s)
  if thrown == 0 and t > 0.0999 then
    thrown = 1
    sys:body { name = "second", shape = ball, density = 500, position = { 0.5, 0, 0.5 }, velocity = { -1, 0, 0 } }
  elseif thrown == 1 and t > 0.1999 then
    thrown = 2
    sys:remove(first)
  end
end)
sys:defaults { solver = "moreau", step = 0.002 }
return sys
LUA
run run ./throws.lua --duration 0.3 --json; exits "a scene whose control edits the model" 0
(opening ./throws.lua moreau 0.002; echo '{"at_step":20,"do":"grip","id":"h","body":"rod","at":[1.2,0,1],"stiffness":20,"damping":1}'
  echo '{"at_step":40,"do":"release","id":"h"}') >throws.start
python3 "$source/tests/view/session.py" --head x --bodies rod:1:0:1 second:0.2:0:0.2 --steps 300 --count 198 --no-world \
  --solvers moreau tgs-soft | sed '1d; s/"at_step": \([0-9]*\),/"at_step": \1 + 120,/' |
  python3 -c 'import sys, re
for line in sys.stdin:
  if "reset" not in line: print(re.sub(r"(\d+) \+ 120", lambda m: str(int(m[1]) + 120), line), end="")' >throws.rest
cat throws.start throws.rest >throws
run replay throws --json; exits "another solver, step size and impulses after an edit, a mouse spring before it" 0; cp out first
same=0
for i in 1 2 3 4 5 6 7 8 9 10; do run replay throws --json; [ "$(hash out)" = "$(hash first)" ] && same=$((same + 1)); done
[ $same -eq 10 ]; verdict "$(wc -l <throws.rest) commands: the same hash ten times, $(hash first)" $? "$same times"
after() { # WORDS LINE : refused after control has edited the model
  (opening ./throws.lua moreau 0.002; echo "$2") >no; refused "$1: $2" ":2: .*$1" replay no
}
after "control has changed" '{"at_step":60,"do":"grip","id":"h","body":"rod","at":[1,0,1],"stiffness":20,"damping":1}'
after "control has changed" '{"at_step":60,"do":"add","name":"b","shape":"sphere","size":[0.1],"at":[0,0,3],"density":100}'
after "control has changed" '{"at_step":60,"do":"save","slot":1}'
for more in '"grip","id":"h","body":"rod","at":[1,0,1],"stiffness":20,"damping":1' '"add","name":"b","shape":"sphere","size":[0.1],"at":[0,0,3],"density":100'; do
  (opening ./throws.lua moreau 0.002; echo "{\"at_step\":20,\"do\":$more}"; echo '{"at_step":120,"do":"end"}') >held
  run replay held; exits "control edits a model with mouse springs or added bodies: the run ends" 1; has "with a reason" err "control cannot change a model"
done
after "is gone" '{"at_step":120,"do":"impulse","body":"first","at":[0,0,0],"impulse":[0,0,0]}'
(opening ./throws.lua moreau 0.002; echo '{"at_step":120,"do":"reset"}'; echo '{"at_step":121,"do":"save","slot":1}'
  echo '{"at_step":220,"do":"load","slot":1}'; echo '{"at_step":320,"do":"end"}') >again
run replay again --json; exits "a reset restores the model; control restarts when a slot is loaded" 0
has "the run continues from the saved time" out '"time": 0.202,'

echo "# two commands before one step"
pair() { # SCENE SOLVER FIRST SECOND : prints the hash
  (opening "$1" "$2" 0.01; echo "$3"; echo "$4"; echo '{"at_step":9,"do":"end"}') >both; run replay both --json; hash out
}
strike='{"at_step":5,"do":"impulse","body":"link3","at":[2,-1,0],"impulse":[0,5,0]}'
for second in '{"at_step":5,"do":"grip","id":"h","body":"link1","at":[0.4,-0.3,0],"stiffness":9,"damping":1}' \
  '{"at_step":5,"do":"solver","spec":"lagrange"}' \
  '{"at_step":5,"do":"add","name":"b","shape":"box","size":[1,2,3],"at":[0,0,9],"mass":1}'; do
  one=$(pair ./chain8.lua impulse-sle "$strike" "$second"); other=$(pair ./chain8.lua impulse-sle "$second" "$strike")
  without=$(pair ./chain8.lua impulse-sle "$second" '{"at_step":5,"do":"pause"}')
  [ -n "$one" ] && [ "$one" = "$other" ] && [ "$one" != "$without" ]; held=$?
  verdict "an impulse, and $(echo "$second" | cut -d'"' -f6): equal in either order, $one, and not lost" $held "$one $other $without"
done
cp "$source/scenes/seesaw.lua" .
pair ./seesaw.lua moreau '{"at_step":5,"do":"add","name":"b","shape":"sphere","size":[0.1],"at":[0,3,0],"mass":1}' \
  '{"at_step":5,"do":"impulse","body":"b","at":[0,3,0],"impulse":[0.1,0,0]}' >/dev/null
exits "a circle is added to a planar system" 0
(opening ./seesaw.lua moreau 0.01; echo '{"at_step":5,"do":"add","name":"b","shape":"box","size":[1,1,1],"at":[0,3,0],"mass":1}') >no
refused "a box with three edges is not" "two edges" replay no
# Added bodies have the compliant contacts of the scene.
cat >soft.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } } }
sys:body { name = "ball", shape = scene.sphere { radius = 0.1 }, mass = 0.8, position = { 0, 0.1, 0 } }
sys:contact { law = "hunt-crossley", modulus = 1e7, dissipation = 10 }
return sys
LUA
(opening ./soft.lua lagrange 0.001
 echo '{"at_step":0,"do":"add","name":"b","shape":"sphere","size":[0.1],"at":[1,0.1,0],"mass":0.8}'
 echo '{"at_step":1000,"do":"end"}') >added
run replay added --output two.csv; exits "a ball is added to a compliant floor" 0
run run ./soft.lua --solver lagrange --step 0.001 --duration 1 --output one.csv
tail -qn 1 one.csv two.csv | awk -F, '{ e[NR] = $3 } END { exit !(e[1] < 0.785 && (e[2] - 2 * e[1]) ^ 2 < 1e-20) }'
verdict "it sinks in as the other: energies" $?
(opening ./soft.lua lagrange 0.001; echo '{"at_step":5,"do":"add","name":"b","shape":"box","size":[1,1,1],"at":[0,3,0],"mass":1}') >no
refused "a box without a stiffness is not" "a modulus is for spheres and planes" replay no
# An added box has the corners of a box declared in a scene.
cat >falls.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, -9.81, 0 }, planar = true }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0.6, 0.8, 0 } } }
sys:body { name = "ball", mass = 1, shape = scene.circle { radius = 0.2 }, position = { 1, 0.5, 0 } }
sys:contact { margin = 0.05 }
sys:defaults { solver = "moreau", step = 0.01, duration = 1 }
return sys
LUA
sed 's/^sys:contact/sys:body { name = "b", mass = 2, friction = 0.5, position = { 0, 0.5, 0 }, velocity = { 0.5, 0, 0 },\n  shape = scene.polygon { { -0.3, -0.1 }, { 0.3, -0.1 }, { 0.3, 0.1 }, { -0.3, 0.1 } } }\n&/' falls.lua >whole.lua
(opening ./falls.lua moreau 0.01
 echo '{"at_step":0,"do":"add","name":"b","shape":"box","size":[0.6,0.2],"at":[0,0.5,0],"velocity":[0.5,0,0],"mass":2}'
 echo '{"at_step":100,"do":"end"}') >added
run replay added --json; exits "a box is added to a planar system" 0; cp out replayed
run run ./whole.lua --solver moreau --json
[ -n "$(hash out)" ] && [ "$(hash replayed)" = "$(hash out)" ]; held=$?
verdict "the hash equals that of a scene with the box, $(hash out)" $held "$(hash replayed)"

echo "# failed steps, and runs that continue after them"
after_all() { # HEAD LINE... : replays to step 80, with the hash in $got
  (echo "$1"; shift; printf '%s\n' "$@" '{"at_step":80,"do":"end"}') >failing; run replay failing --json; got=$(hash out)
}
stall='{"at_step":50,"do":"solver","spec":"impulse-gs:iterations=1"}'; fails='{"at_step":50,"do":"fail","reason":"stalled"}'
strike='{"at_step":50,"do":"impulse","body":"link3","at":[2,-1,0],"impulse":[0,5,0]}'; head=$(opening ./chain8.lua impulse-sle 0.01)
for revival in '{"at_step":50,"do":"solver","spec":"impulse-sle"}' '{"at_step":50,"do":"parameter","key":"iterations","value":"10000"}'; do
  after_all "$head" "$stall" "$fails" "$revival"; exits "a step stalls; the run continues after $revival" 0; none=$got
  after_all "$head" "$stall" "$strike" "$fails" "$revival"; before=$got; after_all "$head" "$stall" "$fails" "$strike" "$revival"
  [ -n "$before" ] && [ "$before" = "$got" ]; held=$?; verdict "an impulse before it equals one after it, $got" $held "$before"
  [ "$before" != "$none" ]; verdict "the impulse is not lost: $none without it" $?
done
after_all "$head" "$fails"; refused "an expected failure that does not occur" ":2: the step should fail here, stalled: it is taken" replay failing
after_all "$head" "$stall" '{"at_step":50,"do":"fail","reason":"singular"}'
refused "a failure for another reason" ":3: the step should fail here, singular: .*stalled" replay failing
after_all "$head" "$stall" "$fails" "$fails"; refused "a second failure" "the run has ended before" replay failing
after_all "$head" '{"at_step":50,"do":"fail"}'; refused "a failure without a reason" "must say why" replay failing
(opening ./chain8.lua lagrange 0.01; echo '{"at_step":5,"do":"impulse","body":"link3","at":[2,-1,0],"impulse":[0,1500,0]}'
  echo '{"at_step":6,"do":"save","slot":1}'; echo '{"at_step":6,"do":"step","size":1e-7}'
  echo '{"at_step":6,"do":"solver","spec":"lagrange:stepper=rk8pd"}'; echo '{"at_step":9,"do":"end"}') >once
sed '/save/a {"at_step":6,"do":"load","slot":1}' once >twice
run replay once --json; exits "a diverged step, then another solver" 0; cp out first; run replay twice --json
[ "$(hash first)" = "$(hash out)" ]; held=$?; verdict "its impulse is not applied again, $(hash out)" $held "$(hash first)"
# Control that counts its calls.
cp "$source/tests/support/counts.lua" .
revival='{"at_step":50,"do":"solver","spec":"impulse-sle"}'; head=$(opening ./counts.lua impulse-sle 0.01)
after_all "$head" "$stall" "$fails" "$revival"; exits "control that counts its calls" 0; tried=$got
run replay failing --save saved --quiet; has "a failed step is in the saved file" saved '"at_step":50,"do":"fail","reason":"stalled"'
run replay saved --json; [ "$(hash out)" = "$tried" ]; held=$?; verdict "the saved file has the same hash, $tried" $held "$(hash out)"
after_all "$head" "$stall" "$revival"; [ "$tried" != "$got" ]; verdict "without the failed step control is called once less: $got" $?

# Control applies an impulse at each closing contact: the event is delivered, whatever command precedes it.
cat >hops.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, -9.81 } }
sys:body { name = "floor", fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 0, 1 } } }
local ball = sys:body { name = "ball", shape = scene.sphere { radius = 0.1 }, density = 500, position = { 0, 0, 0.3 } }
sys:contact {}
sys:on("closed", function(event, s) s:impulse { ball, impulse = { 0, 0, 4 } } end)
sys:defaults { solver = "moreau", step = 0.0078125 }
return sys
LUA
run run ./hops.lua --duration 1 --record-events hops.csv --json; expected=$(hash out); at=$(grep -m1 closed hops.csv | cut -d, -f1)
for more in '"step","size":0.0078125' '"grip","id":"h","body":"ball","at":[0,0,0.1],"stiffness":1e-300,"damping":0'; do
  (opening ./hops.lua moreau 0.0078125; echo "{\"at_step\":$at,\"do\":$more}"; echo '{"at_step":128,"do":"end"}') >hop; run replay hop --json
  [ "$(hash out)" = "$expected" ]; held=$?; verdict "after step $at, in which the contact closes, $(echo "$more" | cut -d'"' -f2): as without it, $expected" $held "$(hash out)"
done

echo "# live parameters of scenes are changed during runs"
count=0
for scene in $(grep -l "live = true" "$source"/scenes/*.lua); do
  name=$(basename "$scene" .lua); cp "$scene" "$name.lua"
  (opening "./$name.lua" "$("$HOLONOM" run "./$name.lua" --duration 0.0001 --json | sed -n 's/^  "solver": "\([^:"]*\).*/\1/p')" 0.001
    python3 - "$scene" <<'PYTHON'
import json, re, sys
at = 0
for name, low, high in re.findall(r'param\("(\w+)",(?:(?!param).)*?live = true, low = ([\d.]+), high = ([\d.]+)', open(sys.argv[1]).read(), re.S):
    for value in (low, high):
        at += 2
        print(json.dumps({"at_step": at, "do": "set", "name": name, "value": value}))
print(json.dumps({"at_step": at + 2, "do": "end"}))
PYTHON
  ) >live
  run replay live --quiet; exits "$name, $(grep -c '"set", ' live) times" 0; count=$((count + $(grep -c '"set", ' live)))
done
[ $count -ge 40 ]; verdict "$count changes in all, at least 40" $?

echo "# written by hand"
(opening ./chain8.lua impulse-sle 0.01 | sed 's/"file":"[^"]*",//'; sed -n '2,20p' chain; tail -n 1 chain | sed 's/, "hash.*/}/') >hand
run replay hand --save saved --json; exits "without a hash" 0; cp out by_hand
has "the saved file has the hash of the scene" saved "\"file\":\"$(fnv chain8.lua)\""; has "the saved file has the hash of the run" saved "\"do\":\"end\",\"hash\":\"$(hash by_hand)\""
run replay saved --save again --quiet; exits "the saved session" 0; cmp -s saved again; verdict "saving it again gives an equal file" $?

echo "# other sessions, and invalid ones"
sed "$(grep -n -m1 '"impulse"' chain | cut -d: -f1)s/\[-*[0-9.]*,/[0.123,/" chain >other; run replay other; exits "another command: another hash" 1
has "the difference is reported" err "the hash is .*, but the session has"
awk -F, -v OFS=, 'NR == 700 { $8 = "0123456789abcdef" } { print }' chain.csv >bad.csv
run verify bad.csv chain; exits "another frame" 1; has "its step is reported" err "step 698 is not that of chain"
head -n 300 chain.csv >short.csv; run verify short.csv chain; exits "a shorter record" 0
(cat chain.csv; tail -n 1 chain.csv | sed 's/^1000,/1001,/') >long.csv
run verify long.csv chain; exits "an additional frame" 1; has "it is reported" err "step 1001 is not in chain, which ends after 1000"
# Every column of the record is forged alone, in one line; the record of a run with all columns, too.
forged() { # RECORD SESSION LINE : prints the number of columns, and of those whose forgery is accepted
  columns=$(sed -n "$3p" "$1" | awk -F, '{ print NF }'); accepted=
  for ((c = 2; c <= columns; c++)); do
    awk -F, -v OFS=, -v line="$3" -v c=$c 'NR == line { $c = $c == "" ? 1 : $c ~ /[1-9]/ ? "-" $c : 1 } { print }' "$1" >forged.csv
    run verify forged.csv "$2" --quiet; [ $status -eq 1 ] || accepted="$accepted $c"
  done
}
head -n 40 chain.csv >start.csv; (sed -n 1p chain; echo '{"at_step":40,"do":"end"}') >start; run replay start --output start.csv --quiet
forged start.csv start 30; [ -z "$accepted" ]; verdict "forged in one of $((columns - 1)) columns: refused" $? "accepted:$accepted"
run run ./chain8.lua --solver impulse-sle --step 0.002 --duration 0.08 --record-joints --record-forces --record-rank --times --output start.csv
run verify start.csv start; exits "the record of a run with columns of joints, forces, rank and times" 0
forged start.csv start 30; [ "$(echo $accepted | wc -w)" -eq 1 ]; verdict "forged in one of $((columns - 1)) columns: refused but for the wall time" $? "accepted:$accepted"
has "the step and the column are reported" err 'step 28 is not that of start, where .* is '
sed '1s/penetration\|residual/other/' start.csv >other.csv; refused "an unknown column" 'no column "other"' verify other.csv start
printf 'a,b\n1,2\n' >none.csv; refused "a table without these columns" "has no columns step and hash" verify none.csv chain
refused "a missing record" "No such file" verify nothing.csv chain
refused "a missing session" "No such file" replay nothing
echo '{"a":1}' >no; refused "a file of another kind" "is no session" replay no
: >no; refused "an empty file" "is no session" replay no
head -c 200000 /dev/zero >no; refused "zeros" "is no session" replay no
accepted=0 lines=$(wc -l <start)
run replay start --save ended --quiet; (sed '$d' chain | head -n 30; tail -n 1 chain) >cut; lines=$(wc -l <cut)
run replay cut --save ended --quiet; run replay ended; exits "a session with its end" 0; lines=$(wc -l <ended)
for ((n = 1; n < lines; n++)); do
  head -n $n ended >cut; run replay cut --quiet; [ $status -eq 1 ] || accepted=$((accepted + 1))
  run replay cut --quiet --json; grep -q '"same": false' out || accepted=$((accepted + 1))
done
[ $accepted -eq 0 ]; verdict "cut after each of $lines lines: exit status 1" $? "$accepted pass"
for more in '' ' ' '{"at_step":1001,"do":"end"}' '{"at_step":2000,"do":"pause"}'; do
  (cat ended; echo "$more") >more; run replay more --quiet; exits "\"$more\" after its end" 1; has "its line is named" err "more:$((lines + 1)): lines follow the end"
done
head -c 300 chain >no; refused "a truncated session" "cut off\\|is no session" replay no
sed '1s/"version":"[^"]*",//' chain >no; refused "a session without a version" 'no:1: "version" is missing' replay no
sed '1s/"format_version":1/"format_version":2/' chain >no; refused "a session of another format" "is a session of format 2; Holonom $version reads format 1" replay no
sed '1s/"format_version":1,//' chain >no; refused "a session without a format version" 'no:1: "format_version" is missing' replay no
sed '1s/"version":"[^"]*"/"version":"9.9"/' chain >no; refused "a session of another version" "is a session of Holonom 9.9" replay no
cp chain8.lua kept.lua; echo "-- changed" >>chain8.lua
refused "a session of a changed scene" "has changed" replay chain; mv kept.lua chain8.lua
bad() { # WORDS LINE
  (opening ./chain8.lua impulse-sle 0.01; echo "$2") >no; refused "$1: $2" ":2: .*$1" replay no
}
bad "a command is an object" '{"at_step":5}'
bad "no command \"jump\"" '{"at_step":5,"do":"jump"}'
bad "at_step" '{"at_step":-1,"do":"pause"}'
bad "at_step" '{"do":"pause"}'
bad "at_step" '{"at_step":1.5,"do":"pause"}'
bad "three finite numbers" '{"at_step":5,"do":"impulse","body":"link1","at":[0,0],"impulse":[0,0,0]}'
bad "three finite numbers" '{"at_step":5,"do":"impulse","body":"link1","at":[0,0,"x"],"impulse":[0,0,0]}'
bad "invalid token\|real number overflow" '{"at_step":5,"do":"impulse","body":"link1","at":[0,0,NaN],"impulse":[0,0,0]}'
bad "real number overflow\|three finite" '{"at_step":5,"do":"impulse","body":"link1","at":[0,0,1e999],"impulse":[0,0,0]}'
bad "no body \"link99\"" '{"at_step":5,"do":"impulse","body":"link99","at":[0,0,0],"impulse":[0,0,0]}'
bad "is fixed" '{"at_step":5,"do":"impulse","body":"ground","at":[0,0,0],"impulse":[0,0,0]}'
bad "no key \"file\"" '{"at_step":5,"do":"reset","file":"/etc/passwd"}'
bad "no grip \"a\"" '{"at_step":5,"do":"target","id":"a","to":[0,0,0]}'
bad "stiffness must be above 0" '{"at_step":5,"do":"grip","id":"a","body":"link1","at":[0,0,0],"stiffness":0,"damping":0}'
for first in '"grip","id":"h","body":"link7","at":[0.4,-0.3,0],"stiffness":9,"damping":1' '"add","name":"b","shape":"sphere","size":[0.1],"at":[0,0,3],"density":100'; do
  (opening ./chain8.lua impulse-sle 0.01; echo "{\"at_step\":5,\"do\":$first}"; echo '{"at_step":6,"do":"set","name":"n","value":"4"}') >no
  refused "a smaller model after $first" ":3: .*changes the bodies, joints or forces" replay no
done
bad "no solver \"impulse-slee\"" '{"at_step":5,"do":"solver","spec":"impulse-slee"}'
bad "above 0 s" '{"at_step":5,"do":"step","size":-0.1}'
bad "unknown parameter" '{"at_step":5,"do":"set","name":"q","value":"3"}'
bad "changes the bodies, joints or forces" '{"at_step":5,"do":"set","name":"n","value":"12"}'
bad "nothing called \"link1\" has an input" '{"at_step":5,"do":"input","of":"link1","value":1}'
bad "box or a sphere" '{"at_step":5,"do":"add","name":"b","shape":"cone","size":[1],"at":[0,0,0],"density":1}'
bad "three edges" '{"at_step":5,"do":"add","name":"b","shape":"box","size":[1],"at":[0,0,0],"density":1}'
bad "not both" '{"at_step":5,"do":"add","name":"b","shape":"sphere","size":[1],"at":[0,0,0],"density":1,"mass":1}'
bad "above 0" '{"at_step":5,"do":"add","name":"b","shape":"sphere","size":[1],"at":[0,0,0],"density":-1}'
bad "already" '{"at_step":5,"do":"add","name":"link1","shape":"sphere","size":[1],"at":[0,0,0],"density":1}'
bad "nothing in slot 3" '{"at_step":5,"do":"load","slot":3}'
bad "from 1 to 9" '{"at_step":5,"do":"save","slot":10}'
bad "from 1 to 9" '{"at_step":5,"do":"load","slot":"../1"}'
bad "not an object" '[1,2]'
bad "duplicate object key" '{"at_step":5,"at_step":6,"do":"pause"}'
finish
