#!/bin/bash
# interrupts.sh - sweeps and runs with checkpoints that a signal ends at every call that writes, counted by
# tests/support/dying.c: resumed, they give the bytes of uninterrupted ones. Damaged journals. Needs HOLONOM.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/support/lib.sh"
dying=$built/tests/preload/.libs/dying.so
[ -e "$dying" ] || without "preloaded libraries were not built"
dies() { # AT SIGNAL ARGUMENTS... : like run, in a process group of its own that a signal ends at call AT
  at=$1 by=$2; shift 2
  {
    LD_PRELOAD=$dying DIE_AT=$at DIE_BY=$by LD_LIBRARY_PATH=$built/.libs setsid -w "$built/.libs/holonom" "$@" >out 2>err
    status=$?
  } 2>>killed # the shell's own messages
}
calls() { sed -n 's/^calls: //p' err; }

sweep="sweep chain --set n=2,3 --solvers impulse-sle,lagrange --step 0.01 --duration 0.05 --jobs 2 --quiet"
run $sweep --output whole.csv; exits "a sweep" 0
dies 0 9 $sweep --output cut.csv; exits "with counted calls" 0
number=$(calls); cmp -s whole.csv cut.csv; verdict "the same table, in $number calls" $?

echo "# a sweep, at every call"
for signal in 9 -2 -15; do # KILL for the sweep alone; INT and TERM for its processes, too
  bad=0 ended=0
  for ((k = 1; k <= number; k++)); do
    rm -f cut.csv*
    dies $k $signal $sweep --output cut.csv; first=$status
    [ $first -eq 0 ] || ended=$((ended + 1))
    # A sweep that ends well has a complete table and no journal; others are resumed, or begin again.
    [ $first -ne 0 ] || { [ ! -e cut.csv.journal ] && cmp -s whole.csv cut.csv; } || bad=$((bad + 1))
    [ $first -eq 0 ] || { run $sweep --output cut.csv --resume; [ $status -eq 0 ] && cmp -s whole.csv cut.csv && [ ! -e cut.csv.journal ]; } || { bad=$((bad + 1)); echo "        call $k: $first, $status"; cat err; }
  done
  [ $bad -eq 0 ]; verdict "signal $signal: $ended of $number ended the sweep; all are resumed to the same table" $? "$bad are not"
  [ $ended -gt $((number / 2)) ]; verdict "signal $signal: most calls are before the end" $?
done

echo "# a run's process, at every call"
for signal in 9 15 2 11; do
  bad=0 lost=0
  for k in 1 2 3 4; do # the length and the text of two answers
    rm -f cut.csv* once
    export DIE_IN=child DIE_ONCE=once
    dies $k $signal $sweep --output cut.csv
    unset DIE_IN DIE_ONCE
    if [ $k -le 2 ]; then [ $status -eq 2 ] || bad=$((bad + 1)); continue; fi # while it checks the scene
    [ $status -eq 1 ] && [ -e cut.csv.journal ] && grep -q "ended by a signal" err || bad=$((bad + 1))
    lost=$((lost + $(grep -c "ended by signal $signal" cut.csv)))
    run $sweep --output cut.csv --resume
    [ $status -eq 0 ] && cmp -s whole.csv cut.csv && [ ! -e cut.csv.journal ] || bad=$((bad + 1))
  done
  [ $bad -eq 0 ] && [ $lost -gt 0 ]; verdict "signal $signal: exit status 1, $lost rows are made again" $? "$bad are not"
done

echo "# a damaged journal"
dies $((number - 8)) 9 $sweep --output cut.csv; cp cut.csv.journal good; rm -f cut.csv
accepted=0 size=$(wc -c <good)
for ((at = 0; at < size; at += 13)); do
  cp good cut.csv.journal
  python3 -c 'import sys
name, at = sys.argv[1], int(sys.argv[2])
b = bytearray(open(name, "rb").read()); b[at] ^= 1 << (at % 7); open(name, "wb").write(b)' cut.csv.journal $at
  run $sweep --output cut.csv --resume
  if [ $status -eq 0 ]; then cmp -s whole.csv cut.csv || accepted=$((accepted + 1)); rm -f cut.csv; fi
done
[ $accepted -eq 0 ]; verdict "a changed bit at every 13th of $size bytes is refused, or does no harm" $? "$accepted gave another table"
sed '3s/,/;/' good >cut.csv.journal; run $sweep --output cut.csv --resume; exits "another comma in line 3" 2
has "the line is named" err 'cut.csv.journal:3: damaged'
rm -f cut.csv*

echo "# a run with checkpoints, at every call"
long="run chain8 --solver impulse-sle --duration 0.06 --checkpoint 2 --quiet"
run $long --output whole.csv
dies 0 9 $long --output cut.csv; number=$(calls); cmp -s whole.csv cut.csv; verdict "the same record, in $number calls" $?
for signal in 9 -2 -15; do
  bad=0 resumed=0
  for ((k = 1; k <= number; k++)); do
    rm -f cut.csv*; from=
    dies $k $signal $long --output cut.csv
    [ ! -e cut.csv.checkpoint ] || { from="--resume cut.csv.checkpoint" resumed=$((resumed + 1)); }
    [ $status -eq 0 ] || run $long --output cut.csv $from
    [ $status -eq 0 ] && cmp -s whole.csv cut.csv && [ ! -e cut.csv.checkpoint ] && [ ! -e cut.csv.frames ] || { bad=$((bad + 1)); echo "        call $k: $status $(cat err)"; }
  done
  [ $bad -eq 0 ]; verdict "signal $signal: $resumed of $number are resumed; all have the same bytes" $? "$bad have not"
done

echo "# forged checkpoints: numbers in them are changed, and the hash is that of the change"
cat >forge.py <<'END'
import random, re, struct, sys
data, seed = open(sys.argv[1], "rb").read(), int(sys.argv[3])
head, body = data[:data.index(b"\n")], bytearray(data[data.index(b"\n") + 1:])
random.seed(seed)
for _ in range(random.choice((1, 1, 8))): # words and bytes; the first 80 bytes are sizes, which are compared
    at = random.randrange(80, len(body) - 8)
    if random.random() < 0.7: struct.pack_into("<i", body, at // 4 * 4, random.choice((-1, -2, 1 << 30, -(1 << 31), 0x7fffffff, 1000, 77777777)))
    else: body[at] = random.randrange(256)
h = 0xcbf29ce484222325
for b in body: h = ((h ^ b) * 0x100000001b3) & (2**64 - 1)
head = re.sub(rb'"hash":"[0-9a-f]*"}$', b'"hash":"%016x"}' % h, head)
open(sys.argv[2], "wb").write(head + b"\n" + body)
END
forge() { # SCENE SOLVER OPTION : 80 forgeries of a checkpoint
  base="run $1 --solver $2 --step 0.002 --duration 0.06 --checkpoint 20 --limit-time 5 --quiet --output cut.csv $3"
  rm -f cut.*; dies 0 9 $base; rm -f cut.*
  for ((k = $(calls); k > 0; k--)); do dies $k 9 $base; [ ! -e cut.csv.checkpoint ] || break; rm -f cut.*; done
  cp cut.csv.checkpoint good.checkpoint; for f in cut.*; do cp "$f" "kept.$f"; done
  crashed=0 refused=0
  for ((k = 1; k <= 80; k++)); do
    for f in kept.*; do cp "$f" "${f#kept.}"; done
    python3 forge.py good.checkpoint forged.checkpoint $k
    timeout 20 "$HOLONOM" $base --resume forged.checkpoint >out 2>err; status=$?
    [ $status -le 2 ] || { crashed=$((crashed + 1)); echo "        forgery $k: $status"; }
    [ $status -ne 2 ] || refused=$((refused + 1))
  done
  rm -f kept.* cut.*
  [ $crashed -eq 0 ]; verdict "$1, $2: none of 80 crashes, $refused are refused" $? "$crashed crash"
}
forge ball_tray moreau --record-contacts
forge billiard_break impulse-contact --record-contacts
forge slider_crank impulse-sle:redundancy=remove --record-joints

echo "# no leftovers of runs that fail before their first checkpoint, and of sweeps without a result"
leftovers() { # NAME : the files of the run that cannot be continued
  left=$(ls | grep 'left.*\.\(frames\|events\|journal\|checkpoint\)$' | tr '\n' ' ')
  [ -z "$left" ]; verdict "$1" $? "$left"; rm -f left*
}
run run chain8 --solver impulse-gs:iterations=1 --duration 0.1 --checkpoint 5 --output left.csv --record-events leftover.csv
exits "the first step fails" 1; leftovers "its frames are removed"
for size in 0 1; do # KiB
  (ulimit -f $size; trap '' XFSZ; "$HOLONOM" run chain8 --duration 0.3 --checkpoint 500 --output left.csv --record-events leftover.csv 2>/dev/null >/dev/null)
  leftovers "a full disk, $size KiB: no frames remain"
done
for ending in glb h5; do
  (ulimit -f 64; trap '' XFSZ; "$HOLONOM" run ball_tray --duration 0.3 --output leftover.$ending 2>err >/dev/null)
  left=$(ls | grep '^leftover' | tr '\n' ' ')
  [ -z "$left" ] && grep -q "cannot write leftover.$ending" err; verdict "a full disk: no unfinished .$ending remains" $? "$left"; rm -f leftover*
done
(ulimit -f 0; trap '' XFSZ; "$HOLONOM" sweep chain --set n=2,3 --duration 0.1 --output left.csv 2>/dev/null >/dev/null)
leftovers "a full disk: no journal remains"

finish
