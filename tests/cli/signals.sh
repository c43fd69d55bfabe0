#!/bin/bash
# signals.sh - signals are heard within a second by every command: in a step of each solver, in computations that cannot
# be stopped from inside, and in functions of Lua. Records remain readable, and children end with their parent. Needs
# HOLONOM.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"
most=1000 # ms
expected=1
hears() { # NAME SIGNAL ARGUMENTS... : sends SIGNAL after two seconds; exit status $expected within $most
  name=$1 signal=$2; shift 2
  timeout -s KILL 10 "$HOLONOM" "$@" >out 2>err & guard=$!
  sleep 2; pid=$(pgrep -P $guard); begun=$(date +%s%N)
  kill -"$signal" "$pid" 2>/dev/null; running=$?
  wait $guard; status=$?; took=$((($(date +%s%N) - begun) / 1000000))
  [ $running -eq 0 ] && [ $status -eq $expected ] && [ $took -lt $most ]
  verdict "$name, SIG$signal: exit status $expected after $took ms" $? "status $status, bound $most ms"
}
no_leftovers() { # NAME FILE... : only these files of the run remain
  left=$(ls | grep '^out\.\|\.part' | tr '\n' ' '); shift
  [ "$left" = "$*${2:+ }" ] || [ "$left" = "${*:+$* }" ]; verdict "remaining files: ${left:-none}" $? "expected $*"
  rm -rf out.*
}

opening() { # SCENE SOLVER : the first line of a session
  echo "{\"format\":\"holonom session\",\"format_version\":1,\"version\":\"$version\",\"scene\":\"$1\",\"set\":{\"rows\":\"30\"},\"consistent\":false,\"solver\":\"$2\",\"step\":0.01}"
}
version=$("$HOLONOM" --version | cut -d' ' -f2)

echo "# in one long step: the run ends with its summary"
endless=tolerance=0:iterations=10000000
for contact in pgs apgd admm; do
  hears "moreau with $contact" TERM run pyramid --set rows=30 --solver moreau:contact=$contact:$endless --duration 5 --json
  has "its state is that before the step" err 'interrupted (stopped at t = 0 s after 0 steps)'
done
hears "impulse-gs" TERM run chain8 --set n=3000 --solver impulse-gs:iterations=1000000 --duration 1 --json
has "the reason" out '"reason": "interrupted"'
hears "xpbd" INT run pyramid --set rows=30 --solver xpbd:iterations=1000000 --duration 1
has "the time" err 'interrupted (stopped at t = 0 s'
hears "tgs-soft" INT run pyramid --solver tgs-soft:relax=1000000 --duration 1
has "the time" err 'interrupted (stopped at t = 0 s'
hears "events" INT run newton_cradle --solver events:contact=pgs:$endless --duration 1
hears "impulse-contact" TERM run pyramid --set rows=30 --solver impulse-contact:contact=pgs:$endless --duration 1
has "the time" err 'interrupted (stopped at t = '
(opening pyramid moreau:contact=pgs:$endless; echo '{"at_step":3,"do":"end"}') >session
expected=0
hears "view" TERM view pyramid --set rows=30 --solver moreau:contact=pgs:$endless --port 0
expected=1
hears "view, in a factorisation" INT view chain8 --set n=3000 --solver impulse-sle:linear=dense --port 0
hears "replay" TERM replay session
has "the reason" err '^holonom: interrupted (stopped after 0 steps)'
echo step,time,hash >record.csv; echo 0,0,0 >>record.csv; hears "verify" TERM verify record.csv session

echo "# in a factorisation: the program ends, and records hold the steps before"
long="chain8 --set n=3000 --solver impulse-sle:linear=dense --duration 1"
for ending in csv h5; do
  hears "run to .$ending" TERM run $long --output out.$ending
  no_leftovers "files" out.$ending
done
hears "run to .csv with checkpoints" INT run $long --output out.csv --checkpoint 5 --record-events out.events.csv
[ "$(wc -l <out.csv)" -ge 2 ]; verdict "the record has its first lines" $?
no_leftovers "files" out.csv out.events.csv
hears "run to .html" TERM run $long --output out.html; no_leftovers "files"
hears "converge" TERM converge $long --output out.csv; no_leftovers "files"
hears "compare" TERM compare chain8 --set n=3000 --solvers impulse-sle:linear=dense --step 0.01 --output out.report; no_leftovers "files"
hears "draw" TERM draw $long --at 1 --output out.svg; no_leftovers "files"
sleep 30 | hears "plot of a pipe" TERM plot - --output out.svg
cat >check.lua <<'LUA'
local scene = require "holonom.scene"
local sys, before = scene.system { gravity = { 0, -9.81, 0 } }, nil
for i = 1, 3000 do
  local link = sys:particle { name = "link" .. i, mass = 1, position = { i, 0, 0 } }
  sys:distance { before or sys.ground, link }
  before = link
end
sys:expect { solver = "impulse-sle:linear=dense", energy_error = 1, duration = 1, step = 0.01 }
return sys
LUA
hears "check" TERM check ./check.lua
for contact in pgs apgd admm newton prox lemke:size=5000 jacobi nncg extragradient ipm sap; do
  case $contact in lemke*) rows=10 ;; newton) rows=60 ;; *) rows=20 ;; esac # lemke: 4400 unknowns; newton: 7 s
  hears "problem by $contact" TERM problem pyramid --set rows=$rows --contact $contact:$endless
done
hears "problem by two" TERM problem pyramid --set rows=12 --contact newton,pgs:$endless
has "the results before the signal" out '^newton  *converged '; has "and its own" out '^pgs:tolerance=0:iterations=10000000  *interrupted '
has "their number" err 'interrupted: 2 of 2 contact solvers were run'

echo "# in a function of Lua"
cat >match.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system {}
sys:body { name = "a", mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, 0 } }
sys:control(function(t) if t > 0.05 then string.find(string.rep("a", 60000), string.rep("a?", 24) .. ".-.-.-.-b") end end)
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 1 }
return sys
LUA
for signal in INT TERM; do
  hears "a function of Lua that does not end" $signal run ./match.lua --limit-time 3 --output match.csv
  has "the line is named" err 'match.lua:4: interrupted'
  [ -e match.csv ] && [ ! -e match.csv.part ]; verdict "$(wc -l <match.csv) lines of its record are kept" $?
done

echo "# a sweep, and processes without their parent"
sweep="sweep chain8 --set n=300:400:8 --solvers impulse-sle --step 0.001 --duration 100 --jobs 2 --quiet --output sweep.csv"
hears "a sweep" TERM $sweep; rm -f sweep.csv*
"$HOLONOM" $sweep 2>/dev/null & pid=$!
sleep 1; workers=$(pgrep -P $pid | tr '\n' ' ')
kill -KILL $pid; wait $pid 2>/dev/null; sleep 0.2
alive=0; for w in $workers; do case $(ps -o stat= -p "$w") in "" | Z*) ;; *) alive=$((alive + 1)) ;; esac; done
[ "$(echo $workers | wc -w)" -eq 2 ] && [ $alive -eq 0 ]; verdict "a sweep killed: $alive of its workers ($workers) go on" $?
finish
