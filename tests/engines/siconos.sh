#!/bin/sh
# siconos.sh - Siconos' contact solvers in the command: the problems of scenes, runs and comparisons, silence on the
# terminal, and refusals. Residuals are those that the command measures. Needs HOLONOM and python3; skipped without the
# module.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
"$HOLONOM" list contact | grep -q "^siconos" || without "Holonom was built without Siconos"
command -v python3 >/dev/null || without "python3 is missing"
tolerance=1e-9

echo "# the problems of scenes, to $tolerance m/s"
# Each method converges, or says that it does not, with the residual that is measured. Those named converge.
problem() { # NAME "SCENE OPTIONS" "METHODS THAT CONVERGE" "OTHERS"
  specs=
  for method in $3 $4; do specs=$specs${specs:+,}siconos:method=$method:iterations=3000; done
  run problem $2 --contact "$specs" --json
  hasnt "$1: nothing but JSON is printed" err .
  python3 - "$tolerance" $3 <<'PY'
import json, sys
bound, must, wrong = float(sys.argv[1]), sys.argv[2:], 0
for row in json.load(open("out"))["solvers"]:
    method = row["spec"].split("method=")[1].split(":")[0]
    met = row["residual"] <= bound
    good = (row["reason"] == "converged") == met and (met or method not in must)
    wrong += not good
    print(f"#   {method:8} {row['reason']:10} {row['iterations']:6} iterations, residual {row['residual']:.2e}",
          "" if good else "  FAILED")
sys.exit(wrong > 0)
PY
  verdict "$1: every method is within the tolerance, or says that it is not" $?
}
problem "29 contacts, some slide" "ball_tray --at 0.1" \
  "nsgs prox nsn_ac nsn_act nsn_fb nsn_nm admm aclm tfp pfp vi_eg vi_fpp eg fpp dsfp" ""
problem "52 contacts of a house of cards" card_house \
  "nsgs prox nsn_ac nsn_act nsn_fb nsn_nm admm aclm tfp pfp vi_eg vi_fpp eg fpp" "dsfp"
problem "256 redundant contacts" pyramid "prox admm vi_eg eg fpp tfp" "nsgs dsfp"
problem "planar contacts" "rimless_wheel --at 0.05" "nsgs cpg lemke enum prox admm" ""
problem "planar, 20 boxes high" "stack --at 0.05" "cpg lemke prox admm" "nsgs enum"
problem "joints and contacts" "seesaw" "nsgs prox nsn_ac admm" ""

echo "# runs"
for setting in "" ":child=false"; do
  run run ball_tray --solver "moreau:contact=siconos$setting" --duration 0.1 --json
  exits "a run${setting:+ in this process}" 0
  hasnt "  without a word" err .
  sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p' out >"hash$setting"
done
[ -s hash ] && cmp -s hash "hash:child=false"; verdict "a child process and this one have the same bits" $?
run run ragdoll_stairs --solver moreau:contact=siconos:method=prox --duration 0.1 --quiet
exits "joints, with and without contacts" 0

echo "# beside others"
run compare ball_tray --duration 0.1 --json \
  --contact pgs,admm,siconos:method=nsgs,siconos:method=prox,siconos:method=admm,siconos:method=vi_eg
exits "compare" 0
python3 - <<'PY'
import json, sys
rows = json.load(open("out"))["runs"]
places = [[x for body in row["bodies"] for x in body["position"]] for row in rows]
apart = max(abs(a - b) for place in places for a, b in zip(place, places[0]))
print(f"#   {len(rows)} solvers, bodies at most {apart:.2e} m apart after 0.1 s, bound 1e-9")
sys.exit(not (len(rows) == 6 and apart <= 1e-9))
PY
verdict "the motion is that of pgs" $?
run list contact
has "it is listed" out "^siconos  *Coulomb's law"

echo "# refusals"
run problem car_road --contact siconos
exits "motors with a force limit" 1
has "  are named" out "bounded impulses"
run problem billiard_cloth --contact siconos --at 0.05
exits "torsional friction" 1
has "  is named" out "torsional friction"
run problem pyramid --contact siconos:method=lemke
exits "a planar method in space" 1
has "  is named" out "planar contacts"
refused "an unknown method is refused, with the nearest" "nsn_ac" \
  problem pyramid --contact siconos:method=nsnac
finish
