#!/bin/sh
# study.sh - studies in Lua for `holonom sweep`: compared with rows of the command line; reproducible samples, measures
# compared with closed forms, and error messages. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
same() { # NAME FILE FILE
  cmp -s "$2" "$3"; verdict "$1" $? "$2 and $3 differ"
}
study() { # FILE FIELDS : writes a study
  printf 'local study = require "holonom.study"\nreturn study {\n%s\n}\n' "$2" >"$1"
}
column() { # FILE NAME : prints the values of a column
  sed 's/"[^"]*"/quoted/g' "$1" | awk -F, -v column="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i } NR > 1 { print $at }'
}
largest() { # FILE NAME : prints the largest absolute value of a column, or "none" if one is missing
  column "$1" "$2" | awk '$1 == "" { none = 1 } { a = $1 < 0 ? -$1 : $1; if (a > m) m = a }
    END { print none || NR == 0 ? "none" : sprintf("%.3g", m) }'
}
within() { # NAME VALUE BOUND
  awk -v v="$2" -v b="$3" 'BEGIN { exit !(v != "none" && v <= b) }'; verdict "$1: $2 of $3" $?
}

echo "# rows equal those of the command line"
study a.lua '  scene = "pendulum", set = { length = study.range(0.1, 0.9, 9), mass = { 1, 2.5 } },
  solvers = { "impulse-sle", "impulse-gs:relaxation=1.5" }, vary = { tolerance = study.log(1e-9, 1e-3, 3) },
  steps = study.log(0.002, 0.05, 3), duration = 0.2'
run sweep a.lua --output a.csv; exits "a study" 0; has "its runs" out '^324 runs, 0 of which failed'
line="--set length=0.1:0.9:9 --set mass=1,2.5 --solvers impulse-sle,impulse-gs:relaxation=1.5 --tolerance log:1e-9:1e-3:3
  --steps log:0.002:0.05:3 --duration 0.2"
run sweep pendulum $line --output b.csv; same "an equal table" a.csv b.csv
run sweep a.lua --set length=1,2 --set side=-1 --solver lagrange --tolerance 1e-6,1e-4 --step 0.1 --duration 0.3 \
  --consistent --output a.csv; exits "options override the study" 0
run sweep pendulum --set length=1,2 --set mass=1,2.5 --set side=-1 --solver lagrange --tolerance 1e-6,1e-4 --step 0.1 \
  --duration 0.3 --consistent --output b.csv; same "an equal table" a.csv b.csv
study a.lua 'scene = "pendulum"'
run sweep a.lua --output a.csv; run sweep pendulum --output b.csv; same "a study without parameters" a.csv b.csv
study a.lua 'scene = "pendulum", samples = { { length = 2, side = -1 }, { length = 1, side = 1 } }, reference = "none"'
run sweep a.lua --output a.csv; [ "$(cut -d, -f2,3 a.csv | tr '\n' ' ')" = 'length,side 2,-1 1,1 ' ]; verdict "a list of points" $?
[ "$(column a.csv error | tr -d '\n')" = '' ]; verdict "no reference" $?
mkdir -p there/deep; cp "$top/scenes/pendulum.lua" there/own.lua
study there/deep/a.lua 'scene = "../own.lua", duration = 0.1'
run sweep there/deep/a.lua --output a.csv; exits "a scene by its path from the study" 0
[ "$(column a.csv scene)" = ../own.lua ]; verdict "the path is in the table" $?

echo "# samples"
study s.lua '  scene = "pendulum", duration = 0.01,
  samples = study.random { seed = 7, count = 20, set = { length = { 0.5, 1.5 }, mass = study.log_uniform(0.1, 10) } }'
run sweep s.lua --output s.csv; exits "samples" 0
# Equal numbers in shell arithmetic: SplitMix64 from seed and name.
mix() {
  z=$(( ($1 ^ (($1 >> 30) & 0x3ffffffff)) * -4658895280553007687 ))
  z=$(( (z ^ ((z >> 27) & 0x1fffffffff)) * -7723592293110705685 ))
  z=$(( z ^ ((z >> 31) & 0x1ffffffff) ))
}
start() { # SEED NAME
  mix "$1"; h=-3750763034362895579
  for c in $(printf %s "$2" | od -An -tu1); do h=$(( (h ^ c) * 1099511628211 )); done
  start=$(( z ^ h ))
}
numbers() { # SEED NAME COUNT
  start "$1" "$2"; i=1
  while [ $i -le $((2 * $3)) ]; do
    mix $(( start + i * -7046029254386353131 )); echo $(( (z >> 11) & 0x1fffffffffffff )); i=$((i + 2))
  done
}
mix $(( 1234567 + -7046029254386353131 )); [ $z -eq 6457827717110365317 ]; verdict "the shell has SplitMix64: $z" $?
numbers 7 length 20 | awk '{ printf "%.17g\n", 0.5 + $1 / 2 ^ 53 }' >expected
column s.csv length | awk '{ printf "%.17g\n", $1 }' >found; same "the numbers of a second file" expected found
numbers 7 mass 20 | awk '{ printf "%.17g\n", log(0.1) + log(100) * $1 / 2 ^ 53 }' >expected
column s.csv mass | paste - expected | awk '{ d = log($1) - $2; if (d < 0) d = -d; if (d > m) m = d } END { print m }' >worst
within "in equal ratios, off by" "$(cat worst)" 1e-14
study t.lua '  scene = "pendulum", duration = 0.01,
  samples = study.random { seed = 7, count = 5, set = { length = { 0.5, 1.5 }, side = study.choice { -1, 1 } } }'
run sweep t.lua --output t.csv; column s.csv length | head -n 5 >expected; column t.csv length >found
same "numbers depend neither on the count nor on other parameters" expected found
run sweep s.lua --set mass=3 --output t.csv; column t.csv length >found; column s.csv length >expected
same "numbers do not depend on the command line" expected found
study t.lua '  scene = "pendulum", duration = 0.01, samples = study.random { seed = 1, count = 1000, set = {
    length = study.normal(10, 0.5), side = study.integer(-3, 6), mass = study.uniform(1, 3) } }'
run sweep t.lua --reference none --output t.csv; exits "distributions" 0
moments() { column t.csv "$1" | awk -v m="$2" -v s="$3" '{ a += $1; b += $1 * $1 } END { a /= NR; d = sqrt(b / NR - a * a)
  u = (a - m) * sqrt(NR) / s; v = (d / s - 1) * sqrt(NR); print (u < 0 ? -u : u), (v < 0 ? -v : v) }'; }
for of in "length 10 0.5" "side 1.5 2.8722813" "mass 2 0.5773503"; do # four standard errors, which none of 6 passes in 2600
  m=$(moments $of); within "mean of ${of%% *}" "${m% *}" 4; within "deviation of ${of%% *}" "${m#* }" 4
done
[ "$(column t.csv side | sort -u | wc -l)" -eq 10 ]; verdict "all ten whole numbers" $?

echo "# equal tables on any number of processes"
study m.lua '  scene = "chain", steps = { 0.001, 0.01 }, duration = 1, solvers = { "impulse-sle", "taylor" },
  samples = study.random { seed = 3, count = 12, set = { n = study.integer(20, 31) } },
  measures = {
    low = function(t, s, last) return math.min(last or 0, s:position("link1")[2]) end,
    calls = function(t, s, last) counter = (counter or 0) + 1 return counter end,
    luck = function(t, s) return math.random() end,
  },
  results = { share = function(r) return r.low / r.n end }'
run sweep m.lua --jobs 1 --output whole.csv; exits "on one" 0; has "its runs" out '^48 runs, 0 of which failed'
run sweep m.lua --jobs 3 --output three.csv; same "on three" whole.csv three.csv
if [ "$(id -u)" -eq 0 ]; then root=--allow-run-as-root; else root=; fi
mpirun $root --oversubscribe -n 2 "$HOLONOM" sweep m.lua --output ranks.csv >out 2>err
status=$?; exits "on two ranks" 0; same "an equal table" whole.csv ranks.csv
[ "$(column whole.csv calls | sort -u | tr '\n' ' ')" = "1001 101 " ]; verdict "every run has its own variables" $?
[ "$(column whole.csv luck | sort -u | wc -l)" -eq 2 ]; verdict "every run has its own random numbers" $?
for time in 1 2 3; do
  "$HOLONOM" sweep m.lua --resume --jobs 2 --output cut.csv >out 2>err & process=$!
  while [ "$(grep -c '^r' cut.csv.journal 2>/dev/null || :)0" -lt $((time * 80)) ] && kill -0 $process 2>/dev/null; do sleep 0.01; done
  kill -9 $process; wait $process 2>/dev/null
done
[ -f cut.csv.journal ] && [ ! -f cut.csv ]; held=$?; verdict "killed three times: $(grep -c '^r' cut.csv.journal) runs are kept" $held
cp m.lua kept.lua; echo '-- changed' >>m.lua
run sweep m.lua --resume --output cut.csv; exits "resuming with another study is refused" 2; has "the reason is printed" err 'of another sweep'
cp kept.lua m.lua; run sweep m.lua --resume --output cut.csv; exits "resumed" 0; same "an equal table" whole.csv cut.csv
"$HOLONOM" sweep m.lua --jobs 1 --output edited.csv >out 2>err & process=$!
while ! grep -q '^r' edited.csv.journal 2>/dev/null; do sleep 0.01; done
study m.lua 'scene = "pendulum"'; wait $process; same "a study that is edited meanwhile" whole.csv edited.csv

echo "# measures against closed forms"
# The step nearest to the lowest point is at most h/2 away, at an angular velocity of sqrt(2 g / l): g h^2 / 4.
study p.lua '  scene = "pendulum", set = { length = { 0.5, 1, 1.4 } }, steps = 0.01, duration = 1,
  solvers = "lagrange:stepper=rk8pd", measures = {
    lowest = function(t, s, last) return math.min(last or math.huge, s:position("bob")[2]) end,
    heat = function(t, s, last) local k, p = s:energy() return math.max(last or 0, math.abs(k + p)) end,
    spin = function(t, s, last)
      local x, v = s:position("bob"), s:velocity("bob")
      return math.max(last or 0, math.abs(s:angular_momentum()[3] - x[1] * v[2] + x[2] * v[1]))
    end,
    push = function(t, s, last)
      return math.max(last or 0, math.abs(s:momentum()[2] - s:velocity("bob")[2]))
    end,
  },
  results = {
    above = function(r) return r.lowest + r.length end,
    differs = function(r) return r.heat - r.energy_error end,
    text = function(r) return r.reason == "converged" and r.solver == "lagrange:stepper=rk8pd" and #r.hash or 0 end,
  }'
run sweep p.lua --output p.csv; exits "a pendulum" 0
within "its lowest point, m" "$(largest p.csv above)" 2.46e-4
within "energy, from energy_error, J" "$(largest p.csv differs)" 1e-15
within "angular momentum, from x v, kg m^2/s" "$(largest p.csv spin)" 1e-14
within "momentum, from v, kg m/s" "$(largest p.csv push)" 1e-14
[ "$(column p.csv text | sort -u)" -eq 16 ]; verdict "results have texts" $?
# An impact is up to h late or early: an error in height of (1 + e) v h.
study ball.lua '  scene = "bouncing_balls", set = { restitution = { 0.3, 0.5, 0.8 } }, duration = 0.8, steps = 0.001,
  measures = { apex = function(t, s, last)
    return t < 0.46 and 0 or math.max(last, s:position("ball1")[3] - 0.1)
  end },
  results = { off = function(r) return (r.apex - r.restitution ^ 2) / (1 + r.restitution) end }'
run sweep ball.lua --output ball.csv; exits "a bouncing ball" 0
within "height after the bounce, e^2 of that before, m" "$(largest ball.csv off)" 4.43e-3
run sweep "$top/doc/friction.lua" --output f.csv; exits "a block on a slope" 0
within "how far it slides, m" "$(largest f.csv off)" 1e-8
awk -F, 'NR > 1 && ($(NF - 2) > 1e-6) != (sin($2 * 3.14159265358979 / 180) > $3 * cos($2 * 3.14159265358979 / 180)) { print }' f.csv >wrong
[ "$(wc -l <f.csv)" -eq 124 ] && [ ! -s wrong ]; verdict "it slides where tan(angle) > mu" $?

echo "# a measure that fails is a failure of its row"
failure() { # NAME PATTERN FUNCTION [RESULT]
  study e.lua "  scene = \"pendulum\", duration = 0.1, steps = { 0.02, 0.05 }, measures = { own =
    $3 }, results = { ${4:-} }"
  run sweep e.lua --limit-instructions 1e6 --output e.csv
  [ "$status" -eq 1 ] && [ "$(column e.csv reason | grep -c '^error$')" -eq 2 ] && [ "$(grep -c -e "$2" e.csv)" -eq 2 ]
  verdict "$1" $? "$(tail -n 1 e.csv)"
}
failure "nothing" 'e.lua:4: measure own returns nothing: it must return a number (measure own at t = 0 s)' 'function() end'
failure "NaN" 'e.lua:4: measure own returns nan' 'function() return 0/0 end'
failure "infinity" 'e.lua:4: measure own returns -inf' 'function() return -math.huge end'
failure "a string" 'e.lua:4: measure own returns a string' 'function() return "1" end'
failure "an error" 'e.lua:4: enough' 'function() error("enough") end'
failure "a body that is not there" 'no body ""bop""; did you mean ""bob""' 'function(t, s) return s:position("bop")[1] end'
failure "a joint that is not there" 'did you mean ""rod""' 'function(t, s) return s:value("rood") end'
failure "a loop without end" 'stopped after 1000000 instructions' 'function(t) while t > 0.04 do end return t end'
failure "an input that is set" 'looks at the state and cannot change it' 'function(t, s) s:set("rod", 1) return 1 end'
failure "a name that the state does not have" 'did you mean ""position""' 'function(t, s) return s:positon("bob")[1] end'
failure "a state kept for later" 'only there while' 'function(t, s) kept = s return 1 end' 'late = function() return kept:position("bob")[1] end'
failure "a result of a column that is not there" 'unknown column ""eror""; did you mean ""error""' 'function() return 1 end' 'r = function(r) return r.eror end'
failure "a result of a column without a value" 'e.lua:4: attempt to perform arithmetic' 'function() return 1 end' 'r = function(r) return r.contacts / 2 end'
column e.csv steps | tr '\n' ' ' | grep -q '^5 2 $'; verdict "results before the failure remain" $?
study e.lua 'scene = "pendulum", steps = { 0.01, 1 }, duration = 2, solvers = "impulse-sle:iterations=3",
  measures = { x = function(t) return t end }, results = { y = function(r) return 2 * r.x end }'
run sweep e.lua --output e.csv; [ "$(column e.csv reason | tr '\n' ' ')" = "converged stalled " ]; verdict "a run that fails" $?
[ "$(column e.csv x | tr '\n' ' ')" = "2 0 " ] && [ "$(column e.csv y | tr '\n' ' ')" = "4  " ]
verdict "a failed run has measures, and no results" $?

echo "# refused before anything runs"
bad() { # NAME PATTERN FIELDS
  study e.lua "$3"; refused "$1" "$2" sweep e.lua
}
bad "an unknown key" 'e.lua:2: study: unknown key "sett"; did you mean "set"' 'scene = "pendulum", sett = {}'
bad "no scene" 'e.lua:2: scene is missing' ''
bad "a missing scene" 'did you mean "pendulum"' 'scene = "pendulm"'
bad "an unknown parameter of the scene" 'did you mean "length"' 'scene = "pendulum", set = { lenght = 1 }'
bad "a sample of one" 'did you mean "length"' 'scene = "pendulum", samples = { { lenght = 1, mass = 1 } }'
bad "an empty list" 'set.length: an empty list' 'scene = "pendulum", set = { length = {} }'
bad "no steps" 'steps: an empty list' 'scene = "pendulum", steps = {}'
bad "no samples" 'samples must be' 'scene = "pendulum", samples = {}'
bad "a list with named entries" 'no names and no gaps' 'scene = "pendulum", set = { length = { a = 1 } }'
bad "an invalid value" 'set.length\[2\] must be a number, a string, true or false, not a table' 'scene = "pendulum", set = { length = { 1, {} } }'
bad "NaN" 'set.length\[1\] must be finite' 'scene = "pendulum", set = { length = { 0/0 } }'
bad "a range of 1e9" 'the most is 1000000' 'scene = "pendulum", set = { length = study.range(1, 2, 1e9) }'
bad "1e9 samples" 'the most is 1000000' 'scene = "pendulum", samples = study.random { seed = 1, count = 1000000000, set = { length = { 1, 2 } } }'
bad "1e9 runs" '1e+09 runs' 'scene = "pendulum", set = { length = study.range(1, 2, 1000), mass = study.range(1, 2, 1000) }, steps = study.log(1e-3, 1e-2, 1000)'
bad "an unknown key" 'unknown name "rang"; did you mean "range"' 'scene = "pendulum", set = { length = study.rang(1, 2, 3) }'
bad "a logarithm of zero" 'greater than zero' 'scene = "pendulum", steps = study.log(0, 1, 3)'
bad "half of a pair" 'whole number' 'scene = "pendulum", steps = study.log(1, 2, 2.5)'
bad "a negative step" 'steps\[2\] must be positive, not -1' 'scene = "pendulum", steps = { 1, -1 }'
bad "an invalid duration" 'duration must be a number' 'scene = "pendulum", duration = "long"'
bad "an unknown solver" 'did you mean "lagrange"' 'scene = "pendulum", solvers = { "lagrnge" }'
bad "a solver that is not a text" 'solvers\[1\] must be a string' 'scene = "pendulum", solvers = { 1 }'
bad "an unknown parameter of a solver" 'did you mean "tolerance"' 'scene = "pendulum", vary = { tolerence = 1 }'
bad "two settings in one" 'cannot contain a comma' 'scene = "pendulum", vary = { tolerance = "1,order=2" }'
bad "an unknown reference" 'must be "scene" or "none"' 'scene = "pendulum", reference = "self"'
bad "an unknown measure" 'measures.x must be a function' 'scene = "pendulum", measures = { x = 1 }'
bad "a name of a standard column" 'a column "error" already' 'scene = "pendulum", measures = { error = function() end }'
bad "a column twice" 'a column "x" already' 'scene = "pendulum", measures = { x = print }, results = { x = print }'
bad "a column like a parameter" 'a column "mass" already' 'scene = "pendulum", set = { mass = 1 }, results = { mass = print }'
bad "a name with a comma" 'letters, digits and _' 'scene = "pendulum", measures = { ["a,b"] = print }'
bad "a parameter twice" 'both in set and in samples' 'scene = "pendulum", set = { mass = 1 }, samples = { { mass = 1 } }'
bad "samples that differ" 'samples\[2\] has no mass' 'scene = "pendulum", samples = { { mass = 1 }, {} }'
bad "an invalid seed" 'seed must be a whole number' 'scene = "pendulum", samples = study.random { count = 1, set = { mass = { 1, 2 } } }'
bad "exchanged ends of a range" '2 is above 1' 'scene = "pendulum", samples = study.random { seed = 1, count = 1, set = { mass = { 2, 1 } } }'
bad "samples in a grid" 'give them as samples' 'scene = "pendulum", set = { mass = study.uniform(1, 2) }'
bad "a study that loads a study" 'a scene can require "holonom.scene" only' 'scene = "./e.lua"'
echo 'while true do end' >e.lua; refused "an endless study" 'e.lua:1: stopped after' sweep e.lua --limit-instructions 1e6
echo 'x = ("a"):rep(40):find(("a*"):rep(40) .. "b")' >e.lua
refused "an endless pattern match" 'e.lua:1: one function works longer' sweep e.lua --limit-time 0.2
echo 'x = ("a"):rep(1e9)' >e.lua; refused "too much memory" 'memory limit' sweep e.lua
echo 'return 3' >e.lua; refused "a file without a study" 'ends with "return study' sweep e.lua
echo 'return' >e.lua; refused "an empty file" 'returns nothing' sweep e.lua
echo 'x = = 3' >e.lua; refused "no Lua" 'e.lua:1: unexpected symbol' sweep e.lua
refused "no file" 'cannot read the scene' sweep none.lua
study e.lua 'scene = "pendulum"'; refused "a study in place of a scene" 'e.lua:1: no module "holonom.study"' run e.lua
refused "another reference" 'none, scene, a solver' sweep pendulum --reference self
refused "a reference from a file" 'only that of the scene' sweep pendulum --reference run.json

finish
