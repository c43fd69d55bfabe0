#!/bin/sh
# embedding.sh - the two programs of doc/embedding.md, built with pkg-config against the build tree as the page says,
# and run: their output is that on the page, hashes agree with the command and the record, and records are complete.
# Skipped without pkg-config or a compiler. Needs HOLONOM, the command.
set -u
: "${HOLONOM:?set HOLONOM to the command to test}"
top=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
. "$top/tests/support/lib.sh"
text=$top/doc/embedding.md
build=$built
[ -e "$build/holonom-uninstalled.pc" ] || without "$build is no build tree"
command -v pkg-config >/dev/null && command -v cc >/dev/null || without "no pkg-config, or no cc"
if ldd "$build/.libs/libholonom.so" 2>/dev/null | grep -q 'lib[atu]*b*san'; then
  without "the library has sanitizers, which a program must be built with as well"
fi

# Builds program $1 by its line on the page.
build_program() {
  line=$(sed -n "s/^    \(cc .* -o $1 .*\)/\1/p" "$text")
  echo "$line" | grep -q 'pkg-config --cflags --libs holonom'; verdict "how to build $1 is on the page" $?
  PKG_CONFIG_PATH=$build sh -c "$line -Wall -Wextra -Wshadow -pedantic -Werror" >out 2>err
  verdict "$1 is built by that line, without a warning" $?
}

echo "# a scene, step by step"
awk '/^```c$/ { getline; name = $2; sub(/:$/, "", name); out = 1 } /^```$/ { out = 0 } out { print > name }' "$text"
[ -s swinging.c ]; verdict "swinging.c is on the page" $?
build_program swinging
./swinging >out 2>err; verdict "it runs" $?
sed -n 's/^    \(t = .*\)/\1/p; s/^    \(converged after .*\)/\1/p' "$text" >page
[ "$(wc -l <page)" -eq 6 ]; verdict "its output is on the page" $?
# Drift and the last digits of the energy are rounding, which depends on the compiler.
numbers() { sed 's/energy.*//' "$1"; }
numbers out >seen; numbers page >expected
diff expected seen >err; verdict "the output is that on the page" $?
drift=$(sed -n 's/.*joints apart by \(.*\) m/\1/p' out | sort -g | tail -n 1)
awk -v drift="$drift" 'BEGIN { exit !(drift < 1e-12) }'; verdict "joint errors are small" $? "apart by $drift m, may be 1e-12"
echo "        joints apart by $drift m at most, may be 1e-12"
hash=$(sed -n 's/.*hash \(.*\)/\1/p' out)
command=$(sed -n 's/^    holonom \(run .*\)/\1/p' "$text")
run $command; exits "the command of the page: $command" 0
has "has the same hash, $hash" out "^hash $hash\$"

echo "# a model built in C"
cp "$top/doc/build_model.c" .
sed -n '/^## 2\./,/^## 3\./s/^    \(.*\)/\1/p' "$text" | grep -v -e '^cc ' -e '^\./' -e '^crate ' >excerpts
missing=0
while read -r code; do grep -qF -- "$code" build_model.c || { echo "        not in the program: $code"; missing=1; }; done <excerpts
[ -s excerpts ] && [ $missing -eq 0 ]; verdict "excerpts on the page are lines of the program" $?
build_program build_model
./build_model >out 2>err; verdict "it runs" $?
sed -n 's/^    \(crate .*\)/\1/p' "$text" >page
numbers() { sed 's/, joints.*//' "$1"; }
numbers out >seen; numbers page >expected
[ -s page ] && diff expected seen >err; verdict "the output is that on the page" $?
drift=$(sed -n 's/.*at most \(.*\) m,.*/\1/p' out)
awk -v drift="$drift" 'BEGIN { exit !(drift < 1e-8) }'; verdict "joints stay together" $? "apart by $drift m, may be 1e-8"
hash=$(sed -n 's/.*hash \(.*\)/\1/p' out)
tail -n 1 run.csv | grep -q "^2000,2,.*,$hash,"; verdict "the record ends with step 2000 and the hash of the run" $?
[ "$(wc -l <run.csv)" -eq 202 ]; verdict "it has the start and every tenth step" $?
grep -q '"arm"' run.contacts.csv && grep -q '"floor"' run.contacts.csv; verdict "contacts are recorded" $?
grep -q ',closed,"crate","arm",' events.csv; verdict "the arm hits the crate in the events" $?
! ls ./*.part >/dev/null 2>&1; verdict "no record is left unfinished" $?
finish
