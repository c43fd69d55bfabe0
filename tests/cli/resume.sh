#!/bin/bash
# resume.sh - killed runs that are resumed from their last checkpoint: hash, record and figures equal those of an
# uninterrupted run, for every solver; and invalid checkpoints. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"
figures() { sed '/^  "cost"/,/^  }/d' "$1"; } # prints the JSON of a run without its cost
now() { date +%s%N; }
RANDOM=20060101 # the moments are the same every time, as far as the machine is as fast

echo "# every solver, interrupted in the middle of the run"
for name in $("$HOLONOM" list solvers --json | sed -n 's/^ *"name": "\(.*\)",$/\1/p'); do
  for scene in chain8 ball_tray; do
    common=(run $scene --solver $name --step 0.002 --duration 0.2 --json)
    run "${common[@]}"
    [ "$status" -eq 0 ] || continue # not this scene
    more=(--record-joints --record-rank); [ $scene = chain8 ] || more=(--record-contacts)
    plain=$(sed -n 's/^  "hash": "\(.*\)",*$/\1/p' out)
    rm -f whole.csv*
    run "${common[@]}" --checkpoint 7 --output whole.csv --record-events whole.events.csv "${more[@]}"; figures out >whole
    [ "$status" -eq 0 ] || continue # an engine that stalls where it begins anew
    hash=$(sed -n 's/^  "hash": "\(.*\)",*$/\1/p' whole)
    rm -f part.*csv*
    room=64; [ $scene = chain8 ] || room=400 # KiB of a file: a checkpoint fits, the record does not
    (ulimit -f $room; trap '' XFSZ; "$HOLONOM" "${common[@]}" --checkpoint 7 --output part.csv --record-events part.events.csv "${more[@]}" >cut 2>err)
    [ -e part.csv.checkpoint ]; verdict "$name on $scene: interrupted by a full disk, with a checkpoint" $? "$(cat err)"
    run "${common[@]}" --checkpoint 7 --output part.csv --record-events part.events.csv "${more[@]}" --resume part.csv.checkpoint
    figures out | cmp -s - whole
    verdict "$name on $scene: its figures" $? "$(figures out | diff - whole | head -n 4 | tr '\n' ' ') $(cat err)"
    cmp -s part.csv whole.csv; held=$?; verdict "$name on $scene: its record, $(sed -n '1!p' whole.csv | wc -l) frames" $held
    cmp -s part.events.csv whole.events.csv; held=$?; verdict "$name on $scene: its events, $(sed -n '1!p' whole.events.csv | wc -l)" $held
    [ $scene = chain8 ] || { cmp -s part.contacts.csv whole.contacts.csv; held=$?; verdict "$name on $scene: its contacts, $(sed -n '1!p' whole.contacts.csv | wc -l)" $held; }
    [ ! -e part.csv.checkpoint ] && [ ! -e part.csv.frames ] && [ ! -e part.csv.events ]; verdict "$name on $scene: no other file remains" $?
    if [ "$hash" = "$plain" ]; then echo "        and as without checkpoints"; else differ="${differ-} $name"; fi
  done
done
engines=$("$HOLONOM" list solvers --json | tr -d '\n' | grep -o '"name": "[^"]*"[^}]*"engine": "' | sed 's/"name": "\([^"]*\)".*/\1/')
forget=$(echo ${differ-} | tr ' ' '\n' | sort -u | grep -vxF "${engines:-none}" | tr '\n' ' ')
[ "$forget" = "ida " ]
verdict "results differ from those without checkpoints for solvers without saved memory" $? "${differ-none}"

echo "# kill -9 at random moments"
# SCENE SOLVER STEP DURATION ENDING KILLS RECORD... : an uninterrupted run, then KILLS killed and resumed ones, with the
# options RECORD
killed=0 early=0 late=0 resumed=0 events=0
kills() {
  common=(run $1 --solver $2 --step $3 --duration $4 --checkpoint 25 --json "${@:7}")
  rm -f whole*; start=$(now); run "${common[@]}" --output whole.$5 --record-events whole.events.csv; took=$((($(now) - start) / 1000000)) # ms
  exits "$1, $2, .$5: a run of $took ms" 0
  figures out >whole; bad=0
  for ((k = 0; k < $6; k++)); do
    rm -f part*; from=
    for ((again = 0; again < 50; again++)); do # most are killed more than once
      "$HOLONOM" "${common[@]}" --output part.$5 --record-events part.events.csv $from >told 2>err & pid=$!
      [ $again -lt 4 ] && { sleep "$(printf '%d.%03d' $((RANDOM % (took + 1) / 1000)) $((RANDOM % (took + 1) % 1000)))"; kill -KILL $pid 2>/dev/null && killed=$((killed + 1)); }
      wait $pid 2>/dev/null && break
      from=; early=$((early + 1))
      [ -e part.$5.checkpoint ] && from="--resume part.$5.checkpoint" && early=$((early - 1)) resumed=$((resumed + 1))
    done
    figures told | cmp -s - whole && cmp -s part.$5 whole.$5 && cmp -s part.events.csv whole.events.csv && { [ ! -e whole.contacts.csv ] || cmp -s part.contacts.csv whole.contacts.csv; } && [ ! -e part.$5.checkpoint ] || { bad=$((bad + 1)); sed 's/^/        /' err; }
  done
  [ $bad -eq 0 ]; held=$?; events=$((events + $(sed -n '1!p' whole.events.csv | wc -l)))
  verdict "$1, $2, .$5: the same figures and the same bytes, $6 times, of $(sed -n '1!p' whole.events.csv | wc -l) events too" $held "$bad are others"
}
kills chain8 impulse-sle 0.0005 1.5 csv 20 --record-joints --record-forces --record-rank
kills ball_tray moreau 0.001 0.25 csv 10 --record-contacts
kills ball_tray moreau 0.001 0.25 h5 30 --record-contacts --record-joints
kills ragdoll tgs-soft 0.001 1.2 glb 20
kills double_pendulum ida 0.001 1.5 csv 20
kills billiard_break impulse-contact 0.001 0.3 csv 10
echo "        $killed killed, $resumed of them went on from a checkpoint, $early were killed before the first"
[ $events -ge 100 ]; verdict "$events events, at least 100" $?
[ $killed -ge 100 ] && [ $resumed -ge 50 ]; verdict "at least 100 were killed, and half of them resumed" $? "$killed, $resumed"

echo "# interrupted runs, existing records"
run run chain8 --duration 200 --output whole.csv --checkpoint 50; exits "a run" 0
"$HOLONOM" run chain8 --duration 200 --output sig.csv --checkpoint 50 >told 2>err & pid=$!
waits_for -e sig.csv.checkpoint; stops $pid
[ "$status" -eq 1 ] && [ -e sig.csv ] && [ -e sig.csv.checkpoint ]; verdict "SIGINT: the record has its name, the checkpoint remains" $? "$status"
refused "the checkpoint is not overwritten" "is of an interrupted run: --resume" run chain8 --duration 200 --output sig.csv --checkpoint 50
run run chain8 --duration 200 --output sig.csv --checkpoint 50 --resume sig.csv.checkpoint --quiet; cmp -s sig.csv whole.csv
verdict "resumed: the record equals that of an uninterrupted run" $? "$(cat err)"

echo "# invalid checkpoints, and those of other runs"
(ulimit -f 64; trap '' XFSZ; "$HOLONOM" run chain8 --duration 2 --output bad.csv --checkpoint 5 >told 2>err)
cp bad.csv.checkpoint good; cp bad.csv.frames frames; cp bad.csv.part part
same() { cmp -s good bad.csv.checkpoint && cmp -s frames bad.csv.frames && cmp -s part bad.csv.part; verdict "$1: nothing is lost" $?; }
go=(run chain8 --duration 2 --output bad.csv --checkpoint 5 --resume)
refused "--resume alone" "give both" run chain8 --duration 2 --output bad.csv --resume good
refused "without a record" "checkpoint needs a record" run chain8 --checkpoint 5
refused "to standard output" "checkpoint needs a record that can be continued" run chain8 --checkpoint 5 --output -
refused "to a page" "checkpoint needs a record that can be continued" run chain8 --checkpoint 5 --output x.html
refused "with a list of events" "does not save the list of events" run chain8 --checkpoint 5 --output x.csv --list-events --json
for n in 0 -1 2.5 x; do refused "--checkpoint $n" "must be a whole number of steps" run chain8 --output x.csv --checkpoint $n; done
refused "no file" "No such file" "${go[@]}" nothing; same "no file"
: >empty; refused "an empty file" "is no checkpoint of Holonom" "${go[@]}" empty; same "an empty file"
head -c 3000000 /dev/zero >zeros; refused "zeros" "is no checkpoint" "${go[@]}" zeros; same "zeros"
refused "a record" "is no checkpoint of Holonom" "${go[@]}" whole.csv; same "a record"
size=$(stat -c %s good)
for cut in 10 1000 $((size / 2)) $((size - 1)); do
  head -c $cut good >short; refused "cut to $cut bytes of $size" "is no checkpoint\|has the wrong length" "${go[@]}" short; same "cut to $cut"
done
(cat good; echo) >long; refused "a byte more" "has the wrong length" "${go[@]}" long; same "a byte more"
for at in 3 $((size / 2)) $((size - 9)); do # one bit
  python3 -c "import sys; b = bytearray(open('good', 'rb').read()); b[$at] ^= 16; open('bit', 'wb').write(b)"
  refused "a bit at $at" "is no checkpoint\|is damaged" "${go[@]}" bit; same "a bit at $at"
done
sed '1s/"format_version":[0-9]*/"format_version":99/' good >old; refused "a checkpoint of another format" "is a checkpoint of format 99; Holonom" "${go[@]}" old; same "another format"
sed '1s/"version":"[^"]*"/"version":"0.0.9"/' good >old; refused "a checkpoint of another version" "is of Holonom 0.0.9" "${go[@]}" old; same "another version"
other() { # WORDS ARGUMENTS...
  words=$1; shift; refused "another run: $words" "is of another run: its $words" "$@" --resume good; same "$words"
}
other scene run pendulum --duration 2 --output bad.csv --checkpoint 5
other "scene parameters" run chain8 --set n=10 --duration 2 --output bad.csv --checkpoint 5
other solver run chain8 --solver xpbd --duration 2 --output bad.csv --checkpoint 5
other solver run chain8 --tolerance 1e-7 --duration 2 --output bad.csv --checkpoint 5
other step run chain8 --step 0.005 --duration 2 --output bad.csv --checkpoint 5
other duration run chain8 --duration 3 --output bad.csv --checkpoint 5
other budget run chain8 --budget 1e9 --duration 2 --output bad.csv --checkpoint 5
other --every run chain8 --every 2 --duration 2 --output bad.csv --checkpoint 5
other --checkpoint run chain8 --duration 2 --output bad.csv --checkpoint 6
other --record-events run chain8 --duration 2 --output bad.csv --checkpoint 5 --record-events e.csv
other record run chain8 --record-joints --duration 2 --output bad.csv --checkpoint 5
head -c 100 frames >bad.csv.frames; cp frames kept
refused "truncated frames" "bad.csv.frames is cut off" "${go[@]}" good
python3 -c "b = bytearray(open('kept', 'rb').read()); b[99] ^= 1; open('bad.csv.frames', 'wb').write(b)"
refused "changed frames" "is not what it was" "${go[@]}" good
rm bad.csv.frames; refused "no frames" "cannot go on with bad.csv.frames: No such file" "${go[@]}" good
cp kept bad.csv.frames
run "${go[@]}" good --quiet; run run chain8 --duration 2 --output plain.csv --checkpoint 5 --quiet; cmp -s bad.csv plain.csv
verdict "the valid record resumes" $?
tray=(run ball_tray --duration 0.2 --checkpoint 20 --output tray.csv --record-events events.csv)
(ulimit -f 400; trap '' XFSZ; "$HOLONOM" "${tray[@]}" >told 2>err); cp tray.csv.events kept; cp events.csv before
[ $(wc -l <before) -gt 5 ]; verdict "events, $(wc -l <before) lines of a run that was interrupted" $?
head -c 100 kept >tray.csv.events
refused "truncated events" "tray.csv.events is cut off" "${tray[@]}" --resume tray.csv.checkpoint
python3 -c "b = bytearray(open('kept', 'rb').read()); b[99] ^= 1; open('tray.csv.events', 'wb').write(b)"
refused "changed events" "is not what it was" "${tray[@]}" --resume tray.csv.checkpoint
cmp -s events.csv before; verdict "the record of events is unchanged" $?
cp kept tray.csv.events; run "${tray[@]}" --resume tray.csv.checkpoint --quiet; exits "the valid events resume" 0
finish
