# engine_cases.sh - checks of an engine on the mechanisms of engine_cases.lua, for tests that have sourced lib.sh
cases=$top/tests/support/engine_cases.lua

order() { # SOLVER CASE SWAPPED [ARGUMENTS...] : order 1 within 0.15 against $reference
  solver=$1; case=$2; swapped=$3; shift 3
  run converge "$cases" --set case="$case" --set swapped="$swapped" --solver "$solver" --consistent --steps $steps \
    --reference "$reference" "$@"
  fitted=$(sed -n 's/^fitted order \([0-9.-]*\).*/\1/p' out)
  awk -v f="${fitted:-9}" 'BEGIN { exit !(f > 0.85 && f < 1.15) }'
  verdict "$solver: $case, swapped=$swapped $*: order ${fitted:-none}, bounds 0.85 and 1.15" $? "$(head -1 err)"
}
closed() { # NAME BOUND EXPRESSION SOLVER ARGUMENTS... : |EXPRESSION|, of body "first" at the end, is at most BOUND
  name=$1; bound=$2; expression=$3; solver=$4; shift 4
  run run "$cases" --solver "$solver" --json "$@"
  value=$(python3 -c '
import json, sys
from math import *
end = json.load(open("out"))
h, t = end["step"], end["time"]
b = next(b for b in end["bodies"] if b["name"] == "first")
x, v, w, q = b["position"], b["velocity"], b["angular_velocity"], b["orientation"]
angle = 2 * atan2(q[3], q[0])
angle -= 2 * pi * round(angle / (2 * pi))
print("%.3g" % abs(eval(sys.argv[1])) if end["reason"] == "converged" else end["reason"])' "$expression" 2>/dev/null)
  awk -v v="${value:-1e99}" -v b="$bound" 'BEGIN { exit !(v + 0 == v && v <= b) }'
  verdict "$solver: $name: ${value:-none}, bound $bound" $? "$(head -1 err)"
}
# Free motion, limits, motors and friction of joints. At a bound the coordinate is within ${reach:-0.02} of it.
# shellcheck disable=SC2086 # of $to
closed_forms() { # SOLVER [ARGUMENTS...]
  solver=$1; shift
  near=${rounding:-1e-9}
  echo "# closed forms, $solver"
  closed "free fall, m" "$near" "x[1] - (2 * t - 9.81 / 2 * t * (t + h))" "$solver" --set case=free_fall "$@"
  for crossed in false true; do
    for sign in 1 -1; do
      way=$sign
      [ $crossed = true ] && way=$((-sign))
      which="crossed=$crossed sign=$sign" to="--set crossed=$crossed --set sign=$sign"
      closed "limit of a hinge, $which, rad" "${reach:-0.02}" "angle - (0.5 if $sign > 0 else -0.7)" "$solver" "$@" $to \
        --set case=limit_hinge --duration 4
      closed "limit of a slider, $which, m" "${reach:-0.02}" "0.8 * x[0] - 0.6 * x[1] - (0.4 if $sign > 0 else 0.3)" \
        "$solver" "$@" $to --set case=limit_slider --duration 2
      for kind in hinge slider; do
        rate="w[2]" inertia=0.4 most=0.2 dry=0.5
        [ $kind = slider ] && rate="(0.8 * v[0] - 0.6 * v[1])" inertia=2 most=1 dry=2.5
        closed "motor of a $kind at its largest force, $which" "$near" "$rate - $way * $most / $inertia * t" "$solver" "$@" $to \
          --set case=motor_$kind
        closed "motor of a $kind at its rate, $which" "$near" "$rate - $way * 0.7 * t" "$solver" "$@" $to \
          --set case=motor_$kind --set strong=true --set swapped=true
        closed "dry friction of a $kind, $which" "$near" "$rate - $sign * (2 - $dry / $inertia * t)" "$solver" "$@" $to \
          --set case=dry_$kind
      done
    done
  done
}
contacts() { # SOLVER [ARGUMENTS...]
  solver=$1; shift
  closed "slides down a slope, m/s" "${slip:-1e-3}" "hypot(v[0], v[1]) - 9.81 * (sin(0.4) - 0.2 * cos(0.4)) * t" "$solver" \
    "$@" --set case=slide --duration 1
  closed "sticks on a slope, m" "${creep:-1e-3}" "hypot(x[0] + 0.1 * sin(0.4), x[1] - 0.1 * cos(0.4))" "$solver" "$@" \
    --set case=stick --duration 1
  closed "bounces with e = 0.5, m/s" 0.1 "v[1] - (0.5 * sqrt(9.81) - 9.81 * (t - sqrt(1 / 9.81)))" "$solver" "$@" \
    --set case=bounce --set e=0.5 --duration 0.5 --step 0.001
}
same_bits() { # SOLVER SCENE... : the same hash in two processes
  solver=$1; shift
  for scene in "$@"; do
    hash=
    for _ in 1 2; do
      run run "$scene" --solver "$solver" --duration 0.3
      hash="$hash $(sed -n 's/^hash //p' out)"
    done
    # shellcheck disable=SC2086
    set -- $hash
    [ $# -eq 2 ] && [ "$1" = "$2" ]; verdict "$solver: the same hash twice, $scene:$hash" $?
  done
}
refuses() { # NAME SOLVER SCENE-AND-ARGUMENTS PATTERN
  # shellcheck disable=SC2086
  run run $3 --solver "$2"
  [ "$status" -eq 1 ] && grep -q -e "$4" err; verdict "$2: refuses $1" $? "no match for: $4"
}
