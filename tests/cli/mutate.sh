#!/bin/bash
# mutate.sh - scripts/mutate on a small project of its own, whose "library" and "tests" are shell scripts: which outcomes
# count as noticed, when a stored outcome is valid, resumption and samples. Needs perl and make.
set -u
source=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
: "${HOLONOM:?set HOLONOM to the command to test}"
. "$source/tests/support/lib.sh"
command -v perl >/dev/null || without "perl is missing"

mkdir -p project/scripts project/lib project/tests/a project/tests/support && cd project || exit 1
cp "$source/scripts/mutate" scripts/ && chmod +x scripts/mutate
printf '#!/bin/sh\necho "# no sources"\n' >scripts/list-sources
printf '#!/bin/sh\ncp ../Makefile.template Makefile\n' >configure
chmod +x scripts/list-sources configure
cat >Makefile.template <<'MAKE'
AM_TESTS_ENVIRONMENT = ANSWER=$(CURDIR)/libholonom.la; export ANSWER;
libholonom.la: ../lib/answer.c
	sh -n $< && cp $< $@
holonom:
	touch $@
tests/a/test_%: ../tests/a/test_%.c
	mkdir -p tests/a && grep -q verdict $< && cp $< $@ && chmod +x $@
MAKE
cat >lib/answer.c <<'LIB'
sum() { echo $((1 + 2)); }
spare() { echo 5; }
sum
LIB
shell_test() { # NAME : a shell test whose check is standard input
  { printf '#!/bin/bash\n. ../tests/support/common.sh\n'; cat; } >tests/a/"$1" && chmod +x tests/a/"$1"
}
cat >tests/support/common.sh <<'COMMON'
conclude() {
  if [ "$1" -eq 0 ]; then echo "ok      sum"; echo "1 passed, 0 failed"; else echo "FAILED  sum"; echo "0 passed, 1 failed"; exit 1; fi
}
COMMON
common='[ "$(sh "$ANSWER")" = 3 ]; '
shell_test good.sh <<<"$common"' conclude $? # common.sh'
shell_test skips.sh <<<'exit 77'
shell_test dies.sh <<<"$common"'[ $? = 0 ] || kill -ABRT $$'
shell_test broken.sh <<<'conclude 1'
shell_test timed.sh <<<"$common"' conclude $?'
program() { printf '#!/bin/sh\n# verdict\n%s\n' "$2" >tests/a/"$1".c; }
program test_program "$common"'[ $? = 0 ] || { echo "[  FAILED  ] test_sum"; exit 1; }'
program test_silent "$common"'[ $? = 0 ] || exit 3'
echo 'no program' >tests/a/test_unmade.c
echo 'timed.sh: measures time' >tests/mutants.excluded
entry() { # NAME NEW TESTS [OLD]
  printf 'name: %s\nfile: lib/answer.c\nold: %s\nnew: %s\ntests: %s\n\n' "$1" "${4:-1 + 2}" "$2" "$3"
}
{
  entry difference "1 - 2" good.sh
  entry program "1 - 2" test_program
  entry second "1 - 2" "skips.sh good.sh"
  entry spare 6 good.sh "echo 5"
  entry syntax '1 + 2)' good.sh
  entry skip "1 - 2" skips.sh
  entry abort "1 - 2" dies.sh
  entry silent "1 - 2" test_silent
  entry broken "1 - 2" broken.sh
  entry unmade "1 - 2" test_unmade
  entry endless '$(while :; do :; done)' good.sh '$((1 + 2))'
} >tests/mutants.txt
entry wait '$(sleep 60)' good.sh '$((1 + 2))' >tests/mutants-more.txt

mutate() { # ARGUMENTS... : runs the tool; sets status, files ../out and ../err
  scripts/mutate --limit 1 --room 1 "$@" >../out 2>../err; status=$?
  cat ../err >err
}
tried() { grep -c '^lib/answer.c: .* s)' ../out; }
is() { # ENTRY OUTCOME : the stored outcome
  [ "$(awk -F '\t' -v name="$1" '$2 == name { print $3 }' tests/mutants.result)" = "$2" ]
  verdict "$1: $2" $? "$(grep -P "\t$1\t" tests/mutants.result)"
}

echo "# outcomes"
mutate --apply-only; exits "all entries of both lists apply" 0; has "they are counted" ../out '^12 entries apply, 0 do not'
mutate --room 999999999; [ $status -ne 0 ] && ! grep -q answer tests/mutants.result; verdict "a full disk: no outcome" $?
has "a full disk is named" ../err 'full disk'
mutate --jobs 1 difference; exits "one entry" 0; is difference "noticed by a/good.sh"
has "the others are in the denominator" ../out '^1 noticed of 12 (8.3 %), 11 not tried'
mutate; exits "all entries" 0; [ "$(tried)" -eq 11 ]; verdict "the first is not tried again" $? "$(tried) were tried"
is program "noticed by a/test_program"
is second "noticed by a/good.sh"
is spare "not noticed"
is syntax "does not compile"
is skip "skipped: a/skips.sh"
is abort "crash: a/dies.sh"
is silent "crash: a/test_silent"
is broken "fails without the change: a/broken.sh"
is unmade "does not build: a/test_unmade"
is endless "time limit: a/good.sh"
is wait "time limit: a/good.sh"
has "only assertions count" ../out '^3 noticed of 12 (25.0 %), 2 crash, 1 does not build, 1 does not compile, '
mutate --report; [ "$(grep -c '^lib/answer.c: ' ../out)" -eq 9 ]; verdict "the report lists the nine others" $?
mutate; [ "$(tried)" -eq 0 ]; verdict "nothing is left to try" $?

echo "# validity of a stored outcome"
echo '# another' >>tests/support/common.sh
mutate --report; has "without a support file: the tests that name it" ../out ', 12 not tried\|, [1-9] not tried'
mutate difference spare; is difference "noticed by a/good.sh"
sed -i 's/echo 5/echo  5/' lib/answer.c
mutate --report; has "another source: nothing is valid" ../out '^0 noticed of 12 (0.0 %), 12 not tried'
mutate difference program; has "both are tried again" ../out '^2 noticed of 12'
echo '# another' >>scripts/mutate
mutate --report; has "another tool: nothing is valid" ../out '^0 noticed of 12 (0.0 %), 12 not tried'
entry difference "1 - 2" timed.sh >tests/mutants-more.txt; mutate --apply-only; exits "a name twice" 255
entry timed "1 - 2" timed.sh >tests/mutants-more.txt; mutate --apply-only; exits "an entry with excluded tests alone" 1
has "it is named" ../out 'timed: no such test, or excluded: timed.sh'
rm tests/mutants-more.txt

echo "# interrupted"
scripts/mutate --room 1 --jobs 1 endless >../out 2>../err &
waits_for -e build/mutants/1/mutated; kill -TERM $!; wait $! 2>/dev/null
mutate difference spare; is difference "noticed by a/good.sh"; is spare "not noticed"
cmp -s lib/answer.c build/mutants/1/lib/answer.c; verdict "the work directory is restored" $?

echo "# samples"
mutate --sample 3 --seed 1; cp ../out first; exits "a sample" 0; has "it is compared" first 'as stored'
mutate --sample 3 --seed 1; cut -d '(' -f 1 first | sort >a; cut -d '(' -f 1 ../out | sort | cmp -s - a; verdict "one seed chooses the same entries" $?
sed -i 's/\tnoticed by a.good.sh\t/\tnot noticed\t/' tests/mutants.result
mutate --sample 12; exits "a stored outcome that differs" 1; has "it is named" ../out 'noticed by a/good.sh .*DIFFERENT: was not noticed'
finish
