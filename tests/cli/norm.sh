#!/bin/sh
# norm.sh - errors at the end and over the motion, of compare, converge and sweep: compared with known integrals and
# with each other. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"

near() { # NAME MEASURED EXPECTED RELATIVE
  awk -v a="$2" -v b="$3" -v r="$4" 'BEGIN { d = a - b; if (d < 0) d = -d; m = b < 0 ? -b : b; exit !(a != "" && d <= r * m) }'
  verdict "$1: $2 of $3, to $4" $?
}
value() { # KEY FILE N : prints the Nth number of that name
  sed -n "s/^ *\"$1\": \([-0-9.e+]*\),*\$/\1/p" "$2" | sed -n "$3p"
}
column() { # NAME FILE : prints the values of a column
  awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' "$2"
}

# The body rests, its reference moves by t (2 - t) and rotates by t / 2: errors are known, zero for the final position.
cat >rest.lua <<'LUA'
local scene = require "holonom.scene"
local sys = scene.system { gravity = { 0, 0, 0 } }
sys:body { name = "b", position = { 0, 0, 0 }, mass = 1, inertia = { 1, 1, 1 } }
sys:reference(function(t)
  return { b = { position = { t * (2 - t), 0, 0 }, orientation = { math.cos(t / 4), 0, 0, math.sin(t / 4) },
                 velocity = { 2 - 2 * t, 0, 0 }, angular_velocity = { 0, 0, 0.5 } } }
end)
sys:defaults { solver = "impulse-sle", step = 0.01, duration = 2 }
return sys
LUA
rms_x=0.67612340378281321 # sqrt(3/8 int_0^2 t^2 (t (2 - t))^2 dt) = sqrt(3/8 * 128/105)
rms_turn=0.77459666924148340 # sqrt(3/8 int t^2 t^2/4) = sqrt(3/5)
rms_v=1.36014705087354437 # sqrt(3/8 int t^2 ((2 - 2 t)^2 + 1/4)) = sqrt(1.6 + 0.25)
errors() { # NORM STEP : sets x, turn and v to the errors of a run
  run compare ./rest.lua --solvers impulse-sle --norm "$1" --step "$2" --json
  x=$(value position out 1); turn=$(value orientation out 1); v=$(value velocity out 1)
}
echo "# known integrals"
for step in 0.01 0.001 0.0003; do
  errors rms $step; near "rms at $step" "$x" $rms_x 3e-4; near "of turns" "$turn" $rms_turn 3e-4
  near "of velocities" "$v" $rms_v 3e-4
  errors max $step; near "max at $step" "$x" 1 1e-4; near "of turns" "$turn" 1 1e-12
  near "of velocities" "$v" 2.0615528128088303 1e-12
done
errors max 0.3; near "max with a shorter last step" "$x" 0.99 1e-12
errors rms 0.03; near "rms with a shorter last step" "$x" $rms_x 1e-3
errors end 0.01; [ "$x" = 0.0 ] || [ "$x" = 0 ]; verdict "the end alone: $x" $?
has "the norm is in JSON" out '"norm": "end"'

echo "# compared with the order study"
run converge double_pendulum --all --solvers impulse-sle --duration 1 --json; cp out all
run converge double_pendulum --steps 1/64,1/128 --norm rms --reference self --json; cp out one; exits "over the motion" 0
of_all=$(awk -v h=0.0078125 '/"step":/ { on = ($2 + 0 == h) } on && /"error":/ { print $2 + 0; exit }' all)
near "1/128 s" "$(value position one 2)" "$of_all" 2e-2

echo "# agreement of commands"
run compare chain --set n=3 --solvers lagrange --step 0.01 --duration 0.5 --norm rms --json; cp out compared
run sweep chain --set n=3 --solvers lagrange --steps 0.01 --duration 0.5 --norm rms; cp out swept
near "position" "$(column error swept | sed 's/"//g')" "$(value position compared 1)" 1e-12
for q in orientation velocity force; do near "$q" "$(column ${q}_error swept)" "$(value $q compared 1)" 1e-12; done
[ "$(column norm swept)" = rms ]; verdict "the table has rms" $?
run sweep chain --set n=2,3 --solvers lagrange,impulse-sle --steps 0.01,0.007 --duration 0.5 --norm max --jobs 1; cp out one
run sweep chain --set n=2,3 --solvers lagrange,impulse-sle --steps 0.01,0.007 --duration 0.5 --norm max --jobs 3
cmp -s out one; verdict "the same bytes on 1 and 3 processes" $?
cat >study.lua <<'LUA'
local study = require "holonom.study"
return study { scene = "./rest.lua", norm = "max" }
LUA
run sweep study.lua; near "a study says its norm" "$(column error out)" 1 1e-4
run sweep study.lua --norm end; [ "$(column error out)" = 0 ]; verdict "the command line overrides the norm" $?
run converge pendulum --norm max --output c.csv; exits "converge" 0
has "the table of converge has rms" c.csv '^step,error,us_per_step,reason,norm,orientation_error,velocity_error,force_error$'
has "the printed table has rms" out 'the largest of any body at any time'
run compare pendulum --solvers impulse-sle --norm rms; has "the table of compare has rms" out 'root mean square over the motion'

echo "# refused options"
refused "an unknown norm" 'end, rms or max' converge pendulum --norm L2
refused "in the order study" 'leave out --norm' converge pendulum --all --norm rms
run run pendulum --json; cp out end.json
refused "a reference file over the motion" 'a file has the end alone' converge pendulum --norm rms --reference end.json
refused "a scene with a reference at the end only" 'at all times' converge double_pendulum --norm rms --reference scene
sed 's/"max"/"sup"/' study.lua >bad.lua; refused "a study" 'norm must be' sweep bad.lua

finish
