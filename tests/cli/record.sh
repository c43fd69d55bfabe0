#!/bin/sh
# record.sh - the record of contact laws: the best solvers reach the closed forms to 1e-9, the rule of the three errors,
# engines that are not installed, lists of studies, the page, and messages. Needs HOLONOM and python3.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
command -v python3 >/dev/null || without "python3 is missing"
study() { # FILE FIELDS : writes a study
  printf 'local study = require "holonom.study"\nreturn study {\n%s\n}\n' "$2" >"$1"
}

echo "# errors of the best solvers, at most 1e-9; the sum of the three errors; the reasons of failures"
cat >rows.py <<'PY'
import csv, sys
table, bound, names = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
rows = list(csv.DictReader(open(table)))
bad = not rows
for case in sorted({r["case"] for r in rows}):
    best = {r["solver"]: r for r in rows if r["case"] == case}
    for name in names:
        error = best[name]["error"]
        print(f"#   {case}: {name}: {error or best[name]['remark']}, at most {bound:g}")
        bad |= error == "" or abs(float(error)) > bound
for r in rows:
    parts = [float(r[k] or 0) for k in ("solver_error", "time_error", "model_error")]
    if r["time_error"] and abs(sum(parts) - float(r["error"])) > 1e-12 * (1 + abs(float(r["exact"]))):
        print("#   not the sum:", r["solver"], parts, r["error"])
        bad = True
    if not r["value"] and not r["remark"]:
        print("#   no reason:", r)
        bad = True
sys.exit(bad)
PY
reaches() { # STUDY DURATION SOLVERS... : the table of a study with these solvers; 1e-9 for all of them
  name=$1 duration=$2; shift 2
  run sweep "record_$name" ${duration:+--duration $duration} --solvers "$(echo "$*" | tr ' ' ,)" --output "$name" --quiet
  exits "$name" 0
  python3 rows.py "$name/record_$name.csv" 1e-9 "$@"; verdict "$name: $* at most 1e-9" $?
}
reaches creep 2 moreau events impulse-contact
reaches ski_jump "" events impulse-contact
reaches capstan "" moreau events
reaches knife_edge "" events
reaches cylinder 0.5 moreau events
reaches ball "" events moreau:theta=0.5
reaches grasp "" moreau events

echo "# the heavy body: the stretch alone has a closed form"
run sweep record_chain --solvers moreau --output chain --quiet; exits "chain" 0
awk -F, '/^"?largest stretch/ { n++; v = $(NF - 8); if (v > 1e-9 || v == "") bad = 1; print "#   " v ", at most 1e-9" }
  END { exit bad || n != 3 }' chain/record_chain.csv; verdict "moreau: stretch at most 1e-9 for ratios to 1e6" $?

echo "# a known answer of the rule: time stepping lags by v h / 2, the relaxed law lifts off"
run sweep record_ski_jump --solvers moreau,moreau:contact=apgd --output jump --quiet
python3 - <<'PY'
import csv, sys
rows = {(r["case"], r["solver"]): r for r in csv.DictReader(open("jump/record_ski_jump.csv"))}
stop = rows["stopping distance, m", "moreau"]
lift = rows["lift, m", "moreau:contact=apgd"]
time, order, model = float(stop["time_error"]), float(stop["order"]), float(lift["model_error"])
print(f"#   error of time {time:.6f} m, -0.006 within 1 %; order {order:.4f}, 1 within 0.01; lift {model:.4f} m, above 0.25")
sys.exit(not (abs(time / -0.006 - 1) < 0.01 and abs(order - 1) < 0.01 and model > 0.25))
PY
verdict "the errors are told apart" $?

echo "# engines that are missing, failures, the page"
study e.lua 'scene = "pendulum", solvers = "impulse-sle", engines = { "no-such-engine" }, duration = 0.01, reference = "none",
  measures = { x = function(t) return t end },
  conclude = function(rows)
    local t = { columns = { "solver", "x", "why" } }
    for i, r in ipairs(rows) do t[i] = { r.solver, r.x or false, r.explanation or "" } end
    return t
  end, page = { title = "A <title>", text = { "a & b" }, asked = { "owner/name#7" } }'
run sweep e.lua; exits "conclusions are printed" 0
has "a row of a run" out 'impulse-sle .*0.01'; has "a row of an engine that is missing" out 'no-such-engine .*not installed'
run sweep e.lua --also lagrange; has "--also adds a solver" out 'lagrange'; has "beside those of the study" out 'impulse-sle'
run sweep e.lua --output page --quiet; exits "a page" 0
cmp -s page/e.csv - <<'CSV'
solver,x,why
impulse-sle,0.01,
no-such-engine,,not installed
CSV
verdict "the conclusions as CSV" $?
[ "$(wc -l <page/e_runs.csv)" -eq 3 ]; verdict "all runs as CSV" $?
grep -q 'A &lt;title&gt;' page/index.html && grep -q 'a &amp; b' page/index.html &&
  grep -q 'href="https://github.com/owner/name/issues/7"' page/index.html; verdict "the page: texts and links" $?
printf 'local study = require "holonom.study"\nreturn study { studies = { "e" }, page = { title = "List" } }\n' >l.lua
run sweep l.lua --output list --quiet; exits "a list of studies" 0
cmp -s list/e.csv page/e.csv; verdict "has the table of its study" $?
[ "$(grep -c '<svg class="strip"' creep/index.html)" -eq 3 ]; verdict "a strip for each row of the record" $?

echo "# messages"
bad() { study b.lua "$3"; refused "$1" "$2" sweep b.lua; }
bad "a conclusion that is no table" 'conclude returns a number' 'scene = "pendulum", duration = 0.01, conclude = function() return 1 end'
bad "no columns" 'no list of names' 'scene = "pendulum", duration = 0.01, conclude = function() return {} end'
bad "a field of another kind" 'row 1: a must be a text' \
  'scene = "pendulum", duration = 0.01, conclude = function() return { columns = { "a" }, { 0 / 0 } } end'
bad "conclude must be a function" 'conclude must be a function' 'scene = "pendulum", conclude = 3'
bad "a study in a list with a path" 'letters, digits and _' 'studies = { "a/b" }'
bad "a list with a scene" 'unknown key "scene"' 'studies = { "e" }, scene = "pendulum"'
refused "a list is not resumed" 'no --figure and no --resume' sweep l.lua --resume --output list
finish
