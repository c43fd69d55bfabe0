#!/bin/sh
# hostile.sh - hostile scenes: endless loops inside a function, texts that reach libraries as file names or commands,
# and control characters for the terminal. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"
scene() { # FILE BODY : writes a scene of a particle on a rod, and BODY
  printf 'local scene = require "holonom.scene"\nlocal sys = scene.system {}\n%s\n' "$2" >"$1"
  printf 'local p = sys:particle { mass = 1, position = { 1, 0, 0 } }\nsys:distance { sys.ground, p }\nreturn sys\n' >>"$1"
}
hard='local x = ("a"):rep(40):find(("a?"):rep(40) .. ("a"):rep(40))'

echo "# endless functions of Lua"
number=0
for body in "$hard" 'local x = ("a"):rep(1000000):find("[" .. ("b"):rep(1000000) .. "]")' \
    'local x = ("a"):rep(4000000):find(("a"):rep(2000000) .. "b", 1, true)' \
    'local x = ("("):rep(3000000):find("%b()")' \
    'local x = ("a"):rep(100000):find("\0?.-.-.-.-b")' \
    'string.rep("", math.maxinteger)' \
    'for _ = 1, 2 do pcall(string.rep, "", math.maxinteger) end' \
    'table.move({}, 1, math.maxinteger - 1, 2)'; do
  number=$((number + 1))
  scene endless.lua "$body"
  refused "endless function $number" 'endless.lua:3: one function works longer than 0.1 s' run ./endless.lua --json \
    --limit-time 0.05
done

echo "# in a run: what was recorded is kept"
scene later.lua "sys:control(function(t) if t > 0.045 then $hard end end)"
refused "control that never returns" 'later.lua:3: one function works' run ./later.lua --step 0.01 --output later.csv \
  --limit-time 0.05
lines=$(wc -l <later.csv)
[ "$lines" -eq 7 ] && [ ! -e later.csv.part ]; verdict "the record has its head and t = 0 to 0.05" $? "$lines lines"

echo "# interrupted while Lua runs"
scene busy.lua 'while true do pcall(function() while true do end end) end'
for signal in INT TERM; do
  env --default-signal=INT "$HOLONOM" run ./busy.lua >out 2>err & # a job of a shell ignores SIGINT
  pid=$!
  while ! grep -q libholonom "/proc/$pid/maps" 2>/dev/null; do :; done
  sleep 0.3
  kill -s "$signal" $pid
  wait $pid
  status=$?
  exits "$signal while a scene is loaded" 2; has "the interrupted line is reported" err 'busy.lua:3: interrupted'
done

echo "# limits as options"
scene plain.lua ''
run run ./plain.lua --duration 0.1 --limit-instructions 1e6 --limit-memory 8 --limit-time 5; exits "sufficient limits" 0
scene loop.lua 'for i = 1, 1e6 do end'
refused "few instructions" 'loop.lua:3: stopped after 10000 instructions' run ./loop.lua --limit-instructions 1e4
refused "little memory" 'stopped at the memory limit of 1 MiB' run chain --set n=20000 --limit-memory 1
refused "no memory" 'limit-memory' run ./plain.lua --limit-memory 0
refused "no time" 'limit-time' run ./plain.lua --limit-time -1
run list parameters ./loop.lua --limit-instructions 1e4; exits "limits of list" 2

echo "# hostile texts of scenes in every command"
mkdir walk
evil='`touch pwned1`$(touch pwned2);touch pwned3|touch pwned4'"'"'; system("touch pwned5"); set output "pwned6'
evil2='%s%n%99999d ../../pwned7 | <script>x</script> ![x](y) @pwned \\\\033]0;x'
cat >walk/scene.lua <<EOS
-- scene.lua: \`touch pwned8\` | <b>bold</b> '; system("touch pwned9")
local scene = require "holonom.scene"
local evil, more = [==[$evil]==], [==[$evil2]==]
local word = scene.param("word", more .. "\\n\\27]0;title\\7", evil .. "\\27[2J")
local sys = scene.system {}
print(evil, more, "\\27]0;title\\7")
scene.solver { name = "\`touch\\tpwned10\`'\$(x)|<i>", order = 1, summary = evil .. more,
  step = function(s, state, h) return "stalled", 0, evil .. "\\27[2J" end }
local a = sys:particle { name = evil, mass = 1, position = { 1, 0, 0 } }
local b = sys:particle { name = more, mass = 1, position = { 2, 0, 0 } }
sys:distance { sys.ground, a, name = evil .. "1" }
sys:distance { a, b, name = more .. "1" }
sys:spring { a, b, name = evil .. more, stiffness = 1 }
sys:expect { solver = "impulse-sle", drift = 1e-300 }
sys:defaults { duration = 0.05, step = 0.01 }
return sys
EOS
sed 's/\\tpwned10/pwned10/; s/touchpwned10/touch_pwned10/' walk/scene.lua >"walk/\`touch pwned11\`'.lua"
rm walk/scene.lua
cd walk || exit 1
for arguments in run "run --json" "run --output out.csv --record-joints --record-rank" check rank "rank --json" \
    "compare --output report" "compare --json" "converge --solver lagrange" "list-parameters"; do
  case $arguments in
  list-parameters) "$HOLONOM" list parameters "./\`touch pwned11\`'.lua" >out 2>err ;;
  *) set -- $arguments; command=$1; shift; "$HOLONOM" "$command" "./\`touch pwned11\`'.lua" "$@" >out 2>err ;;
  esac
  status=$?
  [ "$status" -le 1 ]; verdict "$arguments, status $status" $? "$(tail -1 err)"
  ! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" out err; verdict "no control characters" $?
done
found=$(find .. -name '*pwned[0-9]*' ! -name '*.lua' ! -name '*_[0-9]*_*' | tr '\n' ' ')
[ -z "$found" ]; verdict "no file was created by a text" $? "$found"
files=$(ls | wc -l)
[ "$files" -eq 5 ]; verdict "the scene, out, err, a record and a report, nothing else" $? "$(ls | tr '\n' ' ')"
! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" report/*.md report/*.gp report/*.csv
verdict "no control characters in the report" $?
sed -E 's/``([^`]|`[^`])*``//g; s/`[^`]*`//g' report/report.md >prose
! grep -q '[^\\]<[a-z]' prose; verdict "no tags in the report" $? "$(grep '[^\\]<[a-z]' prose | head -2)"
rm prose
cd ..

finish
